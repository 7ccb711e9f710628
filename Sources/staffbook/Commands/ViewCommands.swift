import ArgumentParser
import DirectoryModel
import DirectoryService

struct ExpandCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expand",
    abstract: "Open departments in the saved view, and show it.",
    discussion: """
      What leads to a department is opened too. The view is kept by id: it survives a sync, a \
      move and a rename.

      EXAMPLES
        staffbook expand Towers Mirrors
        staffbook expand "Lighthouse Works" --recursive
        staffbook expand --level 2
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(name: [.customShort("r"), .long], help: "Also everything below.")
  var recursive = false

  @Flag(help: "Open every department.")
  var all = false

  @Option(help: "Open exactly the first levels: 1 opens the roots.")
  var level: Int?

  @Argument(help: "Departments, by id, unique name or path.")
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
    abstract: "Close departments in the saved view, and show it.",
    discussion: """
      What was open below a department is open again when the department is; --recursive \
      forgets it.

      EXAMPLES
        staffbook collapse Towers
        staffbook collapse --all
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(name: [.customShort("r"), .long], help: "Also everything below.")
  var recursive = false

  @Flag(help: "Close every department.")
  var all = false

  @Option(help: "Leave exactly the first levels open: 0 closes the roots.")
  var level: Int?

  @Argument(help: "Departments, by id, unique name or path.")
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
      throw ValidationError("name departments, or give --all or --level N")
    }
    if recursive, departments.isEmpty {
      throw ValidationError("--recursive goes with departments")
    }
    if level ?? 0 < 0 { throw ValidationError("--level is a number of levels, 0 or more") }
  }

  static func nodes(_ names: [String], _ directory: Directory) throws -> [Int] {
    try names.map { try directory.node(of: DepartmentName($0)) }
  }

  static func change(
    _ reading: ReadingOptions,
    _ output: OutputOptions,
    _ change: (Directory) throws -> ViewChange
  ) async throws {
    let (service, directory) = try await reading.open()
    var view = try service.view(of: directory)
    try view.apply(try change(directory), to: directory)
    try service.save(view)
    _ = try TreePrinter(output).print(TreeRequest(opening: .view(view)), of: directory)
  }
}
