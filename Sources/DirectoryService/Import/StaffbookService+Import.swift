import DirectoryExchange
import DirectoryModel
import DirectoryStore
import SystemPackage

extension StaffbookService {
  /// The most problems that are named; their number is told in any case.
  private static let namedProblems = 20

  /// Takes a folder of CSV files into the database: all of it in one transaction, or nothing.
  ///
  /// - Parameters:
  ///   - folder: Holds departments.csv, users.csv and, where there is one, memberships.csv.
  ///   - replace: Whether what is not in the files goes.
  ///   - acceptDeletions: Whether everything, or more than 50 and a fifth of all, may go.
  ///   - progress: Told how far it has come; called from other threads.
  /// - Returns: What was added, changed and removed.
  /// - Throws: `.badData` with the problems by file and line; nothing is changed then.
  package func importFiles(
    from folder: String,
    replace: Bool,
    acceptDeletions: Bool = false,
    progress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws(DirectoryError) -> ImportReport {
    try requireWritable("import")
    let files = try DirectoryFileSet(folder: FilePath(folder))
    let names =
      [files.departments.name, files.users.name] + (files.memberships.map { [$0.name] } ?? [])
    let importer = try await DirectoryImporter.begin(
      conninfo: try await conninfo(),
      files: names,
      replace: replace
    )
    do {
      let report = try await stageAndApply(files, importer, progress)
      if !acceptDeletions { try refuseManyDeletions(report.summary) }
      try await importer.commit()
      return report
    } catch {
      await importer.rollback()
      throw DirectoryError(describing: error)
    }
  }

  private func stageAndApply(
    _ files: DirectoryFileSet,
    _ importer: DirectoryImporter,
    _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws -> ImportReport {
    var problems = ProblemList(limit: Self.namedProblems)
    var unreadable: UnreadableFiles = []
    var absent: [ImportColumn] = []
    let departments = try await StagedFile.departments(files.departments, index: 0)
      .stage(to: importer, limit: Self.namedProblems) {
        progress(.reading(file: files.departments.name, rows: $0))
      }
    problems.add(contentsOf: departments.problems)
    absent += departments.absent
    if !departments.isComplete { unreadable.insert(.departments) }
    let users = try await StagedFile.users(files.users, index: 1)
      .stage(to: importer, limit: Self.namedProblems) {
        progress(.reading(file: files.users.name, rows: $0))
      }
    problems.add(contentsOf: users.problems)
    absent += users.absent
    if !users.isComplete { unreadable.insert(.users) }
    if let file = files.memberships {
      let memberships = try await StagedFile.memberships(file, index: 2)
        .stage(to: importer, limit: Self.namedProblems) {
          progress(.reading(file: file.name, rows: $0))
        }
      problems.add(contentsOf: memberships.problems)
      absent += memberships.absent
    }
    progress(.working(.checking))
    try await importer.keepStored(absent)
    let findings = try await importer.check(limit: Self.namedProblems, unreadable: unreadable)
    try refuse(problems, findings, files)
    let summary = try await importer.apply { progress(.working($0)) }
    return ImportReport(
      summary: summary,
      warnings: problems.warnings,
      warningCount: problems.warningTotal
    )
  }

  /// The brake: files that lack much of what is there are more likely a failed export than a
  /// company in dissolution.
  private func refuseManyDeletions(_ summary: ImportSummary) throws(DirectoryError) {
    if summary.departments.removed > 0, summary.departments.remaining == 0 {
      throw DirectoryError(
        .refusedForNow,
        "cannot import: the files are empty, and all of \(summary.departments.removed) departments "
          + "and \(summary.users.removed) people would be removed",
        advice: Self.deletionAdvice
      )
    }
    for (name, counts) in [("people", summary.users), ("departments", summary.departments)] {
      let before = counts.removed + counts.changed + counts.unchanged
      if counts.removed > 50, counts.removed > before / 5 {
        throw DirectoryError(
          .refusedForNow,
          "cannot import: \(counts.removed) of \(before) \(name) would be removed",
          advice: Self.deletionAdvice
        )
      }
    }
  }

  private static let deletionAdvice =
    "nothing was changed; if they are really gone, add --accept-deletions"

  /// Throws when reader or check found anything, with all of it in the order of files and lines.
  private func refuse(
    _ problems: ProblemList,
    _ findings: ImportFindings,
    _ files: DirectoryFileSet
  ) throws(DirectoryError) {
    let total = problems.total + findings.total
    guard total > 0 else { return }
    let order = [files.departments.name, files.users.name, files.memberships?.name ?? ""]
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
      problems: Array(all.prefix(Self.namedProblems)),
      problemCount: total
    )
  }
}

extension ImportCounts {
  /// Rows that are there afterwards and stand in the files.
  fileprivate var remaining: Int { added + changed + unchanged }
}
