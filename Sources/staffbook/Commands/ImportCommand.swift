import ArgumentParser
import DirectoryModel
import DirectoryService

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take a folder of CSV files into the database.",
    discussion: """
      The folder holds departments.csv (id, parent_id, name, description, sort_order), users.csv \
      (id, department_id, name, title, email, phone, sort_order) and, for people in several \
      departments, memberships.csv (user_id, department_id, title, sort_order). All of it is \
      taken in one transaction, or nothing. Exit status 65 means that the files are wrong; every \
      problem is told with file, line and id.

      EXAMPLES
        staffbook import ./company
        staffbook import ./company --replace
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Remove what is not in the files. Without it they add and change.")
  var replace = false

  @Flag(help: "With --replace: remove also much of what is there.")
  var acceptDeletions = false

  @Flag(help: "Leave the local snapshot as it is.")
  var noSync = false

  @Argument(help: "The folder.", completion: .directory)
  var path: String

  func run() async throws {
    let run = ImportRun(service: try source.service(), name: path)
    try await run.run(
      path,
      replace: replace,
      acceptDeletions: acceptDeletions,
      sync: !noSync
    )
  }
}

/// An import and the sync that follows it.
struct ImportRun {
  let service: StaffbookService
  /// What is imported, for people.
  let name: String

  func run(
    _ folder: String,
    replace: Bool,
    acceptDeletions: Bool = false,
    sync: Bool
  ) async throws {
    let line = ImportProgressLine()
    defer { line.finish() }
    let report = try await service.importFiles(
      from: folder,
      replace: replace,
      acceptDeletions: acceptDeletions
    ) { line.show($0) }
    line.finish()
    for warning in report.warnings { Messages.warning(ErrorReport.text(of: warning)) }
    if report.warningCount > report.warnings.count {
      Messages.warning("and \(report.warningCount - report.warnings.count) more warnings")
    }
    Messages.notice("imported \(name): \(report)")
    guard sync else { return }
    let progress = SyncProgressLine()
    defer { progress.finish() }
    _ = try await service.sync(acceptDeletions: acceptDeletions) { progress.show($0) }
  }
}
