import CopyFormat
import DirectoryModel
import LibPQ

/// People of a list who are probably recorded under other ids.
package struct ImportDoubts: Error {
  package var matches: [ListMatch]
}

/// What matching the people of a list with records came to, besides the plan.
package struct MatchNotes: Sendable {
  /// New people whom the list puts in no department, and who are left out.
  package var homeless = 0
  /// References to people who left.
  package var references = DroppedReferences()
  /// People who were matched though it was doubtful, since the mapping says so.
  package var guessed = GuessedMatches()
  /// People who were removed here, and stay away.
  package var dismissed = GuessedMatches()

  package init(
    homeless: Int = 0,
    references: DroppedReferences = DroppedReferences(),
    guessed: GuessedMatches = GuessedMatches(),
    dismissed: GuessedMatches = GuessedMatches()
  ) {
    self.homeless = homeless
    self.references = references
    self.guessed = guessed
    self.dismissed = dismissed
  }
}

/// One import in one transaction: rows are staged, checked against each other and against what is
/// there, compared, and applied all at once or not at all.
///
///     let importer = try await DirectoryImporter(
///       conninfo: conninfo, files: ["departments.csv", "users.csv"], replace: false)
///     try await importer.stage(batch)                       // any number of times
///     try await importer.lockOutWriters()
///     let findings = try await importer.check(limit: 20)
///     if findings.total == 0 {
///       let summary = try await importer.plan()
///       try await importer.apply()
///       try await importer.commit()
///     }
///
/// Without `replace` it adds and changes; a changed primary department replaces the primary
/// membership, and the other memberships stay. With `replace` what is not in the files goes.
/// Rows that are the same already are not written. An importer that goes out of scope without
/// `commit()` leaves nothing behind.
package actor DirectoryImporter {
  /// What may come next.
  enum State {
    case staging
    /// All is staged, and no other session changes anything.
    case alone
    /// Found sound.
    case checked
    case planned
    case applied
    case ended
  }

  private static let doing = "import the directory"

  let database: Database
  private let conninfo: String
  private let access: DatabaseAccess
  /// The files' names as the person gave them; rows carry the index.
  private let files: [String]
  private let replaces: Bool
  /// The list that the files are, if they are one.
  let source: ListSource?
  /// Whether it ends with the plan.
  private let isPlanAlone: Bool
  /// Why the user of a plan alone could not carry it out.
  package nonisolated let refusal: DirectoryError?
  /// The declared fields.
  package nonisolated let fields: [Field]
  var state = State.staging
  private var hasLeaves = false
  private var hasImplied = false
  private(set) var isEmpty = false
  private var hasReturning = false
  /// Names of declared fields that no file has.
  private var absentFields: [RecordKind: Set<String>] = [:]
  var owned = ImportOwnership.Outcome()
  private(set) var summary = ChangeTotals()
  /// What tells the transaction from others once it has written.
  private var mark: ImportCommit.Mark?
  private var assembler = ImportChangeAssembler()
  private var hasListedAll = false

  /// Begins the transaction.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - files: The files' names, for problems.
  ///   - replace: Whether what is not in the files goes; of a list, only what it brought.
  ///   - source: The list that the files are, if they are one.
  ///   - planAlone: Whether it ends with the plan: then no session is locked out.
  ///   - authorship: Who imports, and why, for the history.
  ///   - access: Where connections come from, how long to wait for the server, and whom to tell.
  /// - Throws: What keeps the database from taking any.
  package init(
    conninfo: String,
    files: [String],
    replace: Bool,
    source: ListSource? = nil,
    planAlone: Bool = false,
    authorship: Authorship = Authorship(),
    access: DatabaseAccess = DatabaseAccess()
  ) async throws(DirectoryError) {
    let doing = Self.doing
    database = try await Database.connect(conninfo: conninfo, doing: doing, access: access)
    refusal = try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, for: .writing, doing: doing)
      try ServerRequirements.checkWritable(&connection, doing: doing)
      return try ImportStaging.missingRights(&connection)
    }
    // Long files would otherwise be read in vain; a plan is worth something by itself.
    if let refusal, !planAlone { throw refusal }
    fields = try await database.run { (connection) throws(StoreFailure) in
      try ImportStaging.begin(&connection, forPlanAlone: planAlone, by: authorship, doing: doing)
      return try FieldQueries.read(&connection)
    }
    (self.conninfo, self.access, self.files) = (conninfo, access, files)
    (replaces, self.source, isPlanAlone) = (replace, source, planAlone)
  }

  /// Sends rows to the server; the order of batches does not matter.
  package func stage(_ batch: some ImportBatch) async throws(DirectoryError) {
    precondition(state == .staging, "rows after the lock")
    guard !batch.isEmpty else { return }
    if let batch = batch as? PeopleBatch, batch.rows == .leaves { hasLeaves = true }
    if let batch = batch as? DepartmentBatch, batch.hasImplied { hasImplied = true }
    try await database.run { (connection) throws(StoreFailure) in
      try ImportStaging.send(batch, &connection)
    }
  }

  /// Keeps other imports and edits out until the transaction ends, waiting for who is there.
  ///
  /// What they committed until then is what the files are compared with.
  ///
  /// - Throws: `refusedForNow` after `SessionSettings.lockPatience`.
  package func lockOutWriters() async throws(DirectoryError) {
    precondition(state == .staging, "a second lock")
    if !isPlanAlone {
      try await database.run { (connection) throws(StoreFailure) in
        try ImportStaging.lockOutWriters(&connection)
      }
    }
    if hasImplied {
      try await database.run { (connection) throws(StoreFailure) in
        try ImportStaging.dropNeedlessDepartments(&connection)
      }
    }
    if hasLeaves {
      try await database.run { [replacesAll] (connection) throws(StoreFailure) in
        try ImportLeaves.settle(&connection, replaces: replacesAll)
      }
    }
    state = .alone
  }

  /// Whether all records are replaced, and not only those that a list brought.
  private var replacesAll: Bool { replaces && source == nil }

  private var ownership: ImportOwnership? {
    source.map { ImportOwnership(source: $0, replaces: replaces, fields: fields) }
  }

  private var references: ImportReferences {
    ImportReferences(replaces: replacesAll, source: source, fields: fields, absent: absentFields)
  }

  /// Finds out which records the people of a list are; comes before everything that compares.
  ///
  /// - Parameter decisions: What was answered to doubts.
  /// - Returns: What is to be told.
  /// - Throws: `ImportDoubts` where the user has to decide; `.badData` where a new person has the
  ///   id of another one.
  package func match(_ decisions: [MatchDecision]) async throws -> MatchNotes {
    precondition(state == .alone, "a match out of turn")
    guard let source else { return MatchNotes() }
    let matching = ImportMatching(source: source, decisions: decisions, replaces: replaces)
    let outcome = try await database.run { (connection) throws(StoreFailure) in
      try matching.run(&connection)
    }
    if !outcome.doubts.isEmpty { throw ImportDoubts(matches: outcome.doubts) }
    guard outcome.taken.isEmpty else {
      throw DirectoryError(
        .badData,
        "cannot import: new people of the list have ids that other people already have",
        advice: "nothing was changed; change the ids in the database, or correct the list",
        details: outcome.taken.map {
          "\($0.name) (\($0.id)) in the list is not \($0.recordedName) (\($0.recordedID)), who is already recorded"
        }
      )
    }
    hasReturning = outcome.returning > 0
    return MatchNotes(
      homeless: outcome.homeless,
      references: outcome.references,
      guessed: outcome.guessed,
      dismissed: outcome.dismissed
    )
  }

  /// Throws `.badData` unless a department is in the files or in the database.
  package func requireDepartment(_ department: DepartmentID) async throws(DirectoryError) {
    precondition(state == .checked, "a department out of turn")
    let isThere = try await database.run { (connection) throws(StoreFailure) in
      try connection.query(
        """
        select exists (select from staffbook.departments d where d.id = $1)
          or exists (select from pg_temp.staged_departments s where s.id = $1)
        """,
        [.text(department.rawValue)]
      ).bool(row: 0, column: 0)
    }
    guard isThere != true else { return }
    throw DirectoryError(
      .badData,
      "cannot import: there is no department with the id \"\(department)\", to which people without "
        + "one would go",
      advice: "nothing was changed; list the departments with: \(.listDepartments)"
    )
  }

  /// Keeps a department that people go to whom the files put in none, although it is in no file.
  package func keep(_ department: DepartmentID) async throws(DirectoryError) {
    precondition(state == .alone, "a department out of turn")
    try await database.run { (connection) throws(StoreFailure) in
      try ImportStaging.keep(department, &connection)
    }
  }

  /// Lets rows that the database knows keep what it has in columns that files do not have.
  ///
  /// Comes before the check; new rows keep their empty values.
  ///
  /// - Parameters:
  ///   - columns: What the files lack.
  ///   - files: The files' indexes.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of all files.
  package func keepStored(
    _ columns: MissingColumns,
    of files: [Int]
  ) async throws(DirectoryError) {
    precondition(state == .alone, "columns out of turn")
    let files = files.map { Int64($0) }
    let hasReturning = hasReturning && columns.kind == .user
    try await database.run { (connection) throws(StoreFailure) in
      try connection.perform(columns.statement(), [.int64Array(files)])
      guard hasReturning else { return }
      try connection.perform(
        columns.statement(from: ImportReturning.schema),
        [.int64Array(files)]
      )
    }
  }

  /// Looks for what would not fit together: ids that stand twice, references to nothing, rings.
  ///
  /// - Parameters:
  ///   - limit: How many problems to name.
  ///   - unreadable: Files with rows that are missing here; references to them are not judged,
  ///     and the import cannot be applied.
  /// - Returns: The first problems in the order of files and lines, and how many there are.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of files and, without `replace`, of the database.
  package func check(
    limit: Int,
    unreadable: UnreadableFiles = []
  ) async throws(DirectoryError) -> ImportFindings {
    precondition(state == .alone, "a check out of turn")
    let check = ImportCheck(
      files: files,
      replaces: replacesAll,
      unreadable: unreadable,
      hasLeaves: hasLeaves,
      limit: limit
    )
    let references = references
    let findings = try await database.run { (connection) throws(StoreFailure) in
      let findings = try check.run(&connection)
      if findings.total == 0, unreadable.isEmpty { try references.leaveOutUnknown(&connection) }
      return findings
    }
    state = findings.total == 0 && unreadable.isEmpty ? .checked : .ended
    return findings
  }

  /// Lets rows that the database knows keep the values of declared fields that files do not have.
  ///
  /// Comes behind the check: who is named in what is kept may leave with this import.
  ///
  /// - Parameters:
  ///   - absence: What the files lack.
  ///   - files: The files' indexes.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of all files.
  package func keepStored(
    _ absence: MissingFields,
    of files: [Int]
  ) async throws(DirectoryError) {
    precondition(state == .checked, "fields out of turn")
    let files = files.map { Int64($0) }
    let names = absence.names.sorted()
    let hasReturning = hasReturning && absence.owner == .user
    absentFields[absence.owner, default: []].formUnion(names)
    try await database.run { (connection) throws(StoreFailure) in
      let parameters = [PGParameter.int64Array(files), .textArray(names)]
      try connection.perform(absence.statement(), parameters)
      guard hasReturning else { return }
      try connection.perform(absence.statement(from: ImportReturning.schema), parameters)
    }
  }

  /// Compares the files with what is there.
  ///
  /// - Parameter listed: Whether the changes are to be listed, too, by `nextChanges()`.
  /// - Returns: What is added, changed, moved, removed and left alone.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of files and, with `replace`, of the database.
  package func plan(listed: Bool = false) async throws(DirectoryError) -> ChangeTotals {
    precondition(state == .checked, "a plan for files that were not found sound")
    let planning = ImportPlanner(replaces: replacesAll, hasSource: source != nil)
    let (ownership, references) = (ownership, references)
    (owned, isEmpty, summary) = try await database.run { (connection) throws(StoreFailure) in
      let owned = try ownership?.run(&connection) ?? ImportOwnership.Outcome()
      if let source = references.source {
        try ImportReturning(source: source).takeReferences(&connection)
      }
      try references.leaveOutLeavers(&connection)
      if let source = references.source { try ImportReturning(source: source).tell(&connection) }
      let isEmpty = try ImportApplication.isEmpty(&connection)
      let summary = try planning.run(&connection, isEmpty: isEmpty, listed: listed)
      if listed { try ImportChangeList.open(&connection) }
      return (owned, isEmpty, summary)
    }
    hasListedAll = !listed
    state = .planned
    return summary
  }

  /// The next of the plan's changes, departments first; an empty list once all have been told.
  ///
  /// Comes between `plan(listed: true)` and `apply`.
  package func nextChanges() async throws(DirectoryError) -> [Change] {
    precondition(state == .planned, "changes without a plan")
    while !hasListedAll {
      let rows = try await database.run { (connection) throws(StoreFailure) in
        let rows = try ImportChangeList.next(&connection)
        if rows.isEmpty { try ImportChangeList.close(&connection) }
        return rows
      }
      var changes: [Change] = []
      for row in rows {
        if let change = assembler.append(row) { changes.append(change) }
      }
      if rows.isEmpty {
        hasListedAll = true
        if let change = assembler.finish() { changes.append(change) }
      }
      if !changes.isEmpty { return changes }
    }
    return []
  }

  /// The first departments or people that the plan removes, in the order of names.
  package func removed(
    _ kind: RecordKind,
    atMost limit: Int
  ) async throws(DirectoryError) -> [Change] {
    precondition(state == .planned, "names without a plan")
    guard !isEmpty, limit > 0 else { return [] }
    return try await database.run { (connection) throws(StoreFailure) in
      try ImportChangeList.removed(kind, atMost: limit, &connection)
    }
  }

  /// New ids that are those of records which the files lack, but for zeros in front; `nil` for none.
  package func idsWithOtherZeros(
    _ kind: RecordKind
  ) async throws(DirectoryError) -> LeadingZeroConflicts? {
    precondition(state == .planned, "ids without a plan")
    guard !isEmpty else { return nil }
    return try await database.run { (connection) throws(StoreFailure) in
      try LeadingZeroConflicts(kind, &connection)
    }
  }

  /// Writes what the plan says, constraints included; it stays invisible until `commit()`.
  ///
  /// - Parameters:
  ///   - acceptingDeletions: Whether what it removes is recorded as accepted for all readers.
  ///   - digest: What the files and their mapping are known by.
  ///   - phase: Told what comes next, on the connection's thread.
  /// - Throws: When the database refuses a row after all; nothing is changed then.
  package func apply(
    acceptingDeletions: Bool = false,
    digest: String = "",
    phase: (@Sendable (ImportPhase) -> Void)? = nil
  ) async throws(DirectoryError) {
    precondition(state == .planned && !isPlanAlone, "an import without a plan")
    state = .ended
    let summary = summary
    let application = ImportApplication(
      isEmpty: isEmpty,
      summary: summary,
      hasDepartmentFields: !fields.of(.department).isEmpty,
      phase: phase
    )
    let ownership = ownership
    let files = files.joined(separator: ", ")
    mark = try await database.run { (connection) throws(StoreFailure) in
      try application.run(&connection)
      let renamed = try ownership?.record(files: files, digest: digest, &connection) ?? 0
      if let ownership { try ownership.rememberDismissed(&connection) }
      let removes = summary.departments.removed + summary.users.removed > 0
      // To a reader, an id that changed is one that has been removed and one that has been added.
      if acceptingDeletions && removes || renamed > 0 {
        var accepted = summary
        accepted.users.removed += renamed
        try ImportAcceptance.record(accepted, &connection)
      }
      return try ImportCommit.Mark(of: &connection)
    }
    state = .applied
  }

  /// Makes the import visible to everybody, and refreshes the planner's statistics.
  ///
  /// When the connection breaks at this moment, the server is asked again what became of the
  /// transaction.
  ///
  /// - Returns: How it came to be known that the import was applied.
  /// - Throws: `unavailable` when the connection broke and nothing was applied, or it cannot be
  ///   determined; the message tells which.
  @discardableResult
  package func commit() async throws(DirectoryError) -> ImportCommit.Certainty {
    precondition(state == .applied, "a commit of nothing")
    state = .ended
    guard !summary.isEmpty || source != nil else {
      await rollback()
      return .acknowledged
    }
    guard let mark else { preconditionFailure("an import without a mark") }
    let certainty = try await ImportCommit.commit(
      mark,
      on: database,
      conninfo,
      access,
      repeating: "importing the same files again does no harm"
    )
    guard certainty == .acknowledged else { return certainty }
    // Nothing of this can undo what was committed.
    try? await database.run { (connection) throws(StoreFailure) in
      ImportCommit.tidyUp(&connection)
    }
    return .acknowledged
  }

  /// Gives up the import and leaves everything as it was.
  package func rollback() async {
    state = .ended
    // Whatever comes of it, the server undoes what was not committed.
    try? await database.run { (connection) throws(StoreFailure) in
      connection.rollback()
    }
  }
}
