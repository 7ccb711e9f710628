import ArgumentParser
import DirectoryModel
import DirectoryWriting

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo transactions.",
    discussion: """
      The numbers are those of staffbook log; without one, your own newest transaction is proposed. \
      The inverse is shown as a plan and applied in one transaction, which can itself be undone. \
      Values that were changed again since are listed and kept, unless --force is given. Values of \
      people who were forgotten cannot be restored, \
      and nothing is done where records that are needed have been removed.

      EXAMPLES
        staffbook undo
        staffbook undo 17
        staffbook undo 17 19 --dry-run
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Flag(help: "Also undo values that were changed again since.")
  var force = false

  @Argument(help: "Numbers of transactions.")
  var transactions: [Int64] = []

  func run() async throws {
    let run = try EditRun(source, options)
    try await run.run { observer in
      try await HistoryUndo(run.administrator).undo(
        transactions,
        force: force,
        reason: options.history.reason,
        isDryRun: options.dryRun,
        observer: observer
      )
    }
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a removed person or department.",
    discussion: """
      The record is restored as it last was, without what has been removed since: departments that \
      the person was in, and people whom its fields name. These are listed. WHO is the id or the \
      exact name; search --left finds people.

      EXAMPLES
        staffbook restore ada.walsh
        staffbook restore "Ada Walsh"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The id or the exact name.")
  var who: [String]

  func run() async throws {
    let run = try EditRun(source, options)
    try await run.run { observer in
      try await HistoryUndo(run.administrator).restore(
        who.joined(separator: " "),
        reason: options.history.reason,
        isDryRun: options.dryRun,
        observer: observer
      )
    }
  }
}
