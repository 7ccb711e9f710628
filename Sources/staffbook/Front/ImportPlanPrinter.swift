import DirectoryService
import Terminal

/// Prints what an import is about to do: to standard output what was asked for, by name or as JSON,
/// otherwise the counts beside it.
struct ImportPlanPrinter: Sendable {
  enum Form: Sendable {
    case text, json
  }

  private let form: Form
  private let isListed: Bool

  init(_ form: Form, isListed: Bool) {
    self.form = form
    self.isListed = isListed
  }

  func print(_ lines: [ImportPlanLine]) throws(OutputError) {
    guard isListed || form == .json else {
      for line in lines { Messages.notice(line.text) }
      return
    }
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
