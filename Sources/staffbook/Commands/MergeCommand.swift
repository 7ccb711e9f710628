import ArgumentParser
import DirectoryModel
import DirectoryReading
import DirectoryWriting
import LiveDirectory
import Terminal

struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge two records of one person.",
    discussion: """
      WHO is kept, and gets the departments and values that only DOUBLE has; fields that take \
      several values get those of both. Fields of other records that name DOUBLE, such as the \
      manager, name WHO instead. The record of DOUBLE is removed, but stays in the history; undo \
      reverts all of this. The command first shows both cards side by side, with a bar where they \
      differ.

      Visibility rules that hide DOUBLE, or something from DOUBLE, hold for WHO afterwards. What \
      becomes of rules that show, and of places in groups, is asked, or said with --rules. Rules \
      are changed by members of the database role staffbook_admin.

      EXAMPLES
        staffbook merge ada.walsh ada.walsh2 --dry-run
        staffbook merge id:1042 id:w1042 -m "recorded twice"
        staffbook merge id:1042 id:w1042 --rules drop
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Option(
    help: ArgumentHelp(
      "What happens to visibility rules that show, and places in groups: follow or drop.",
      valueName: "choice"
    )
  )
  var rules: MergedRules.Choice?

  @Argument(help: "The record to keep.")
  var who: String

  @Argument(help: "The duplicate, which is removed.")
  var double: String

  func run() async throws {
    let run = try EditRun(source, options)
    if !options.json { try await printCards(run.administrator) }
    try await run.run(.merge(who: who, double: double, rules: rules))
  }

  /// Prints both cards, if the names mean one person each, and not the same one.
  private func printCards(_ administrator: Administrator) async throws {
    let directory = try await DirectoryOpener(administrator.session).directory(fresh: true)
    guard case .found(let first) = try directory.lookUp(who, limit: 2), first.count == 1,
      case .found(let second) = try directory.lookUp(double, limit: 2), second.count == 1,
      first != second
    else { return }
    let cards = (try directory.card(at: first[0]), try directory.card(at: second[0]))
    var screen = Screen()
    try CardPainter(screen.profile).append(
      heading: "Both cards",
      CardPainter.sideBySide(
        fields(of: cards.0, directory),
        fields(of: cards.1, directory)
      ),
      to: &screen.buffer
    )
    try screen.finish()
  }

  private func fields(
    of card: DirectoryRow,
    _ directory: Directory
  ) throws -> [CardPainter.Field] {
    [CardPainter.Field("Name", card.name), CardPainter.Field("Id", card.id)]
      + (try directory.cardFields(of: card).map {
        CardPainter.Field($0.label, $0.values.map(\.text))
      })
  }
}

extension MergedRules.Choice: ExpressibleByArgument {}
