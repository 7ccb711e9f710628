import ArgumentParser
import DirectoryModel
import DirectoryReading

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one person or department.",
    discussion: """
      WHO is an id, a name or the path of a department; id:, name: and path: in front force one \
      of them. Anything else is searched for, as with staffbook search: words of a name, an \
      address or a part of a phone number, with or without accents. If only one person or \
      department matches, it is shown. Several are listed, and the exit status is 1, as it is if \
      nothing matches.

      EXAMPLES
        staffbook show Zoë Fernlicht
        staffbook show zoe fern
        staffbook show zoe.fernlicht@fernlicht.example
        staffbook show id:lukasz.zajac
        staffbook show "path:Fernlicht & Daughters/Software"
      """
  )

  @OptionGroup(title: "Source") var reading: ViewingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Argument(help: "The person or department.")
  var who: [String]

  private static let mostRows = 50

  func validate() throws {
    if who.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("name a person or a department")
    }
  }

  func run() async throws {
    let (_, directory) = try await reading.open()
    try output.requireColumns(of: directory)
    let text = who.joined(separator: " ")
    switch try directory.lookUp(text, limit: Self.mostRows) {
    case .found(let nodes):
      try CardPrinter(output, directory).print(nodes.map(directory.card))
    case .card(let row): try CardPrinter(output, directory).print([row])
    case .several(let rows, let total):
      try ListPrinter(output).print { body in for row in rows { try body(row) } }
      throw Self.severalMatch(text, rows, total)
    case .nothing(let nearest):
      throw DirectoryError(
        .notFound,
        "no person or department matches \(text)",
        advice: nearest.isEmpty
          ? "list the names with: \(.run(["tree", "--all"] + reading.arguments))"
          : "did you mean \(nearest.joined(separator: ", "))?"
      )
    }
  }

  private static func severalMatch(
    _ text: String,
    _ rows: [SearchRow],
    _ total: SearchTotal
  ) -> DirectoryError {
    var message =
      switch total {
      case .exactly(let count): "\(count) people or departments match \(text)"
      case .moreThan(let count): "more than \(count) people or departments match \(text)"
      }
    if total != .exactly(rows.count) { message += "; these are the first \(rows.count)" }
    return DirectoryError(
      .notFound,
      message,
      advice: "add words that only one of them has, or show one by its id, such as"
        + " id:\(rows[0].row.id) (--plain lists the ids)"
    )
  }
}
