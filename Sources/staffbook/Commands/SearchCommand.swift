import ArgumentParser
import ChangeHistory
import DirectoryModel
import DirectoryReading
import LiveDirectory

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find people and departments.",
    discussion: """
      A person or department is found if every word of the query is found in any of these fields: \
      name, title, \(Field.contacts.map(\.name).joined(separator: ", ")), id and department. Case, diacritics and width do not matter, and \
      names of any script are found in Latin letters: lukasz finds Łukasz, zhangwei and zw find \
      张伟. Longer words may contain a typing error. Whole words come first, then beginnings of \
      words, then other matches. The exit status is 1 if nothing is found. With --json and without \
      --limit, a last object {"event":"more"} says that there are more than 50 results.

      "…" is a phrase, which is matched literally; -word excludes the matches of that word; name:, \
      title:, dept:, \(Field.contacts.map(\.name).map { "\($0):" }.joined(separator: ", ")) and id: restrict a word to one field; in:DEPARTMENT restricts \
      the search to a department and those below it. All other characters stand for themselves. \
      Words after -- are not treated as options.

      EXAMPLES
        staffbook search lukasz
        staffbook search lampwright lamps -apprentice
        staffbook search 'title:"head of" in:Optics'
        staffbook search 0199 --in "Telescope Works" --explain
        staffbook search fog --tree
      """
  )

  @OptionGroup(title: "Source") var reading: ViewingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(name: .customLong("in"), help: "Search only this department and those below it.")
  var department: String?

  @Option(help: ArgumentHelp("Show at most N results; 0 shows all. (default: 50)", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Skip the first N results.", valueName: "n"))
  var offset = 0

  @Flag(help: "Show why each result matches.")
  var explain = false

  @Flag(help: "Show the results in the tree, below their departments.")
  var tree = false

  @Flag(help: "Find people who have left, newest first.")
  var left = false

  @Flag(help: "Print results for mutt's query_command: address, tab, name, tab, title.")
  var mutt = false

  @Argument(parsing: .allUnrecognized, help: "Words to search for.")
  var query: [String]

  private static let usualLimit = 50

  func validate() throws {
    if limit ?? 0 < 0 { throw ValidationError("--limit must be 0 or more") }
    if offset < 0 { throw ValidationError("--offset must be 0 or more") }
    if limit != nil, tree { throw ValidationError("--limit and --tree cannot be used together") }
    if offset > 0, tree { throw ValidationError("--offset and --tree cannot be used together") }
    if explain, tree { throw ValidationError("--explain and --tree cannot be used together") }
    if mutt, tree || explain || output.format != nil {
      throw ValidationError(
        "--mutt cannot be used with --tree, --explain, --json, --plain or --columns"
      )
    }
    if left,
      tree || explain || mutt || output.plain || output.columns != nil || department != nil
        || reading.asOf != nil
    {
      throw ValidationError("--left can only be used with --limit and --json")
    }
    let literal = CommandLine.arguments.drop { $0 != "--" }.dropFirst()
    if let option = query.dropLast(literal.count).lazy.compactMap(MisreadOption.init).first {
      throw ValidationError(option.message)
    }
    if query.allSatisfy(\.isEmpty) {
      throw ValidationError("there is nothing to search for")
    }
  }

  func run() async throws {
    if left { return try await printFormerPeople() }
    let (_, directory) = try await reading.open()
    try output.requireColumns(of: directory)
    let text = query.joined(separator: " ")
    let root = try department.map { try directory.node(of: DepartmentName($0)) }
    let path = try root.map { try directory.path(through: $0) } ?? []
    let searcher = try directory.searcher()
    if tree {
      if try printTree(directory, text, root) == 0 {
        throw NothingFound(hint: try hint(searcher, text, root))
      }
      return
    }
    var options = SearchOptions(text)
    options.root = root
    options.limit = limit == 0 ? nil : limit ?? Self.usualLimit
    options.offset = offset
    options.explains = explain
    let printer = SearchPrinter(output)
    let total =
      try mutt
      ? printer.printForMutt(searcher, options)
      : printer.print(searcher, options, below: path)
    if total.isZero { throw NothingFound(hint: try hint(searcher, text, root)) }
    if output.json, limit == nil, let most = options.limit {
      return try printer.tellMore(than: most + offset, total)
    }
    if let notice = printer.notice(of: total, options) { Messages.notice(notice) }
  }

  private func printFormerPeople() async throws {
    let most = limit == 0 ? .max - 1 : min(limit ?? Self.usualLimit, .max - 1)
    // One more, by which it is known that there are more.
    let found = try await HistoryReader(reading.viewer.session(reading.reading.source))
      .formerPeople(query.joined(separator: " "), limit: most + 1)
    guard !found.isEmpty else { throw NothingFound() }
    let shown = found.prefix(most)
    guard !output.json else {
      try LineFormat.json.write(shown.map(\.json))
      if limit == nil, shown.count < found.count {
        try SearchPrinter(output).tellMore(than: most, .moreThan(most))
      }
      return
    }
    try LineFormat.text.write(
      shown.map { "\($0.change.text); \(HistoryText.line($0.transaction))" }
    )
    if shown.count < found.count {
      Messages.notice("showing the first \(most) results; use --limit to see more")
    }
  }

  /// - Returns: How many rows there are.
  private func printTree(_ directory: Directory, _ text: String, _ root: Node?) throws -> Int {
    var request = TreeRequest(opening: .all)
    request.root = root
    request.filter = text
    return try TreePrinter(output).print(request, of: directory)
  }

  private func hint(_ searcher: DirectorySearcher, _ text: String, _ root: Node?) throws -> String {
    guard let near = try searcher.suggestion(for: text, root: root) else {
      return NothingFound().hint
    }
    return "nothing found; did you mean: \(near)"
  }
}

/// A word of a query that was meant as an option.
///
/// That is one letter after a hyphen, as in `-n` or `-n20`, or anything after two. Other words after
/// one hyphen are excluded from the results.
struct MisreadOption {
  let option: String

  static let options = [
    "--in", "--limit", "--offset", "--explain", "--tree", "--mutt", "--left", "--as", "--as-of",
    "--json",
    "--plain", "--color",
    "--columns", "--database", "--fresh", "--help", "--version",
  ]

  init?(_ word: String) {
    let bytes = Array(word.utf8)
    let name = bytes.drop { $0 == UInt8(ascii: "-") }
    guard let letter = name.first, (0x61...0x7A).contains(letter | 0x20) else { return nil }
    switch bytes.count - name.count {
    case 1:
      guard name.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      option = String(decoding: bytes.prefix(2), as: UTF8.self)
    case 2: option = String(word.prefix { $0 != "=" })
    default: return nil
    }
  }

  var message: String {
    let meant = meant.map { "; did you mean '\($0)'? To" } ?? "; to"
    let remedy =
      option.utf8.count == 2
      ? "exclude the word '\(option.dropFirst())', write -- before the query"
      : "search for the text, \(Remedy.searchLiterally(option).words)"
    return "unknown option '\(option)'\(meant) \(remedy)"
  }

  private var meant: String? {
    if option.utf8.count > 2 { return EditDistance.nearest(to: option, among: Self.options) }
    if option == "-n" { return "--limit" }
    return Self.options.first { $0.hasPrefix("-" + option.lowercased()) }
  }
}
