import ArgumentParser
import DirectoryModel
import DirectoryReading
import LiveDirectory
import Platform
import SiteSettings
import Terminal

/// Completion of command lines: the scripts for the shells, and what these ask the program.
///
/// It reads the snapshot and nothing else: no server is started for it, nothing is written, and what is
/// wrong is not an answer rather than a message in the middle of the user's line.
enum Completion {
  /// What the scripts ask with; three hyphens, as no option has them.
  private static let question = "---complete"

  /// Answers if the arguments ask for a script or for words; otherwise returns.
  ///
  ///     ---complete bash LINE REPLACED      the line up to the cursor, and its end that is replaced
  ///     ---complete zsh|fish WORD [WORD…]   the word at the cursor as it is typed, and those before it
  static func answerAndExit(_ arguments: [String], of program: any ParsableCommand.Type) {
    switch arguments.first {
    case question:
      print(answer(Array(arguments.dropFirst()), of: program))
      Platform.exit(ExitStatus.done.rawValue)
    case "--generate-completion-script":
      guard arguments.count == 2, let script = script(for: arguments[1]) else { return }
      print([script])
      Platform.exit(ExitStatus.done.rawValue)
    default: return
    }
  }

  /// The script for a shell; the parser refuses shells that it does not know either.
  private static func script(for shell: String) -> String? {
    guard ["bash", "zsh", "fish"].contains(shell) else { return nil }
    let script = EmbeddedFile.bytes(named: "staffbook.\(shell)")
    return String(decoding: script.dropLast(), as: UTF8.self)
  }

  private static func print(_ lines: [String]) {
    var writer = OutputWriter(descriptor: STDOUT_FILENO)
    try? writer.write(lines.map { $0 + "\n" }.joined())
    try? writer.finish()
  }

  private static func answer(
    _ arguments: [String],
    of program: any ParsableCommand.Type
  ) -> [String] {
    guard arguments.count >= 2 else { return [] }
    if arguments[0] == "bash" {
      let line = CommandLineWords(arguments[1])
      let replaced = arguments.count > 2 ? arguments[2] : ""
      return answer(after: Array(line.finished.dropFirst()), line.current, of: program)
        .lines(for: line, replacing: replaced)
    }
    let current = CommandLineWords(arguments[1])
    return answer(after: Array(arguments.dropFirst(2)), current.current, of: program)
      .lines(continuing: current.current)
  }

  private static func answer(
    after words: [String],
    _ current: String,
    of program: any ParsableCommand.Type
  ) -> CompletionAnswer {
    switch CompletionPlace(after: words, current: current, of: program) {
    case .nothing: return .nothing
    case .command(let command):
      return .words(
        command.configuration.subcommands.filter {
          $0.configuration.shouldDisplay && $0._commandName.hasPrefix(current)
        }
        .map { .init(text: $0._commandName, note: $0.configuration.abstract) }
      )
    case .option(let options):
      return .words(
        options.compactMap { option in
          let typed = option.options.filter { $0.hasPrefix(current) }
          let long = typed.first { $0.hasPrefix("--") } ?? typed.first
          return long.map { .init(text: $0, note: option.abstract ?? "") }
        }
      )
    case .value(let argument, let prefix):
      let typed = String(current.dropFirst(prefix.count))
      let values = CompletionValues(directory(words), after: words)
      return values.answer(for: argument, typed).with(prefix: prefix)
    }
  }

  /// The snapshot of the database that the line names, or of the usual one, as the viewer sees it whom
  /// the line names.
  private static func directory(_ words: [String]) -> Directory? {
    let (database, viewer) = (value(of: "--database", words), value(of: "--as", words))
    guard let settings = try? Settings(environment: Messages.environment, database: database) else {
      return nil
    }
    let hub = Hub(Site(settings: settings) { _ in })
    let session = Session(hub, settings.caller(.everything)) { _ in }
    guard let viewer else { return DirectoryOpener(session).directoryAtHand() }
    let administrator = try? Administrator(session, to: "see what others see")
    let seen = administrator.flatMap { ViewerLookUp($0).sessionAtHand(as: viewer) }
    return seen.flatMap { DirectoryOpener($0).directoryAtHand() }
  }

  /// The last value that finished words give an option.
  private static func value(of option: String, _ words: [String]) -> String? {
    var value: String?
    for (word, next) in zip(words, words.dropFirst()) where word == option { value = next }
    for word in words where word.hasPrefix(option + "=") {
      value = String(word.dropFirst(option.count + 1))
    }
    return value
  }
}

extension CompletionAnswer {
  /// The same behind what stands in the same word.
  fileprivate func with(prefix: String) -> CompletionAnswer {
    guard case .words(var words) = self, !prefix.isEmpty else { return self }
    for index in words.indices { words[index].text = prefix + words[index].text }
    return .words(words)
  }
}
