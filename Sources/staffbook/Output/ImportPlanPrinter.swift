import DirectoryModel
import DirectoryWriting
import Synchronization
import Terminal

/// Prints what an import or an edit is about to do, and what it did: to standard output what was asked for, by
/// name or as JSON, otherwise the counts beside it.
///
/// A reader that had enough stops nothing: the rest is not printed.
final class ImportPlanPrinter: Sendable {
  private let form: LineFormat
  private let isListed: Bool
  /// An edit waits with its locks while its plan is printed.
  private let isPaged: Bool
  private let isClosed = Mutex(false)
  private let spool = PlanSpool()

  init(_ form: LineFormat, isListed: Bool, isPaged: Bool = true) {
    self.form = form
    self.isPaged = isPaged
    self.isListed = isListed
  }

  /// Whether the reader of standard output has closed it.
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
    try write(lines.lazy.map { [form] in form == .json ? $0.json : $0.text }, orSay: advice)
  }

  private func write(
    _ lines: some Sequence<String>,
    orSay advice: String
  ) throws(DirectoryError) {
    guard !hasLostReader else { return }
    do throws(OutputError) {
      try form.write(lines, isPaged: isPaged)
    } catch .closed {
      isClosed.withLock { $0 = true }
    } catch {
      throw DirectoryError(.cannotWrite, "cannot write the output: \(error)", advice: advice)
    }
  }

  /// Keeps lines until `show`; the counts of a plan that is not listed are told at once.
  ///
  /// - Throws: `.cannotWrite`.
  func keep(_ lines: [ImportPlanLine]) throws(DirectoryError) {
    guard isListed || form == .json else {
      for line in lines { Messages.notice(line.text) }
      return
    }
    try spool.add(lines.lazy.map { [form] in form == .json ? $0.json : $0.text })
  }

  /// Prints what is kept, through one pager.
  ///
  /// - Parameter advice: What to say beside a failure to write.
  /// - Throws: `.cannotWrite`.
  func show(orSay advice: String) throws(DirectoryError) {
    try spool.takeLines { (lines) throws(DirectoryError) in try write(lines, orSay: advice) }
  }

  /// Prints warnings for programs; people are told beside it.
  ///
  /// - Throws: `.cannotWrite`.
  func printWarnings(
    _ warnings: [InputProblem],
    orSay advice: String
  ) throws(DirectoryError) {
    guard form == .json, !warnings.isEmpty else { return }
    try write(warnings.lazy.map(\.json), orSay: advice)
  }

  /// Prints what was done, for programs; people are told beside it.
  ///
  /// - Throws: `.cannotWrite`.
  func printApplied(_ totals: ChangeTotals, orSay advice: String) throws(DirectoryError) {
    guard form == .json else { return }
    try print([.applied(totals)], orSay: advice)
  }
}
