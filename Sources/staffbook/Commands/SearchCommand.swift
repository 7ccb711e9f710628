import ArgumentParser
import DirectoryModel
import DirectoryService

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find people and departments.",
    discussion: """
      Every word must be found, in any field and any order: name, title, email, phone, id and \
      department. Case, diacritics and width do not matter, and names of any script are found in \
      Latin letters: lukasz finds Łukasz, zhangwei and zw find 张伟. Longer words may have a typing \
      error. Whole words come first, then beginnings, then the rest. Exit status 1 means that \
      nothing was found.

      "…" is a phrase, taken literally; -word leaves out whom that word finds; name:, title:, \
      dept:, email:, phone: and id: look in one field only; in:DEPARTMENT looks in a department and \
      below. All other characters mean themselves.

      EXAMPLES
        staffbook search lukasz
        staffbook search lampwright lamps -apprentice
        staffbook search 'title:"head of" in:Optics'
        staffbook search 0199 --in "Telescope Works" --explain
        staffbook search fog --tree
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(name: .customLong("in"), help: "Look only in this department and below.")
  var department: String?

  @Option(help: "The most hits to show; 0 shows all. (default: 50)")
  var limit: Int?

  @Option(help: "Leave out so many of the first hits.")
  var offset = 0

  @Flag(help: "Say why each was found.")
  var explain = false

  @Flag(help: "Show the hits in the tree, with the way to them.")
  var tree = false

  @Flag(help: "Answer as mutt's query_command: address, tab, name, tab, title.")
  var mutt = false

  @Argument(parsing: .allUnrecognized, help: "Words to look for.")
  var query: [String]

  private static let usualLimit = 50

  func validate() throws {
    if limit ?? 0 < 0 { throw ValidationError("--limit is a number of hits, 0 or more") }
    if offset < 0 { throw ValidationError("--offset is a number of hits, 0 or more") }
    if limit != nil, tree { throw ValidationError("--limit and --tree exclude each other") }
    if offset > 0, tree { throw ValidationError("--offset and --tree exclude each other") }
    if explain, tree { throw ValidationError("--explain and --tree exclude each other") }
    if mutt, tree || explain || output.format != nil {
      throw ValidationError("--mutt excludes --tree, --explain, --json and --plain")
    }
    // What begins with one hyphen is a word to leave out.
    if let option = query.first(where: { $0.utf8.starts(with: "--".utf8) && $0.utf8.count > 2 }) {
      throw ValidationError(
        "there is no option \(option); to look for it, quote it: '\"\(option)\"'"
      )
    }
    if query.allSatisfy(\.isEmpty) { throw ValidationError("give something to look for") }
  }

  func run() async throws {
    let (service, directory) = try await reading.open()
    let text = query.joined(separator: " ")
    let root = try department.map { try directory.node(of: DepartmentName($0)) }
    let searcher = try service.searcher(of: directory)
    if tree {
      if try printTree(directory, text, root) == 0 {
        throw NothingFound(hint: try hint(searcher, text))
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
      try mutt ? printer.printForMutt(searcher, options) : printer.print(searcher, options)
    if total.isZero { throw NothingFound(hint: try hint(searcher, text)) }
    if let notice = printer.notice(of: total, options) { Messages.notice(notice) }
  }

  /// - Returns: How many rows there are.
  private func printTree(_ directory: Directory, _ text: String, _ root: Int?) throws -> Int {
    var request = TreeRequest(opening: .all)
    request.root = root
    request.filter = text
    return try TreePrinter(output).print(request, of: directory)
  }

  private func hint(_ searcher: DirectorySearcher, _ text: String) throws -> String {
    guard let near = try searcher.suggestion(for: text) else { return NothingFound().hint }
    return "nothing found; did you mean: \(near)"
  }
}
