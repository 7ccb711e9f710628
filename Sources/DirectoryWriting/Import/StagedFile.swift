import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads one file into batches for the importer.
struct StagedFile<Batch: ImportBatch>: Sendable {
  let file: InputFile
  let layout: TableLayout
  /// The file's number among those of the import.
  let index: Int
  /// The declared fields.
  let fields: [Field]
  let newBatch: @Sendable () -> Batch
  /// Columns that the file may lack.
  let optionalColumns: [TableColumn: ImportColumn]
  let append: @Sendable (TableRow, _ file: Int, _ batch: inout Batch) -> Void

  /// What reading the file came to.
  struct Outcome: Sendable {
    var problems: ProblemList
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
    var reader = try DirectoryFileReader(file, layout, fields: fields)
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
    let absent = optionalColumns.filter { !reader.hasColumn($0.key) }.map(\.value)
    return Outcome(
      problems: problems,
      isComplete: reader.isComplete,
      absent: absent,
      absentFields: layout.owners.map { ImportAbsence(of: $0, reader.absentFields(of: $0)) }
    )
  }
}

extension StagedFile where Batch == DepartmentBatch {
  static func departments(_ file: InputFile, index: Int, fields: [Field]) -> Self {
    let hasFields = !fields.of(.department).isEmpty
    return Self(
      file: file,
      layout: .departments,
      index: index,
      fields: fields,
      newBatch: { DepartmentBatch(hasFields: hasFields) },
      optionalColumns: [
        .description: ImportColumn(.description, of: .department),
        .sortOrder: ImportColumn(.sortOrder, of: .department),
      ]
    ) { row, file, batch in
      if case .department(let row) = row { batch.append(row, file: file) }
    }
  }
}

extension StagedFile where Batch == PeopleBatch {
  static func users(_ file: InputFile, index: Int, fields: [Field]) -> Self {
    let hasFields = !fields.of(.user).isEmpty
    let contacts = ContactField.allCases.map {
      (TableColumn.contact($0), ImportColumn(.contact($0), of: .user))
    }
    let own: [TableColumn: ImportColumn] = [
      .title: ImportColumn(.title, of: .user), .sortOrder: ImportColumn(.sortOrder, of: .user),
      .leads: ImportColumn(.leads, of: .user),
    ]
    return Self(
      file: file,
      layout: .users,
      index: index,
      fields: fields,
      newBatch: { PeopleBatch(of: .users, hasFields: hasFields) },
      optionalColumns: own.merging(contacts) { own, _ in own }
    ) { row, file, batch in
      if case .person(let row) = row { batch.append(row, file: file) }
    }
  }
}

extension StagedFile where Batch == MembershipBatch {
  static func memberships(_ file: InputFile, index: Int) -> Self {
    Self(
      file: file,
      layout: .memberships,
      index: index,
      fields: [],
      newBatch: { MembershipBatch() },
      optionalColumns: [
        .title: ImportColumn(.title, of: .membership),
        .sortOrder: ImportColumn(.sortOrder, of: .membership),
        .leads: ImportColumn(.leads, of: .membership),
      ]
    ) { row, file, batch in
      if case .membership(let row) = row { batch.append(row, file: file) }
    }
  }
}
