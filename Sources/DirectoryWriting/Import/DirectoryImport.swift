import DirectoryExchange
import DirectoryModel
import DirectoryStore
import LiveDirectory
import Platform
import SiteSettings

/// Brings files into the database.
package struct DirectoryImport: Sendable {
  private let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  var site: Site { session.site }

  /// Takes files into the database: all of them in one transaction, or nothing.
  ///
  /// It reads them, waits until no other session imports or edits, checks them, compares them with
  /// the database, tells what it is about to do, and does it.
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
    try site.requireWritable("import")
    let mapping = try mapping(of: request)
    let inputs = try inputs(of: request, mapping)
    let source = mapping?.source(
      named: request.source,
      home: (request.home ?? mapping?.home).map { DepartmentID($0) }
    )
    let list = List(
      inputs: inputs,
      mapping: mapping,
      source: source,
      digest: source == nil ? "" : try inputs.digest(with: mappingText(of: request))
    )
    var decisions: [MatchDecision] = []
    while true {
      switch try await attempt(list, request, decisions, observer) {
      case .done(let report): return report
      // No one waits for the transaction while the user decides.
      case .doubtful(let doubts): decisions += try observer.decide(doubts)
      }
    }
  }

  /// What is imported.
  private struct List {
    var inputs: InputSet
    var mapping: PersonnelMapping?
    var source: ListSource?
    var digest: String
  }

  private enum Attempt {
    case done(ImportReport)
    case doubtful([ListMatch])
  }

  private func attempt(
    _ list: List,
    _ request: ImportRequest,
    _ decisions: [MatchDecision],
    _ observer: ImportObserver
  ) async throws(DirectoryError) -> Attempt {
    let files = list.inputs.members.map(\.name)
    let importer = try await DirectoryImporter(
      conninfo: try await site.conninfo(),
      files: files,
      replace: request.replace,
      source: list.source,
      planAlone: request.isDryRun,
      authorship: session.caller.authorship(
        reason: list.source.map { source in
          "import \(source.name): \(files.joined(separator: ", "))"
            + (request.reason.map { ": \($0)" } ?? "")
        } ?? request.reason
      ),
      access: site.access
    )
    do {
      let problems = try await stage(list, request, decisions, importer, observer)
      return .done(try await carryOut(list, request, importer, observer, problems))
    } catch let doubts as ImportDoubts {
      await importer.rollback()
      return .doubtful(doubts.matches)
    } catch {
      await importer.rollback()
      throw DirectoryError(describing: error)
    }
  }

  private func inputs(
    of request: ImportRequest,
    _ mapping: PersonnelMapping?
  ) throws(DirectoryError) -> InputSet {
    if let inputs = request.inputs { return inputs }
    return try InputSet(request.paths, request.form(mapping), told: { site.notice($0) })
  }

  private func mapping(of request: ImportRequest) throws(DirectoryError) -> PersonnelMapping? {
    guard request.mappingFile != nil || !request.mappings.isEmpty else { return nil }
    return try PersonnelMapping(try entries(of: request))
  }

  private func entries(
    of request: ImportRequest
  ) throws(DirectoryError) -> [PersonnelMapping.Entry] {
    var entries = try request.mappingFile.map(MappingFile.entries) ?? []
    for text in request.mappings { entries.append(try MappingFile.entry(text)) }
    return entries
  }

  private func mappingText(of request: ImportRequest) throws(DirectoryError) -> String {
    try entries(of: request).map { "\($0.key)=\($0.value)\u{0}" }.joined()
  }

  /// Plans, shows, brakes, applies.
  private func carryOut(
    _ list: List,
    _ request: ImportRequest,
    _ importer: DirectoryImporter,
    _ observer: ImportObserver,
    _ problems: ProblemList
  ) async throws -> ImportReport {
    observer.progress(.working(.planning))
    let summary = try await importer.plan(listed: request.isListed)
    let problems = try await LeftOutReferences(
      files: list.inputs.members.map(\.name),
      mapping: list.mapping,
      countsFilesAlone: request.replace && list.source == nil
    ).told(behind: problems, importer)
    var report = ImportReport(
      summary: summary,
      warnings: problems.warnings,
      furtherWarningCount: problems.furtherWarningCount
    )
    let figures = try await importer.figures(naming: DeletionGuard.namedCount)
    var refusal = importer.refusal
    if refusal == nil, !request.acceptDeletions {
      refusal = try await self.refusal(of: report.summary, importer)
      if let source = list.source, let figures {
        refusal = Self.refusal(source, figures) ?? refusal
      }
    }
    try observer.plan([.summary(report.summary, isDryRun: request.isDryRun)])
    if let figures { try await tell(figures, request, importer, observer) }
    while request.isListed {
      let changes = try await importer.nextChanges()
      if changes.isEmpty { break }
      try observer.plan(changes.map { .change($0) })
    }
    try observer.plan([])
    if request.isDryRun {
      await importer.rollback()
      report.refusal = refusal
      return report
    }
    if let refusal { throw refusal }
    try await importer.apply(
      acceptingDeletions: request.acceptDeletions,
      digest: list.digest
    ) {
      observer.progress(.working($0))
    }
    observer.committing()
    report.wasFoundOut = try await importer.commit() == .foundOut
    return report
  }

  /// Tells what the people of a list were found to be, and what was edited here: all of it where
  /// changes are listed, otherwise the first of it.
  private func tell(
    _ figures: ListStatistics,
    _ request: ImportRequest,
    _ importer: DirectoryImporter,
    _ observer: ImportObserver
  ) async throws {
    let most = DeletionGuard.namedCount
    if figures.adopted > 0 {
      site.notice(
        "\(counted(figures.adopted, "person", "people")) already recorded "
          + (figures.adopted == 1 ? "belongs" : "belong") + " to the list from now on"
      )
    }
    for (owner, number) in figures.shared {
      let people = counted(number, "recorded person", "recorded people")
      if owner.isEmpty {
        site.notice(
          "the list has no departments, so it neither renames nor removes \(people)"
        )
      } else {
        site.tell(
          """
          the list \(owner) already owns \(people), so this one neither removes them nor changes \
          values that \(owner) names; if both are one list, see: \(.nameLists)
          """
        )
      }
    }
    var last: ListMatch?
    repeat {
      let all = try await importer.matches(after: last, withAdopted: request.isListed)
      let matches = request.isListed ? all : Array(all.prefix(most))
      if !matches.isEmpty { try observer.plan(matches.map { .match($0) }) }
      last = request.isListed ? matches.last : nil
    } while last != nil
    var edit: ListConflict?
    repeat {
      let all = try await importer.edits(after: edit)
      let edits = request.isListed ? all : Array(all.prefix(most))
      if !edits.isEmpty { try observer.plan(edits.map { .edit($0) }) }
      edit = request.isListed ? edits.last : nil
    } while edit != nil
    let more = max(0, figures.matched - most) + max(0, figures.edits - most)
    if !request.isListed, more > 0 { site.notice("and \(more) more") }
  }

  /// A list that lost many of its people is more likely a part of one.
  private static func refusal(_ source: ListSource, _ figures: ListStatistics) -> DirectoryError? {
    guard figures.leaving * 100 > figures.owned * source.limit else { return nil }
    let more = figures.leaving - figures.leavers.count
    return DirectoryError(
      .refusedForNow,
      "cannot import: \(figures.leaving) of \(counted(figures.owned, "person", "people")) that "
        + "\(source.name) brought would leave",
      advice:
        "nothing was changed; if this is intended, repeat the command with \(.acceptDeletions)",
      details: figures.leavers.map { "- \($0)" } + (more > 0 ? ["and \(more) more"] : [])
    )
  }

  /// Why a plan is likely a mistake, or `nil`.
  private func refusal(
    of totals: ChangeTotals,
    _ importer: DirectoryImporter
  ) async throws(DirectoryError) -> DirectoryError? {
    for kind in [RecordKind.user, .department] {
      if let pairs = try await importer.idsWithOtherZeros(kind), pairs.areMost {
        return Self.refusal(kind, pairs)
      }
    }
    guard let brake = DeletionGuard(on: .importing, totals) else { return nil }
    let limit = DeletionGuard.namedCount
    var removed = try await importer.removed(.department, atMost: limit)
    removed += try await importer.removed(.user, atMost: limit - removed.count)
    return brake.refusal(naming: removed)
  }

  /// A spreadsheet that opens a list takes ids for numbers, and saves them without their zeros.
  private static func refusal(_ kind: RecordKind, _ pairs: LeadingZeroConflicts) -> DirectoryError {
    let noun = kind == .user ? ("person", "people") : ("department", "departments")
    return DirectoryError(
      .refusedForNow,
      "cannot import: \(pairs.count) of \(counted(pairs.added, "new " + noun.0, "new " + noun.1)) "
        + "in the files have ids that differ from recorded ids only by leading zeros",
      advice: """
        nothing was changed; format the column of ids as text and export the list again, or, if \
        these are different records, repeat the command with \(.acceptDeletions)
        """,
      details: pairs.examples.map {
        "\($0.id) (\($0.name)) in the files, \($0.recorded) (\($0.recordedName)) in the database"
      }
        + (pairs.count > pairs.examples.count
          ? ["and \(pairs.count - pairs.examples.count) more"] : [])
    )
  }

  /// The caller's day.
  var today: String {
    let now = Int64(Platform.time(nil))
    return CivilTime(clock: now + session.caller.zone.offset(at: now)).date
  }

  /// Reads and checks; what is wrong is thrown, what is odd is returned.
  private func stage(
    _ list: List,
    _ request: ImportRequest,
    _ decisions: [MatchDecision],
    _ importer: DirectoryImporter,
    _ observer: ImportObserver
  ) async throws -> ProblemList {
    let inputs = list.inputs
    try list.mapping?.requireFields(importer.fields)
    if let earlier = try await importer.earlier(list.digest) {
      site.notice("these files were already imported: \(earlier)")
    }
    let home = (request.home ?? list.mapping?.home).map { DepartmentID($0) }
    let staysInPlace = list.source?.placesPeople == false
    let staged = try await InputStager(
      inputs: inputs,
      options: ListOptions(
        home: staysInPlace ? ListSource.noDepartment : home,
        fields: importer.fields,
        mapping: list.mapping,
        today: today
      ),
      takesLeavers: list.source != nil,
      importer: importer,
      observer: observer
    ).stage()
    try await importer.lockOutWriters()
    if request.replace, list.source == nil, let home { try await importer.keep(home) }
    observer.progress(.working(.checking))
    // What cannot be read is said before anybody is asked.
    if staged.problems.total == 0 { tell(try await importer.match(decisions)) }
    for (columns, files) in staged.absent { try await importer.keepStored(columns, of: files) }
    let findings = try await importer.check(
      limit: InputStager.namedProblems,
      unreadable: staged.unreadable
    )
    try refuse(staged.problems, findings, inputs.members.map(\.name), importer.refusal)
    for (absence, files) in staged.absentFields {
      try await importer.keepStored(absence, of: files)
    }
    return staged.problems
  }

  private func tell(_ left: (homeless: Int, references: DroppedReferences)) {
    if left.homeless > 0 {
      site.notice(
        "left out \(counted(left.homeless, "new person", "new people")) whom the list puts in no "
          + "department"
      )
    }
    if left.references.count > 0 {
      let more = left.references.count - left.references.first.count
      site.notice(
        "left out \(counted(left.references.count, "reference", "references")) to people who have left: "
          + left.references.first.joined(separator: ", ")
          + (more > 0 ? " and \(more) more" : "")
      )
    }
  }

  /// Throws when reader or check found anything, with all of it in the order of files and lines.
  private func refuse(
    _ problems: ProblemList,
    _ findings: ImportFindings,
    _ order: [String],
    _ refusal: DirectoryError?
  ) throws(DirectoryError) {
    let total = problems.total + findings.total
    guard total > 0 else { return }
    // Of two files of one name the first counts, as it is read first.
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    let all = (problems.problems + findings.problems).sorted { left, right in
      let leftFile = places[left.file] ?? order.count
      let rightFile = places[right.file] ?? order.count
      return (leftFile, left.line ?? 0) < (rightFile, right.line ?? 0)
    }
    // A rehearsal ends as the import would, which is refused before the files are read.
    throw DirectoryError(
      refusal?.kind ?? problems.kind,
      refusal?.message
        ?? (total == 1
          ? "cannot import: there is a problem with the files"
          : "cannot import: there are \(total) problems with the files"),
      advice: refusal?.advice ?? "nothing was changed; correct the files and try again",
      problems: Array(all.prefix(InputStager.namedProblems)),
      problemCount: total
    )
  }
}
