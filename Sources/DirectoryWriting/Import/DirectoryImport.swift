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
  /// the database, tells what it is about to do, and does it. Nobody waits for it while a person reads or
  /// answers: where the plan is shown first (`ImportRequest.isShownFirst`), it is made in a transaction of
  /// its own, and then carried out as it was shown, or not at all; questions are asked between
  /// transactions.
  ///
  /// - Parameters:
  ///   - request: What to import, and how.
  ///   - observer: Told meanwhile how far it is and what it will do.
  /// - Returns: What was added, changed, moved and removed.
  /// - Throws: `.badData` with the problems by file and line, `.refusedForNow` when too much would
  ///   be removed or changed, or when the directory changed since the plan was shown; nothing is changed
  ///   then.
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
    var state = Progress()
    state.accepted = Set(request.acceptedChanges + (mapping?.changes ?? []))
    if request.isShownFirst, !request.isDryRun {
      _ = try await settle(list, request, isPlan: true, &state, observer)
      try observer.show()
      if let refused = state.refused { try accept(refused, &state, observer) }
    }
    return try await settle(list, request, isPlan: request.isDryRun, &state, observer)
  }

  /// What is imported.
  private struct List {
    var inputs: InputSet
    var mapping: PersonnelMapping?
    var source: ListSource?
    var digest: String
  }

  /// What earlier attempts have left.
  private struct Progress {
    var decisions: [MatchDecision] = []
    /// Names of values that may change for any number of people.
    var accepted: Set<String> = []
    /// The plan as it was told.
    var told: PlanDigest?
    /// What keeps a plan that is only shown from being carried out.
    var refused: Refusal?
    let notices = ToldOnce()
  }

  /// Why too much would change.
  private struct Refusal: Error {
    var error: DirectoryError
    /// What would lift it; empty where nothing that is asked would.
    var names: [String] = []
  }

  private enum Attempt {
    case done(ImportReport)
    case doubtful([ListMatch])
    case refused(Refusal)
  }

  /// Tries until there is no question left.
  private func settle(
    _ list: List,
    _ request: ImportRequest,
    isPlan: Bool,
    _ state: inout Progress,
    _ observer: ImportObserver
  ) async throws(DirectoryError) -> ImportReport {
    while true {
      switch try await attempt(list, request, isPlan: isPlan, &state, observer) {
      case .done(let report): return report
      // No one waits for the transaction while the user decides.
      case .doubtful(let doubts): state.decisions += try decide(doubts, request, observer)
      case .refused(let refusal): try accept(refusal, &state, observer)
      }
    }
  }

  /// Answers to doubts: those that a file has, and those that are asked for, which it gets.
  private func decide(
    _ doubts: [ListMatch],
    _ request: ImportRequest,
    _ observer: ImportObserver
  ) throws(DirectoryError) -> [MatchDecision] {
    guard let path = request.decisionFile else {
      let answers = try observer.decide(doubts)
      if answers.count < doubts.count { throw ImportRequest.interrupted(doubts, answers) }
      return answers
    }
    var file = try DecisionFile(path)
    let (known, open) = file.answers(to: doubts)
    if open.isEmpty { return known }
    let answers: [MatchDecision]
    do throws(DirectoryError) {
      answers = try observer.decide(open)
    } catch {
      try file.write(asking: open, [])
      throw ImportRequest.undecided(open, in: path)
    }
    try file.write(asking: open, answers)
    if answers.count < open.count { throw ImportRequest.interrupted(open, answers) }
    return known + answers
  }

  /// Asks whether so much is to change.
  private func accept(
    _ refusal: Refusal,
    _ state: inout Progress,
    _ observer: ImportObserver
  ) throws(DirectoryError) {
    guard !refusal.names.isEmpty, let confirm = observer.confirmChanges else { throw refusal.error }
    guard try confirm(refusal.error) else {
      throw DirectoryError(.refusedForNow, "nothing was imported")
    }
    state.accepted.formUnion(refusal.names)
    state.refused = nil
  }

  private func attempt(
    _ list: List,
    _ request: ImportRequest,
    isPlan: Bool,
    _ state: inout Progress,
    _ observer: ImportObserver
  ) async throws(DirectoryError) -> Attempt {
    let files = list.inputs.members.map(\.name)
    let importer = try await DirectoryImporter(
      conninfo: try await site.conninfo(),
      files: files,
      replace: request.replace,
      source: list.source,
      planAlone: isPlan,
      authorship: session.caller.authorship(
        reason: list.source.map { source in
          "import \(source.name): \(files.joined(separator: ", "))"
            + (request.reason.map { ": \($0)" } ?? "")
        } ?? request.reason
      ),
      access: site.access
    )
    do {
      if isPlan, !request.isDryRun, let refusal = importer.refusal { throw refusal }
      let (problems, notes) = try await stage(list, request, state, importer, observer)
      return .done(
        try await carryOut(list, request, isPlan, importer, observer, problems, notes, &state)
      )
    } catch let doubts as ImportDoubts {
      await importer.rollback()
      return .doubtful(doubts.matches)
    } catch let refusal as Refusal {
      await importer.rollback()
      return .refused(refusal)
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

  /// Plans, tells, brakes, applies.
  private func carryOut(
    _ list: List,
    _ request: ImportRequest,
    _ isPlan: Bool,
    _ importer: DirectoryImporter,
    _ observer: ImportObserver,
    _ problems: ProblemList,
    _ notes: MatchNotes,
    _ state: inout Progress
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
      problems: problems
    )
    let figures = try await importer.figures(naming: DeletionGuard.namedCount)
    var refusal = importer.refusal.map { Refusal(error: $0) }
    if refusal == nil, !request.acceptDeletions {
      refusal = try await self.refusal(of: report.summary, importer).map { Refusal(error: $0) }
      if let source = list.source, let figures, let error = Self.refusal(source, figures) {
        refusal = Refusal(error: error)
      }
    }
    if refusal == nil, request.isBraked {
      refusal = try await self.refusal(list, report.summary, notes, state.accepted, importer)
    }
    // What has been shown is compared, and not shown again.
    let shown = state.told
    var digest = PlanDigest()
    func tell(_ lines: [ImportPlanLine]) throws(DirectoryError) {
      try request.plan?.require(lines)
      digest.add(lines)
      if shown == nil { try observer.plan(lines) }
    }
    try tell([.summary(report.summary, isDryRun: request.isDryRun)])
    if let figures {
      try await self.tell(figures, list, request, importer, state.notices, tell)
    }
    while request.isListed {
      let changes = try await importer.nextChanges()
      if changes.isEmpty { break }
      try tell(changes.map { .change($0) })
    }
    try tell([])
    if let shown, shown != digest { throw Self.hasChanged }
    state.told = digest
    if isPlan {
      await importer.rollback()
      state.refused = refusal
      report.refusal = refusal?.error
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

  private static var hasChanged: DirectoryError {
    DirectoryError(
      .refusedForNow,
      "cannot import: the files or the directory have changed since the plan was shown",
      advice: "nothing was changed; import the files again"
    )
  }

  /// Why so much changes that it is likely a mistake, or `nil`.
  private func refusal(
    _ list: List,
    _ totals: ChangeTotals,
    _ notes: MatchNotes,
    _ accepted: Set<String>,
    _ importer: DirectoryImporter
  ) async throws(DirectoryError) -> Refusal? {
    let brake = ChangeBrake(
      try await importer.valueChanges(),
      guessed: notes.guessed,
      people: totals.users.after,
      accepting: accepted
    )
    guard let brake else { return nil }
    let values = brake.changes.map(\.value)
    let people =
      values.isEmpty
      ? [] : try await importer.people(withChanged: values, atMost: ChangeBrake.sampleSize)
    return Refusal(
      error: brake.refusal(people) { list.mapping?.headings(of: $0) ?? [] },
      names: brake.names
    )
  }

  /// Tells what the people of a list were found to be, and what was edited here: all of it where
  /// changes are listed, otherwise the first of it.
  private func tell(
    _ figures: ListStatistics,
    _ list: List,
    _ request: ImportRequest,
    _ importer: DirectoryImporter,
    _ notices: ToldOnce,
    _ tell: ([ImportPlanLine]) throws(DirectoryError) -> Void
  ) async throws {
    let most = DeletionGuard.namedCount
    if figures.zeros > 0, let mapping = list.mapping,
      list.source?.values.contains("employee_number") == false
    {
      let number = mapping.template(of: "id") ?? "{Number}"
      notice(
        "\(counted(figures.zeros, "person keeps an id", "people keep ids")) with leading zeros, which the "
          + "list has lost; to have the numbers as the list writes them, map them as a field, too, such as "
          + "employee_number: \"\(number)\"",
        notices
      )
    }
    if figures.adopted > 0 {
      notice(
        "\(counted(figures.adopted, "person", "people")) already recorded "
          + (figures.adopted == 1 ? "belongs" : "belong") + " to the list from now on",
        notices
      )
    }
    for (owner, number) in figures.shared {
      let people = counted(number, "recorded person", "recorded people")
      if owner.isEmpty {
        notice(
          "the list has no departments, so it neither renames nor removes \(people)",
          notices
        )
      } else {
        let advice: Advice = """
          the list \(owner) already owns \(people), so this one neither removes them nor changes \
          values that \(owner) names; if both are one list, see: \(.nameLists)
          """
        if notices.isNew(advice) { site.tell(advice) }
      }
    }
    var last: ListMatch?
    repeat {
      let all = try await importer.matches(after: last, withAdopted: request.isListed)
      let matches = request.isListed ? all : Array(all.prefix(most))
      if !matches.isEmpty { try tell(matches.map { .match($0) }) }
      last = request.isListed ? matches.last : nil
    } while last != nil
    var edit: ListConflict?
    repeat {
      let all = try await importer.edits(after: edit)
      let edits = request.isListed ? all : Array(all.prefix(most))
      if !edits.isEmpty { try tell(edits.map { .edit($0) }) }
      edit = request.isListed ? edits.last : nil
    } while edit != nil
    let more = max(0, figures.matched - most) + max(0, figures.edits - most)
    let further: Advice = "and \("\(more)") more; list all with \(.listEverything)"
    if !request.isListed, more > 0, notices.isNew(further) { site.tell(further) }
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
    _ state: Progress,
    _ importer: DirectoryImporter,
    _ observer: ImportObserver
  ) async throws -> (ProblemList, MatchNotes) {
    let inputs = list.inputs
    try list.mapping?.requireFields(importer.fields)
    try requireChangeable(request.acceptedChanges, importer.fields)
    if let earlier = try await importer.earlier(list.digest) {
      notice("these files were already imported: \(earlier)", state.notices)
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
      keepsWarnings: request.keepsWarnings,
      importer: importer,
      observer: observer
    ).stage()
    try await importer.lockOutWriters()
    if request.replace, list.source == nil, let home { try await importer.keep(home) }
    observer.progress(.working(.checking))
    // What cannot be read is said before anybody is asked.
    var notes = MatchNotes()
    if staged.problems.total == 0 {
      notes = try await importer.match(state.decisions)
      tell(notes, state.notices)
    }
    for (columns, files) in staged.absent { try await importer.keepStored(columns, of: files) }
    let findings = try await importer.check(
      limit: InputStager.namedProblems,
      unreadable: staged.unreadable
    )
    try refuse(staged.problems, findings, inputs.members.map(\.name), importer.refusal)
    if let home { try await importer.requireDepartment(home) }
    for (absence, files) in staged.absentFields {
      try await importer.keepStored(absence, of: files)
    }
    return (staged.problems, notes)
  }

  /// Says something once, however often it is tried.
  private func notice(_ text: String, _ notices: ToldOnce) {
    if notices.isNew(Advice(text)) { site.notice(text) }
  }

  private func requireChangeable(
    _ names: [String],
    _ fields: [Field]
  ) throws(DirectoryError) {
    let known = PersonnelMapping.changeableValues(fields)
    for name in names where !known.contains(name) {
      let nearest = EditDistance.nearest(to: name, among: known).map { "; did you mean \"\($0)\"?" }
      throw DirectoryError(
        .usage,
        "cannot import: there is no field \"\(name)\" whose changes could be accepted"
          + (nearest ?? ""),
        advice: Advice("the fields are " + known.joined(separator: ", "))
      )
    }
  }

  private func tell(_ left: MatchNotes, _ notices: ToldOnce) {
    if left.homeless.count > 0 {
      let more = left.homeless.count - left.homeless.first.count
      notice(
        "left out \(counted(left.homeless.count, "new person", "new people")) whom the list puts in "
          + "no department: " + left.homeless.first.joined(separator: ", ")
          + (more > 0 ? " and \(more) more" : ""),
        notices
      )
    }
    if left.dismissed.count > 0 {
      let names = left.dismissed.first.map { "\($0.recordedName) (\($0.recordedID))" }
      let more = left.dismissed.count - names.count
      notice(
        "left out \(counted(left.dismissed.count, "person", "people")) who "
          + "\(left.dismissed.count == 1 ? "was" : "were") removed here: "
          + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""),
        notices
      )
    }
    if left.references.count > 0 {
      let more = left.references.count - left.references.first.count
      notice(
        "left out \(counted(left.references.count, "reference", "references")) to people who have left: "
          + left.references.first.joined(separator: ", ")
          + (more > 0 ? " and \(more) more" : ""),
        notices
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
