import ArgumentParser
import ChangeHistory
import DirectoryModel
import LiveDirectory
import Terminal

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show what was changed, by whom, when and why.",
    discussion: """
      Transactions are listed newest first, for everything, for a person, or for a department with \
      all that was below it at the time. For a removed record, give its id or its name. WHEN is a date or \
      time (2026-10-01, 2026-10-01 14:00, ISO 8601), yesterday, 2 weeks ago, or the number of a \
      transaction.

      EXAMPLES
        staffbook log
        staffbook log -n 3 --oneline
        staffbook log --transaction 17
        staffbook log "Ada Walsh" --patch
        staffbook log Towers --since "2 weeks ago" --by marit
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var viewer: ViewerOption

  @Option(help: ArgumentHelp("Show only changes since then.", valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Show only changes until then.", valueName: "when"))
  var until: String?

  @Option(
    help: ArgumentHelp("Show only changes by this person or database role.", valueName: "who")
  )
  var by: String?

  @Flag(name: .shortAndLong, help: "Show each change.")
  var patch = false

  @Flag(help: "Show each transaction on one line.")
  var oneline = false

  @Option(help: ArgumentHelp("Show this transaction and all its changes.", valueName: "number"))
  var transaction: Int64?

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("Show at most N transactions; 0 shows all. (default: 100)", valueName: "n")
  )
  var limit: Int?

  @Flag(help: "Print JSON Lines: one object per transaction, and per change with --patch.")
  var json = false

  @Argument(help: "The person or department.")
  var who: [String] = []

  func validate() throws {
    if limit ?? 0 < 0 { throw ValidationError("--limit must be 0 or more") }
    if oneline, patch || json {
      throw ValidationError("--oneline cannot be used with --patch or --json")
    }
    if transaction != nil, !who.isEmpty || limit != nil || [since, until, by] != [nil, nil, nil] {
      throw ValidationError(
        "--transaction cannot be used with --since, --until, --by, --limit or a record"
      )
    }
  }

  func run() async throws {
    var request = LogRequest()
    request.who = who.isEmpty ? nil : who.joined(separator: " ")
    request.since = since
    request.until = until
    request.by = by
    request.limit = limit == 0 ? nil : limit ?? 100
    request.withChanges = patch
    request.number = transaction
    var entries: [LogEntry] = []
    try await HistoryReader(viewer.session(source)).log(request) { entries.append($0) }
    guard !entries.isEmpty else { throw NothingFound(hint: "no matching changes") }
    if json {
      return try LineFormat.json.write(entries.lazy.flatMap(\.jsonLines))
    }
    if oneline {
      return try LineFormat.text.write(entries.lazy.map { HistoryText.oneLine($0.transaction) })
    }
    try LineFormat.text.write(
      entries.enumerated().lazy.flatMap { index, entry in
        (index == 0 ? [] : [""]) + Self.lines(of: entry)
      }
    )
  }

  private static func lines(of entry: LogEntry) -> [String] {
    let transaction = entry.transaction
    var lines = [
      "transaction \(transaction.number)",
      "Author: " + HistoryText.author(transaction),
      "Date:   \(Age.moment(transaction.at / 1_000_000))",
    ]
    if !transaction.reason.isEmpty {
      let reason = transaction.reason.split(separator: "\n", omittingEmptySubsequences: false)
      lines += [""] + reason.map { "    \($0)" }
    }
    lines.append("")
    if entry.changes.isEmpty && entry.rules.isEmpty || entry.isCut {
      lines.append("  \(transaction.summary)")
    }
    lines += entry.changes.map { "  \($0.text)" }
    if entry.isCut { lines.append("  …") }
    lines += entry.rules.map { "  \($0.text)" }
    return lines
  }
}
