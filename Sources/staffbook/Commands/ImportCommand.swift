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

      First it compares the files with the database and tells what it is about to do: + added, \
      ~ changed, > moved, - removed. --dry-run stops there, by name. Exit status 75 means that \
      too much would be removed.

      EXAMPLES
        staffbook import ./company --dry-run
        staffbook import ./company
        staffbook import ./company --replace
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(
    name: [.customShort("n"), .long],
    help: "Tell what would be done, by name, and stop there."
  )
  var dryRun = false

  @Flag(help: "Remove what is not in the files. Without it they add and change.")
  var replace = false

  @Flag(help: "With --replace: remove also much of what is there. Other readers are told.")
  var acceptDeletions = false

  @Flag(name: .shortAndLong, help: "Tell what is done by name.")
  var verbose = false

  @Flag(help: "Tell what is done as JSON Lines: the counts, then, if told by name, every change.")
  var json = false

  @Flag(help: "Leave the local snapshot as it is.")
  var noSync = false

  @Argument(help: "The folder.", completion: .directory)
  var path: String

  func run() async throws {
    var request = ImportRequest(paths: [path])
    request.replace = replace
    request.acceptDeletions = acceptDeletions
    request.isDryRun = dryRun
    request.isListed = verbose || dryRun
    let run = ImportRun(service: try source.service(), name: path)
    try await run.run(request, as: json ? .json : .text, sync: !noSync)
  }
}

/// An import and the sync that follows it.
struct ImportRun {
  let service: StaffbookService
  /// What is imported, for people.
  let name: String

  func run(
    _ request: ImportRequest,
    as form: ImportPlanPrinter.Form = .text,
    sync: Bool
  ) async throws {
    let line = ImportProgressLine()
    defer { line.finish() }
    let printer = ImportPlanPrinter(form, isListed: request.isListed)
    var observer = ImportObserver()
    observer.progress = { line.show($0) }
    observer.plan = { lines in
      line.clear()
      try printer.print(lines)
    }
    let report = try await service.importFiles(request, observer: observer)
    line.finish()
    tell(report, request)
    guard sync, !request.isDryRun else { return }
    let progress = SyncProgressLine()
    defer { progress.finish() }
    var options = SyncOptions()
    options.acceptDeletions = request.acceptDeletions
    _ = try await service.sync(options) { progress.show($0) }
  }

  private func tell(_ report: ImportReport, _ request: ImportRequest) {
    for warning in report.warnings { Messages.warning(ErrorReport.text(of: warning)) }
    if report.warningCount > report.warnings.count {
      Messages.warning("and \(report.warningCount - report.warnings.count) more warnings")
    }
    if report.wasFoundOut {
      Messages.notice("the connection broke during COMMIT; the server says that all is in")
    }
    guard request.isDryRun else {
      Messages.notice("imported \(name)")
      return
    }
    Messages.notice("a dry run: nothing was changed")
    guard let obstacle = report.obstacle else { return }
    Messages.warning("as it is it would be refused: \(obstacle.message)")
    for detail in obstacle.details { Messages.notice(detail) }
  }
}
