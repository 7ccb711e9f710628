import ArgumentParser
import DirectoryModel
import DirectoryService

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find people and departments.",
    discussion: """
      Every word must be found, in any field and any order: name, title, email, phone, id and \
      department. Case, diacritics and width do not matter: lukasz finds Łukasz. All other \
      characters mean themselves. Exit status 1 means that nothing was found.

      EXAMPLES
        staffbook search lukasz
        staffbook search lampwright towers
        staffbook search 0199 --in "Telescope Works"
        staffbook search fog --tree
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(name: .customLong("in"), help: "Look only in this department and below.")
  var department: String?

  @Option(help: "The most hits to show; 0 shows all. (default: 50)")
  var limit: Int?

  @Flag(help: "Show the hits in the tree, with the way to them.")
  var tree = false

  @Argument(help: "Words to look for.")
  var query: [String]

  private static let usualLimit = 50

  func validate() throws {
    if limit ?? 0 < 0 { throw ValidationError("--limit is a number of hits, 0 or more") }
    if limit != nil, tree { throw ValidationError("--limit and --tree exclude each other") }
    if query.allSatisfy(\.isEmpty) { throw ValidationError("give something to look for") }
  }

  func run() async throws {
    let (_, directory) = try await reading.open()
    let text = query.joined(separator: " ")
    let root = try department.map { try directory.node(of: DepartmentName($0)) }
    if tree {
      var request = TreeRequest(opening: .all)
      request.root = root
      request.filter = text
      if try TreePrinter(output).print(request, of: directory) == 0 { throw NothingFound() }
      return
    }
    let limit = limit ?? Self.usualLimit
    var total = 0
    try ListPrinter(output).print { body in
      total = try directory.forEachHit(of: text, in: root, limit: limit == 0 ? nil : limit, body)
    }
    guard total > 0 else { throw NothingFound() }
    if limit > 0, limit < total {
      Messages.notice("showing \(limit) of \(total); see more with --limit")
    }
  }
}
