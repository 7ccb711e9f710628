import ArgumentParser
import DirectoryModel
import DirectoryReading
import LiveDirectory

struct TreeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract: "Show the tree of departments and people.",
    discussion: """
      Departments are expanded or collapsed as expand and collapse left them. The signs are ▾ for \
      an expanded department, ▸ for a collapsed one and ▹ for an empty one. The number after a \
      department counts the people in it and below, each once. On a terminal, \
      output that is longer than the screen is shown in a pager.

      EXAMPLES
        staffbook tree
        staffbook tree "Lighthouse Works" --all
        staffbook tree --depth 1 --departments
        staffbook tree --filter lens
      """
  )

  @OptionGroup(title: "Source") var reading: ViewingOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Rows") var scope: TreeScopeOptions

  @Argument(help: "Show only this department and everything below it.")
  var department: String?

  func run() async throws {
    let (session, directory) = try await reading.open()
    let request = try scope.request(session, directory, department: department)
    if directory.isEmpty { Messages.emptyDirectory(session) }
    let count = try TreePrinter(output).print(request, of: directory)
    if count == 0, request.filter != nil { throw NothingFound() }
  }
}

/// Which rows of the tree are meant; `tree` and `export` take the same options.
struct TreeScopeOptions: ParsableArguments {
  @Flag(help: "Show everything, expanded or not.")
  var all = false

  @Option(help: ArgumentHelp("Show N levels below the top, expanded or not.", valueName: "n"))
  var depth: Int?

  @Option(
    help: ArgumentHelp("Expand N levels instead of using the saved view.", valueName: "n")
  )
  var level: Int?

  @Option(
    help: ArgumentHelp("Show only matches and the departments above them.", valueName: "query")
  )
  var filter: String?

  @Flag(help: "Show only departments.")
  var departments = false

  func validate() throws {
    if [all, depth != nil, level != nil, filter != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--all, --depth, --level and --filter cannot be used together")
    }
    if filter?.isEmpty == true { throw ValidationError("--filter needs a query") }
    if depth ?? 0 < 0 { throw ValidationError("--depth must be 0 or more") }
    if level ?? 0 < 0 { throw ValidationError("--level must be 0 or more") }
  }

  func request(
    _ session: Session,
    _ directory: Directory,
    department: String?
  ) throws -> TreeRequest {
    var request = TreeRequest(opening: try opening(session, directory))
    request.root = try department.map { try directory.node(of: DepartmentName($0)) }
    request.depth = depth
    request.filter = filter
    if departments { request.kinds = .departments }
    return request
  }

  /// Whether the saved view decides what is open.
  var isSavedView: Bool { !all && depth == nil && level == nil && filter == nil }

  private func opening(
    _ session: Session,
    _ directory: Directory
  ) throws -> TreeRequest.Opening {
    if all || depth != nil { return .all }
    if let level { return .levels(level) }
    return .view(try SavedViews(session).view(of: directory))
  }
}
