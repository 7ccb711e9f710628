import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads one file into batches for the importer.
struct StagedFile<Layout: DirectoryFileLayout, Batch: ImportBatch>: Sendable {
  let file: InputFile
  /// The file's number among those of the import.
  let index: Int
  /// The declared fields.
  let fields: [Field]
  /// What its rows are of.
  let kind: RecordKind
  let newBatch: @Sendable () -> Batch
  let append: @Sendable (Layout.Row, _ file: Int, _ batch: inout Batch) -> Void

  /// What reading the file came to.
  struct Outcome: Sendable {
    var problems: ProblemList
    var rowCount: Int
    /// Whether every row was staged.
    var isComplete: Bool
    /// Columns that the file does not have.
    var absent: [ImportColumn]
    /// Declared fields that the file does not have.
    var absentFields: [ImportAbsence]
  }

  private static var batchSize: Int { 1 << 20 }

  /// Parses the file and stages its rows.
  ///
  /// - Parameters:
  ///   - importer: Takes the rows.
  ///   - limit: How many problems to keep.
  ///   - progress: Told how many rows were read so far.
  /// - Returns: What is wrong with the file, and whether all of it was staged.
  /// - Throws: When the file or the database fails.
  func stage(
    to importer: DirectoryImporter,
    limit: Int,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Outcome {
    try await BatchPipe.run(
      label: "staffbook.import",
      produce: { try read(limit: limit, progress: progress, $0) },
      consume: { try await importer.stage($0) }
    )
  }

  private func read(
    limit: Int,
    progress: (Int) -> Void,
    _ handOn: (Batch) -> Void
  ) throws(DirectoryError) -> Outcome {
    var problems = ProblemList(limit: limit)
    var reader = try DirectoryFileReader<Layout>(file, fields: fields)
    var batch = newBatch()
    var rows = 0
    reader.forEachRow(&problems) { row in
      append(row, index, &batch)
      rows += 1
      if batch.byteCount >= Self.batchSize {
        handOn(batch)
        batch = newBatch()
        progress(rows)
      }
    }
    handOn(batch)
    let absent = ImportColumn.all(of: kind) { name in
      Layout.Column.allCases.contains { $0.name == name && !reader.hasColumn($0) }
    }
    return Outcome(
      problems: problems,
      rowCount: rows,
      isComplete: reader.isComplete,
      absent: absent,
      absentFields: Layout.owners.map { ImportAbsence(of: $0, reader.absentFields(of: $0)) }
    )
  }
}

extension StagedFile where Layout == DepartmentLayout, Batch == DepartmentBatch {
  static func departments(_ file: InputFile, index: Int, fields: [Field]) -> Self {
    let hasFields = !fields.of(.department).isEmpty
    return Self(
      file: file,
      index: index,
      fields: fields,
      kind: .department,
      newBatch: { DepartmentBatch(hasFields: hasFields) }
    ) { row, file, batch in batch.append(row, file: file) }
  }
}

extension StagedFile where Layout == UserLayout, Batch == PeopleBatch {
  static func users(_ file: InputFile, index: Int, fields: [Field]) -> Self {
    let hasFields = !fields.of(.user).isEmpty
    return Self(
      file: file,
      index: index,
      fields: fields,
      kind: .user,
      newBatch: { PeopleBatch(of: .users, hasFields: hasFields) }
    ) { row, file, batch in batch.append(row, file: file) }
  }
}

extension StagedFile where Layout == MembershipLayout, Batch == MembershipBatch {
  static func memberships(_ file: InputFile, index: Int) -> Self {
    Self(
      file: file,
      index: index,
      fields: [],
      kind: .membership,
      newBatch: { MembershipBatch() }
    ) { row, file, batch in batch.append(row, file: file) }
  }
}
