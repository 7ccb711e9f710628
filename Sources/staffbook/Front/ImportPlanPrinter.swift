import DirectoryModel
import DirectoryService
import Synchronization
import Terminal

/// Prints what an import is about to do, and what it did: to standard output what was asked for, by
/// name or as JSON, otherwise the counts beside it.
///
/// A reader that had enough stops nothing: the rest is not printed.
final class ImportPlanPrinter: Sendable {
  enum Form: Sendable {
    case text, json
  }

  private let form: Form
  private let isListed: Bool
  private let isClosed = Mutex(false)

  init(_ form: Form, isListed: Bool) {
    self.form = form
    self.isListed = isListed
  }

  /// Whether nobody reads standard output any more.
  var hasLostReader: Bool { isClosed.withLock { $0 } }

  /// - Parameters:
  ///   - lines: What to print.
  ///   - advice: What to say beside a failure to write.
  /// - Throws: `.cannotWrite`.
  func print(_ lines: [ImportPlanLine], orSay advice: String) throws(DirectoryError) {
    guard isListed || form == .json else {
      for line in lines { Messages.notice(line.text) }
      return
    }
    guard !hasLostReader else { return }
    do throws(OutputError) {
      try write(lines)
    } catch .closed {
      isClosed.withLock { $0 = true }
    } catch {
      throw DirectoryError(.cannotWrite, "cannot write the output: \(error)", advice: advice)
    }
  }

  /// Prints what was done, for programs; people are told beside it.
  ///
  /// - Throws: `.cannotWrite`.
  func printApplied(_ report: ImportReport) throws(DirectoryError) {
    guard form == .json else { return }
    try print([.applied(report.summary)], orSay: "the import itself was carried out")
  }

  private func write(_ lines: [ImportPlanLine]) throws(OutputError) {
    var screen = Screen()
    for line in lines {
      screen.buffer.append(contentsOf: text(of: line, on: screen.profile).utf8)
      screen.buffer.append(UInt8(ascii: "\n"))
      try screen.drain()
    }
    try screen.finish()
  }

  /// A change is one line also in a pipe; JSON is so by itself.
  private func text(of line: ImportPlanLine, on profile: TerminalProfile) -> String {
    switch form {
    case .text: profile.visible(line.text)
    case .json: profile.isTerminal ? profile.visible(line.json) : line.json
    }
  }
}
