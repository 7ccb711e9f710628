import ArgumentParser
import DirectoryModel
import DirectoryReading
import DirectoryWriting
import LiveDirectory
import Terminal
import TextRules

struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Make one person of two.",
    discussion: """
      WHO stays, and gets the departments and the values that only DOUBLE has; fields that take \
      several values get those of both. Whoever has DOUBLE as manager, or in another field that \
      names people, has WHO then. The record of DOUBLE is removed, and stays in the history; undo \
      takes everything back. The command first shows both cards side by side, with a bar where \
      they differ.

      EXAMPLES
        staffbook merge ada.walsh ada.walsh2 --dry-run
        staffbook merge id:1042 id:w1042 -m "recorded twice"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The person who stays.")
  var who: String

  @Argument(help: "The same person, recorded once more.")
  var double: String

  func run() async throws {
    let run = try EditRun(source, options)
    if !options.json { try await printCards(run.administrator) }
    try await run.run(.merge(who: who, double: double))
  }

  /// Prints both cards, if each of the names means one person.
  private func printCards(_ administrator: Administrator) async throws {
    let directory = try await DirectoryDoor(administrator.session).directory(fresh: true)
    guard case .found(let first) = try directory.lookUp(who, limit: 2), first.count == 1,
      case .found(let second) = try directory.lookUp(double, limit: 2), second.count == 1
    else { return }
    let cards = (try directory.card(at: first[0]), try directory.card(at: second[0]))
    var screen = Screen()
    CardPainter(screen.profile).append(
      heading: "Both cards",
      CardPair(try fields(of: cards.0, directory), try fields(of: cards.1, directory)).fields,
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

/// Two cards in columns beside each other, as `diff --side-by-side` has two files.
private struct CardPair {
  let fields: [CardPainter.Field]

  /// Columns of the first card at most; a longer value moves the second.
  private static let mostColumns = 40

  init(_ first: [CardPainter.Field], _ second: [CardPainter.Field]) {
    let labels =
      first.map(\.label)
      + second.map(\.label).filter { label in
        !first.contains { $0.label == label }
      }
    let pairs = labels.map { label in
      (label, Self.values(first, label), Self.values(second, label))
    }
    let width = min(
      pairs.flatMap(\.1).map { DisplayWidth.columns(of: $0) }.max() ?? 0,
      Self.mostColumns
    )
    fields = pairs.map { label, left, right in
      CardPainter.Field(
        label,
        (0..<max(left.count, right.count)).map { row in
          let (one, other) = (
            row < left.count ? left[row] : "", row < right.count ? right[row] : ""
          )
          let blanks = String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: one)))
          return one + blanks + (one == other ? "   " : " | ") + other
        }
      )
    }
  }

  private static func values(_ fields: [CardPainter.Field], _ label: String) -> [String] {
    fields.first { $0.label == label }?.values ?? []
  }
}
