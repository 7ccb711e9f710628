import ArgumentParser
import DirectoryModel
import DirectoryWriting
import LiveDirectory
import SiteSettings

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import departments and people from files.",
    discussion: """
      A folder contains departments.csv (id, parent_id, name, description, sort_order), users.csv \
      (id, department_id, name, title, \(Field.contacts.map(\.name).joined(separator: ", ")), sort_order) and, for people in several \
      departments, memberships.csv (user_id, department_id, title, sort_order). A file is one of \
      these, or a list of departments and people: CSV or JSON as export writes it, LDIF of an \
      LDAP server, or vCards. The format is detected. Files may be compressed with gzip.

      Everything is imported in one transaction, or nothing is. Exit status 65 means that the \
      files contain errors; every problem is reported with file, line and id.

      The files are first compared with the database: + is added, ~ changed, > moved, - removed. \
      --dry-run lists every change and stops there, with the exit status that the import would \
      have. Exit status 75 means that too much would be removed or changed at once.

      EXAMPLES
        staffbook import ./company --dry-run
        staffbook import ./company --replace
        staffbook import people.ldif
        staffbook import friends.vcf --into guests
        staffbook import staff.csv --separator ';' --encoding windows-1252
        curl https://intranet.example/staff.jsonl.gz | staffbook import -
        staffbook import --job personnel
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(
    name: [.customShort("n"), .long],
    help: "List every change that would be made, and make none."
  )
  var dryRun = false

  @Flag(help: "Remove everything that is not in the files, instead of only adding and changing.")
  var replace = false

  @Flag(help: "Remove even a large part of the directory, for all of its readers.")
  var acceptDeletions = false

  @Option(
    help: ArgumentHelp(
      "Change this field for any number of people, such as title. (repeatable)",
      valueName: "field"
    )
  )
  var acceptChanges: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take answers about who is who from this YAML file, which gets the questions first.",
      valueName: "file"
    ),
    completion: .file(extensions: ["yaml", "yml"])
  )
  var decide: String?

  @Flag(name: .shortAndLong, help: "List every change and every warning.")
  var verbose = false

  @Flag(help: "Print JSON Lines: the counts, and one object per change that is listed.")
  var json = false

  @Flag(help: "Do not update the local snapshot.")
  var noSync = false

  @OptionGroup var history: ReasonOptions

  @Option(
    help: ArgumentHelp(
      "Character encoding, such as windows-1252, GB18030 or UTF-16. (default: detected)",
      valueName: "name"
    )
  )
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      "Field separator of CSV, such as ';' or tab. (default: detected)",
      valueName: "sign"
    )
  )
  var separator: String?

  @Option(help: ArgumentHelp("Sheet of a workbook. (default: the only one)", valueName: "name"))
  var sheet: String?

  @Option(
    help: ArgumentHelp(
      "Read a list of people, one per row: a value's template, such as 'name={First} {Last}'.",
      valueName: "key=template"
    )
  )
  var map: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read a list of people, one per row, with the columns mapped by this YAML file.",
      valueName: "file"
    ),
    completion: .file(extensions: ["yaml", "yml"])
  )
  var mapping: String?

  @Flag(help: "Print a mapping file guessed from the headings and values of a list.")
  var suggest = false

  @Option(
    help: ArgumentHelp(
      "Department for people who have none in a file, by its id.",
      valueName: "id"
    )
  )
  var into: String?

  @Option(help: ArgumentHelp("Run this import job of the configuration.", valueName: "name"))
  var job: String?

  @Option(
    help: ArgumentHelp(
      "Apply exactly the plan that --dry-run --json printed, or nothing.",
      valueName: "file"
    ),
    completion: .file()
  )
  var plan: String?

  @Argument(help: "Files and folders; - is standard input.", completion: .file())
  var paths: [String] = []

  func validate() throws {
    guard paths.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input can be read only once")
    }
    guard !suggest || paths.count == 1 else {
      throw ValidationError("--suggest takes one file")
    }
    guard paths.isEmpty == (job != nil) else {
      throw ValidationError(
        paths.isEmpty ? "name files, or a job with --job" : "--job cannot be used with files"
      )
    }
    guard job == nil || map.isEmpty && mapping == nil && into == nil && !replace else {
      throw ValidationError("--job cannot be used with --map, --mapping, --into or --replace")
    }
  }

  func run() async throws {
    if let job { return try await run(job: job) }
    var request = ImportRequest(paths: paths)
    request.encoding = encoding
    request.separator = separator
    request.sheet = sheet
    if suggest { return try printSuggestion(for: request) }
    request.mappingFile = mapping
    request.mappings = map
    request.home = into
    request.replace = replace
    try take(&request)
    request.isListed = verbose || dryRun || plan != nil
    request.isShownFirst = request.isListed
    request.keepsWarnings = verbose || json
    let run = ImportRun(
      administrator: try source.administrator(),
      name: paths.joined(separator: ", "),
      tellsAllWarnings: verbose
    )
    try await run.run(request, as: json ? .json : .text, sync: !noSync)
  }
}

extension ImportCommand {
  /// Options that hold for files and for jobs.
  private func take(_ request: inout ImportRequest) throws {
    request.chooseEncoding = EncodingQuestions.asker
    request.acceptDeletions = acceptDeletions
    request.acceptedChanges = acceptChanges
    request.decisionFile = decide ?? request.decisionFile
    request.plan = try plan.map { try ReviewedPlan($0) }
    request.reason = history.reason
    request.isDryRun = dryRun
  }

  private func printSuggestion(for request: ImportRequest) throws {
    let suggestion = try DirectoryImport(source.administrator()).suggestMapping(for: request)
    var screen = Screen()
    screen.buffer += Array(SuggestionPrinter.text(suggestion).utf8)
    try screen.finish()
  }
}

extension ImportCommand {
  private func run(job name: String) async throws {
    var administrator = try source.administrator()
    let job = try DirectoryImport(administrator).job(name)
    if let actor = job.actor {
      let session = administrator.session
      var caller = session.caller
      caller.actor = actor
      administrator = try Administrator(
        Session(session.hub, caller, tell: { Messages.notice($0.words) }),
        to: "import"
      )
    }
    if let command = job.command { try JobOutput.takeAsInput(command) }
    var request = try ImportRequest(job)
    try take(&request)
    request.isListed = verbose || dryRun || job.report != nil || plan != nil
    // What a report gets keeps nobody waiting.
    request.isShownFirst = request.isListed && (job.report == nil || json)
    request.keepsWarnings = verbose || json || job.report != nil
    let report = try job.report.map { try JobReport($0) }
    let run = ImportRun(
      administrator: administrator,
      name: "job \(name)",
      report: report,
      tellsAllWarnings: verbose
    )
    do {
      try await run.run(request, as: json ? .json : .text, sync: !noSync)
      try report?.finish()
    } catch {
      let failure = DirectoryError(describing: error)
      try report?.finish([failure.message] + failure.details + failure.problems.map(\.words))
      throw error
    }
  }
}

/// An import and the sync that follows it.
struct ImportRun {
  let administrator: Administrator
  /// What is imported, for people.
  let name: String
  /// Where a job wants to have the changes.
  var report: JobReport?
  /// Whether every warning is told, and not only the first of each kind.
  var tellsAllWarnings = false

  func run(
    _ request: ImportRequest,
    as form: LineFormat = .text,
    sync: Bool
  ) async throws {
    let line = ProgressLine()
    defer { line.finish() }
    let printer = ImportPlanPrinter(form, isListed: request.isListed && report == nil)
    let interrupts = ImportInterrupts { line.clear() }
    var observer = ImportObserver()
    observer.progress = { line.show($0) }
    observer.plan = { (lines) throws(DirectoryError) in
      line.clear()
      if lines.isEmpty { return }
      if let report {
        try report.add(lines)
        let told = lines.filter { if case .change = $0 { false } else { true } }
        if form == .text { return try printer.print(told, orSay: "nothing was imported") }
      }
      if request.isShownFirst { return try printer.keep(lines) }
      try printer.print(lines, orSay: "nothing was imported")
    }
    observer.show = { () throws(DirectoryError) in
      line.clear()
      try printer.show(orSay: "nothing was imported")
    }
    observer.decide = { (doubts) throws(DirectoryError) in
      line.clear()
      if let plan = request.plan { return plan.decide(doubts) }
      return try MatchQuestions.ask(doubts)
    }
    if Confirmation.isPossible, request.plan == nil {
      observer.confirmChanges = { (refusal) throws(DirectoryError) in
        line.clear()
        Messages.notice(refusal.message)
        for detail in refusal.details { Messages.notice(detail) }
        return Confirmation.answer(to: "import it all the same?")
      }
    }
    observer.committing = { interrupts.enter(.committing) }
    let outcome: ImportReport
    do {
      outcome = try await DirectoryImport(administrator).importFiles(request, observer: observer)
    } catch {
      interrupts.stop()
      throw error
    }
    line.finish()
    try report?.warn(outcome.allWarnings)
    guard !request.isDryRun else { return try finish(dryRun: outcome, printer) }
    interrupts.enter(.applied)
    tell(outcome)
    try self.report?.add([.applied(outcome.summary)])
    // The snapshot is to be brought up to date whether the user reads what was done or not.
    let failure: DirectoryError?
    do throws(DirectoryError) {
      try printer.printWarnings(
        outcome.allWarnings,
        orSay: "the import itself was carried out"
      )
      try printer.printApplied(outcome.summary, orSay: "the import itself was carried out")
      failure = nil
    } catch {
      failure = error
    }
    if sync { try await self.sync(request) }
    interrupts.stop()
    if let failure { throw failure }
  }

  private func sync(_ request: ImportRequest) async throws {
    let progress = ProgressLine()
    defer { progress.finish() }
    var options = SyncOptions()
    options.acceptDeletions = request.acceptDeletions
    _ = try await SnapshotSync(administrator).sync(options) { progress.show($0) }
  }

  /// Ends a dry run as the import would end.
  private func finish(dryRun report: ImportReport, _ printer: ImportPlanPrinter) throws {
    try printer.show(orSay: "nothing was imported")
    try printer.printWarnings(report.allWarnings, orSay: "nothing was imported")
    if !printer.hasLostReader {
      tellWarnings(report)
      Messages.notice("this was a dry run: nothing was changed")
    }
    if let refusal = report.refusal { throw refusal }
  }

  private func tell(_ report: ImportReport) {
    tellWarnings(report)
    if report.wasFoundOut {
      Messages.notice("the connection was lost during COMMIT, but the import has succeeded")
    }
    Messages.notice("imported \(name): \(report.summary.appliedText)")
  }

  private func tellWarnings(_ report: ImportReport) {
    if tellsAllWarnings {
      for warning in report.allWarnings { Messages.warning(warning.words) }
      return
    }
    for warning in report.warnings { Messages.warning(warning.words) }
    if let further = report.furtherWarnings {
      Messages.warning("\(further); list all with --verbose")
    }
  }
}
