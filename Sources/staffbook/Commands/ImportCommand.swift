import ArgumentParser
import DirectoryModel
import DirectoryService

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take departments and people from files into the database.",
    discussion: """
      A folder holds departments.csv (id, parent_id, name, description, sort_order), users.csv \
      (id, department_id, name, title, email, phone, sort_order) and, for people in several \
      departments, memberships.csv (user_id, department_id, title, sort_order). A file is one of \
      these, or a list of departments and people: CSV or JSON as export writes it, LDIF of a \
      directory server, or vCards. What it holds is told by how it begins; it may be packed by gzip.

      All of it is taken in one transaction, or nothing. Exit status 65 means that the files are \
      wrong; every problem is told with file, line and id.

      First the files are compared with the database: + added, ~ changed, > moved, - removed. \
      --dry-run tells so by name and stops there. Exit status 75 means that too much would be \
      removed.

      EXAMPLES
        staffbook import ./company --dry-run
        staffbook import ./company --replace
        staffbook import people.ldif
        staffbook import friends.vcf --into guests
        staffbook import staff.csv --separator ';' --encoding windows-1252
        curl https://intranet.example/staff.jsonl.gz | staffbook import -
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

  @Option(
    help: ArgumentHelp(
      "What the files are written in, if not UTF-8: windows-1252, GB18030, UTF-16 …",
      valueName: "name"
    )
  )
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      "What parts the fields of CSV, if not commas: ';', tab …",
      valueName: "sign"
    )
  )
  var separator: String?

  @Option(
    help: ArgumentHelp(
      "The department of people whom a file puts in none, by its id.",
      valueName: "id"
    )
  )
  var into: String?

  @Argument(help: "Files and folders; - is standard input.", completion: .file())
  var paths: [String]

  func validate() throws {
    guard paths.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input can be read once")
    }
  }

  func run() async throws {
    var request = ImportRequest(paths: paths)
    request.encoding = encoding
    request.separator = separator
    request.home = into
    request.replace = replace
    request.acceptDeletions = acceptDeletions
    request.isDryRun = dryRun
    request.isListed = verbose || dryRun
    let run = ImportRun(service: try source.service(), name: paths.joined(separator: ", "))
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
