import ArgumentParser
import DirectoryModel
import DirectoryReading
import LiveDirectory

struct ExpandCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expand",
    abstract: "Expand departments in the saved view and show it.",
    discussion: """
      The departments above are expanded as well. The view is saved by id, so it survives a sync, \
      a move and a rename.

      EXAMPLES
        staffbook expand Towers Mirrors
        staffbook expand "Lighthouse Works" --recursive
        staffbook expand --level 2
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(name: [.customShort("r"), .long], help: "Also expand everything below.")
  var recursive = false

  @Flag(help: "Expand all departments.")
  var all = false

  @Option(help: "Expand exactly the first N levels; 1 expands the roots.")
  var level: Int?

  @Argument(help: "Departments, each named by its id, unique name or path.")
  var departments: [String] = []

  func validate() throws {
    try ViewTarget.validate(departments, all: all, level: level, recursive: recursive)
  }

  func run() async throws {
    try await ViewTarget.change(reading, output) { directory in
      if all { return .expandAll }
      if let level { return .levels(level) }
      return .expand(try ViewTarget.nodes(departments, directory), recursive: recursive)
    }
  }
}

struct CollapseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collapse",
    abstract: "Collapse departments in the saved view and show it.",
    discussion: """
      What was expanded below a department is expanded again with it, unless it was collapsed with \
      --recursive.

      EXAMPLES
        staffbook collapse Towers
        staffbook collapse --all
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(name: [.customShort("r"), .long], help: "Also collapse everything below.")
  var recursive = false

  @Flag(help: "Collapse all departments.")
  var all = false

  @Option(help: "Leave exactly the first N levels expanded; 0 collapses the roots.")
  var level: Int?

  @Argument(help: "Departments, each named by its id, unique name or path.")
  var departments: [String] = []

  func validate() throws {
    try ViewTarget.validate(departments, all: all, level: level, recursive: recursive)
  }

  func run() async throws {
    try await ViewTarget.change(reading, output) { directory in
      if all { return .collapseAll }
      if let level { return .levels(level) }
      return .collapse(try ViewTarget.nodes(departments, directory), recursive: recursive)
    }
  }
}

/// What `expand` and `collapse` share.
enum ViewTarget {
  static func validate(
    _ departments: [String],
    all: Bool,
    level: Int?,
    recursive: Bool
  ) throws {
    guard [all, level != nil, !departments.isEmpty].count(where: { $0 }) == 1 else {
      throw ValidationError("name departments, or use --all or --level N")
    }
    if recursive, departments.isEmpty {
      throw ValidationError("--recursive needs the names of departments")
    }
    if level ?? 0 < 0 { throw ValidationError("--level must be 0 or more") }
  }

  static func nodes(_ names: [String], _ directory: Directory) throws -> [Node] {
    try names.map { try directory.node(of: DepartmentName($0)) }
  }

  static func change(
    _ reading: ReadingOptions,
    _ output: OutputOptions,
    _ change: (Directory) throws -> ViewChange
  ) async throws {
    let (session, directory) = try await reading.open()
    let change = try change(directory)
    let view = try await SavedViews(session).change(of: directory) { view in
      try view.apply(change, to: directory)
    }
    _ = try TreePrinter(output).print(TreeRequest(opening: .view(view)), of: directory)
  }
}
