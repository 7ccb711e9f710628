import DirectoryExchange
import DirectoryModel
import DirectoryStore

extension StaffbookService {
  /// Takes files into the database: all of them in one transaction, or nothing.
  ///
  /// It reads them, waits until nobody else imports or edits, checks them, compares them with the
  /// database, tells what it is about to do, and does it.
  ///
  /// - Parameters:
  ///   - request: What to import, and how.
  ///   - observer: Told meanwhile how far it is and what it will do.
  /// - Returns: What was added, changed, moved and removed.
  /// - Throws: `.badData` with the problems by file and line, `.refusedForNow` when too much would
  ///   be removed; nothing is changed then.
  package func importFiles(
    _ request: ImportRequest,
    observer: ImportObserver = ImportObserver()
  ) async throws(DirectoryError) -> ImportReport {
    try requireWritable("import")
    let separator = try request.separator.map { (name) throws(DirectoryError) in
      try FieldSeparator(name)
    }
    let inputs = try InputSet(
      request.paths,
      encoding: request.encoding,
      separator: separator
    ) { file, format in
      notice("\(file.name): \(format.name)")
    }
    let importer = try await DirectoryImporter.begin(
      conninfo: try await conninfo(),
      files: inputs.members.map(\.file.name),
      replace: request.replace,
      planAlone: request.isDryRun
    )
    do {
      let problems = try await stage(inputs, request, importer, observer)
      return try await carryOut(request, importer, observer, problems)
    } catch {
      await importer.rollback()
      throw DirectoryError(describing: error)
    }
  }

  /// Plans, shows, brakes, applies.
  private func carryOut(
    _ request: ImportRequest,
    _ importer: DirectoryImporter,
    _ observer: ImportObserver,
    _ problems: ProblemList
  ) async throws -> ImportReport {
    observer.progress(.working(.planning))
    var report = ImportReport(
      summary: try await importer.plan(listed: request.isListed),
      warnings: problems.warnings,
      warningCount: problems.warningTotal
    )
    let obstacle =
      request.acceptDeletions
      ? nil : try await ImportBrake.obstacle(to: report.summary, of: importer)
    try observer.plan([.summary(report.summary, isDryRun: request.isDryRun)])
    while request.isListed {
      let changes = try await importer.nextChanges()
      if changes.isEmpty { break }
      try observer.plan(changes.map { .change($0) })
    }
    if request.isDryRun {
      await importer.rollback()
      report.obstacle = obstacle
      return report
    }
    if let obstacle { throw obstacle }
    try await importer.apply(acceptingDeletions: request.acceptDeletions) {
      observer.progress(.working($0))
    }
    report.wasFoundOut = try await importer.commit() == .foundOut
    return report
  }

  /// Reads and checks; what is wrong is thrown, what is odd is returned.
  private func stage(
    _ inputs: InputSet,
    _ request: ImportRequest,
    _ importer: DirectoryImporter,
    _ observer: ImportObserver
  ) async throws -> ProblemList {
    let staged = try await StagedInputs(
      inputs: inputs,
      options: ListOptions(home: request.home.map { DepartmentID($0) }),
      importer: importer,
      observer: observer
    ).stage()
    try await importer.lockOthersOut {
      notice("somebody else is importing or editing; waiting until they are done")
    }
    observer.progress(.working(.checking))
    for (file, columns) in staged.absent.enumerated() {
      try await importer.keepStored(columns, of: file)
    }
    let findings = try await importer.check(
      limit: StagedInputs.namedProblems,
      unreadable: staged.unreadable
    )
    try refuse(staged.problems, findings, inputs.members.map(\.file.name))
    return staged.problems
  }

  /// Throws when reader or check found anything, with all of it in the order of files and lines.
  private func refuse(
    _ problems: ProblemList,
    _ findings: ImportFindings,
    _ order: [String]
  ) throws(DirectoryError) {
    let total = problems.total + findings.total
    guard total > 0 else { return }
    let all = (problems.problems + findings.problems).sorted { left, right in
      let leftFile = order.firstIndex(of: left.file) ?? order.count
      let rightFile = order.firstIndex(of: right.file) ?? order.count
      return (leftFile, left.line ?? 0) < (rightFile, right.line ?? 0)
    }
    throw DirectoryError(
      problems.kind,
      total == 1
        ? "cannot import: there is a problem with the files"
        : "cannot import: there are \(total) problems with the files",
      advice: "nothing was changed; mend the files and try again",
      problems: Array(all.prefix(StagedInputs.namedProblems)),
      problemCount: total
    )
  }
}
