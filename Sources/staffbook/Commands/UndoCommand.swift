import ArgumentParser
import DirectoryModel
import DirectoryService

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take transactions back.",
    discussion: """
      The numbers are those of staffbook log. The inverse is shown as a plan and applied in one \
      transaction, which can itself be undone. What was changed again since is named and left \
      alone, unless --force takes that back, too.

      EXAMPLES
        staffbook undo 17
        staffbook undo 17 19 --dry-run
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Flag(help: "Also take back what was changed again since.")
  var force = false

  @Argument(help: "Numbers of transactions.")
  var transactions: [Int64]

  func run() async throws {
    let run = try EditRun(source, options)
    try await run.run { observer in
      try await run.service.undo(
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
    abstract: "Bring back a person or department that was removed.",
    discussion: """
      The record comes back as it was last, a person with the memberships of departments that are \
      still there. It is named by its id; find it with search --left.

      EXAMPLES
        staffbook restore ada.walsh
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The id.")
  var who: [String]

  func run() async throws {
    let run = try EditRun(source, options)
    try await run.run { observer in
      try await run.service.restore(
        who.joined(separator: " "),
        reason: options.history.reason,
        isDryRun: options.dryRun,
        observer: observer
      )
    }
  }
}
