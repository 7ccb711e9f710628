import Administration
import ArgumentParser
import DirectoryModel
import Platform

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Set how long history is kept; record missed changes.",
    subcommands: [Keep.self, CatchUp.self]
  )

  struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keep",
      abstract: "Set how long changes are kept, and remove what is older.",
      discussion: """
        PERIOD is a number with d, w, m or y for days, weeks, months or years, or forever. Imports \
        and edits remove changes that have become older.

        EXAMPLES
          staffbook history keep 2y
          staffbook history keep forever
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: "Such as 90d, 18m, 2y or forever.")
    var period: String

    func run() async throws {
      let removed = try await HistoryRetention(source.administrator()).keepHistory(period)
      Messages.notice(
        "removed \(counted(removed, "transaction"))"
      )
    }
  }

  struct CatchUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "catch-up",
      abstract: "Record what was changed while the triggers of history were off.",
      discussion: """
        The changes are recorded as found now. staffbook doctor says if there are any.

        EXAMPLES
          staffbook history catch-up
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      let found = try await HistoryRetention(source.administrator()).catchUpHistory()
      Messages.notice("recorded \(counted(found, "change"))")
    }
  }
}

struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Erase a person from the history.",
    discussion: """
      The values that the history has of the person are erased for good, under every id that they \
      had, and so are reasons that name them and ids that are no longer in use. The log still \
      shows that something was forgotten, when and by \
      whom. A person who is in the directory stays there: \
      remove them first. WHO is an id or an exact name, also that of a removed person. \
      docs/history.md lists what is not erased, such as backups.

      EXAMPLES
        staffbook forget ada.walsh
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
  var yes = false

  @Argument(help: "The person.")
  var who: [String]

  func run() async throws {
    let text = who.joined(separator: " ")
    let forgotten = try await HistoryRetention(source.administrator()).forget(text) { name in
      if yes { return true }
      return try Confirmation.ask(
        "erase \(name) from the history for good?",
        else: "cannot forget \(name): erased values cannot be restored",
        advice: "if this is intended, repeat the command with --yes"
      )
    }
    guard let forgotten else { return Messages.notice("nothing was erased") }
    var parts = [counted(forgotten.changes, "change")]
    if forgotten.reasons > 0 {
      parts.append("the reason of " + counted(forgotten.reasons, "transaction"))
    }
    Messages.notice("erased \(parts.joined(separator: ", and "))")
    if forgotten.deletedKeys > 0 {
      Messages.notice(
        "erased \(counted(forgotten.deletedKeys, "key")) of removed records, too: every reader compares "
          + "everything at its next sync"
      )
    }
  }
}
