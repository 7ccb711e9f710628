import ArgumentParser
import DirectoryModel
import DirectoryService

struct TreeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract: "Show the directory, opened as you left it.",
    discussion: """
      Signs: ▾ open, ▸ closed, ▹ empty. The number behind a department counts the people in it \
      and below, each once. Text goes through a pager when it is longer than the screen.

      EXAMPLES
        staffbook tree
        staffbook tree "Lighthouse Works" --all
        staffbook tree --depth 1 --departments
        staffbook tree --filter lens
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "What to show") var scope: TreeScopeOptions

  @Argument(help: "Show only this department and what is below.")
  var department: String?

  func run() async throws {
    let (service, directory) = try await reading.open()
    let request = try scope.request(service, directory, department: department)
    if directory.isEmpty { Messages.emptyDirectory() }
    let count = try TreePrinter(output).print(request, of: directory)
    if count == 0, request.filter != nil { throw NothingFound() }
  }
}

/// Which rows of the tree are meant; `tree` and `export` take the same options.
struct TreeScopeOptions: ParsableArguments {
  @Flag(help: "Everything, whatever is open.")
  var all = false

  @Option(help: "Everything down to this many levels below the top, whatever is open.")
  var depth: Int?

  @Option(help: "Open this many levels, instead of what the saved view has open.")
  var level: Int?

  @Option(help: ArgumentHelp("Only what matches, and the way there.", valueName: "query"))
  var filter: String?

  @Flag(help: "Only departments.")
  var departments = false

  func validate() throws {
    if [all, depth != nil, level != nil, filter != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--all, --depth, --level and --filter exclude each other")
    }
    if filter?.isEmpty == true { throw ValidationError("--filter needs something to look for") }
    if depth ?? 0 < 0 { throw ValidationError("--depth is a number of levels, 0 or more") }
    if level ?? 0 < 0 { throw ValidationError("--level is a number of levels, 0 or more") }
  }

  func request(
    _ service: StaffbookService,
    _ directory: Directory,
    department: String?
  ) throws -> TreeRequest {
    var request = TreeRequest(opening: try opening(service, directory))
    request.root = try department.map { try directory.node(of: DepartmentName($0)) }
    request.depth = depth
    request.filter = filter
    if departments { request.kinds = .departments }
    return request
  }

  private func opening(
    _ service: StaffbookService,
    _ directory: Directory
  ) throws -> TreeRequest.Opening {
    if all || depth != nil { return .all }
    if let level { return .levels(level) }
    return .view(try service.view(of: directory))
  }
}
