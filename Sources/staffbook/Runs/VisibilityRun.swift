import ArgumentParser
import DirectoryModel
import DirectoryWriting
import LiveDirectory
import Platform
import Terminal

/// How a command that changes the list of rules goes about it.
struct VisibilityOptions: ParsableArguments {
  @Flag(
    name: [.customShort("n"), .long],
    help: "Show what would change, and change nothing."
  )
  var dryRun = false

  @OptionGroup var history: ReasonOptions

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
  var yes = false

  @Flag(help: "Do not update the local snapshot.")
  var noSync = false
}

/// A change of the list of rules: what it comes to, then the change, then a sync.
struct VisibilityRun {
  private let administrator: Administrator
  private let rules: VisibilityAdministration
  private let options: VisibilityOptions

  init(_ source: SourceOptions, _ options: VisibilityOptions) throws {
    administrator = try source.administrator()
    rules = VisibilityAdministration(administrator)
    self.options = options
  }

  func run(_ change: (inout VisibilityRules) throws -> Void) async throws {
    let former = try await rules.rules()
    var new = former
    try change(&new)
    _ = try await carryOut(new, former)
  }

  /// Moves one rule.
  func move(from: Int, to: Int) async throws {
    let former = try await rules.rules()
    for place in [from, to] { try Self.requirePlace(place, upTo: former.rules.count) }
    var new = former
    new.rules.insert(new.rules.remove(at: from - 1), at: to - 1)
    _ = try await carryOut(new, former, move: (from, to))
  }

  /// Lets rules and groups mean the records that have the ids now.
  func confirm(_ places: [Int], groups: [String]) async throws {
    let former = try await rules.rules()
    for place in places { try Self.requirePlace(place, upTo: former.rules.count) }
    _ = try await carryOut(
      rules.confirmed(former, places: places, groups: groups),
      former
    )
  }

  /// Lets the list be edited.
  func edit() async throws {
    let interrupts = ImportInterrupts("changed")
    defer { interrupts.stop() }
    try await rules.edit(
      front: .editor,
      editing: { interrupts.add("your text was saved in \($0)") },
      { new, former in try await carryOut(new, former) }
    )
  }

  /// Replaces the list by a text.
  func replace(with path: String) async throws {
    let former = try await rules.rules()
    do {
      _ = try await carryOut(VisibilityRules(text: Self.text(of: path), after: former), former)
    } catch let error as VisibilityTextErrors {
      throw DirectoryError(
        .badData,
        "cannot read the visibility rules",
        advice: "nothing was changed",
        details: error.mistakes.map { "\(path), line \($0.line): \($0.text)" }
      )
    }
  }

  private static func text(of path: String) throws(DirectoryError) -> String {
    var bytes: [UInt8] = []
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = descriptor < 0 ? -1 : read(descriptor, &buffer, buffer.count)
    while count > 0, bytes.count < mostBytes {
      bytes += buffer[..<count]
      count = read(descriptor, &buffer, buffer.count)
    }
    guard count >= 0 else {
      throw DirectoryError(.noInput, "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    if path != "-" { close(descriptor) }
    guard bytes.count < mostBytes, let text = String(validating: bytes, as: UTF8.self) else {
      throw DirectoryError(.badData, "cannot read \(path): it is too large, or not UTF-8")
    }
    return text
  }

  private static let mostBytes = 1 << 24

  /// Shows what a list comes to, asks, and writes it.
  ///
  /// - Returns: Whether it was done, or there was nothing to do.
  private func carryOut(
    _ new: VisibilityRules,
    _ former: VisibilityRules,
    move: (from: Int, to: Int)? = nil
  ) async throws -> Bool {
    let preview = try await rules.preview(new, replacing: former, move: move)
    guard !preview.isEmpty else {
      Messages.notice("there is nothing to change")
      return true
    }
    try LineFormat.text.write(preview.lines.map(\.text))
    for sentence in preview.effects { Messages.notice(sentence) }
    for warning in preview.warnings { Messages.warning(warning) }
    if options.dryRun {
      Messages.notice("this was a dry run: nothing was changed")
      return true
    }
    if !options.yes,
      try !Confirmation.ask(
        "do this?",
        else: "confirmation required, but standard input is not a terminal",
        advice: "nothing was changed; to confirm in advance, repeat the command with --yes"
      )
    {
      Messages.notice("nothing was changed")
      return false
    }
    try await rules.write(new, replacing: former, reason: options.history.reason)
    Messages.notice("the visibility rules were changed")
    if !options.noSync { try await ProgressLine.sync(administrator) }
    return true
  }

  static func requirePlace(_ place: Int, upTo last: Int) throws {
    guard (1...last).contains(place) else {
      throw ValidationError("there is no place \(place) in the list; it must be 1 to \(last)")
    }
  }
}
