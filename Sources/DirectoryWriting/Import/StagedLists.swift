import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads lists of departments and people, one after the other, into batches for the importer.
///
/// A batch holds rows of many files where they are small.
struct StagedLists: Sendable {
  let members: [InputSet.Member]
  /// The files' numbers among those of the import.
  let indexes: [Int]
  let options: ListOptions

  struct Outcome: Sendable {
    var problems: ProblemList
    var isComplete: Bool
    /// By member.
    var absent: [[ImportColumn]]
    var absentFields: [[ImportAbsence]]
  }

  private static let batchSize = 1 << 20

  /// Parses the files and stages their rows; see `StagedFile.stage`.
  func stage(
    to importer: DirectoryImporter,
    limit: Int,
    progress: @escaping @Sendable (_ file: String, _ rows: Int) -> Void
  ) async throws -> Outcome {
    try await BatchPipe.run(
      label: "staffbook.import",
      produce: { try read(limit: limit, progress: progress, $0) },
      consume: { try await $0.stage(to: importer) }
    )
  }

  private func read(
    limit: Int,
    progress: (String, Int) -> Void,
    _ handOn: (ListBatches) -> Void
  ) throws(DirectoryError) -> Outcome {
    var problems = ProblemList(limit: limit)
    var batches = ListBatches(options.fields)
    var rows = 0
    let readings = try ListFiles.read(members, options, &problems) { member, row in
      batches.append(row, file: indexes[member])
      rows += 1
      if batches.byteCount >= Self.batchSize {
        handOn(batches)
        batches = ListBatches(options.fields)
        progress(members[member].name, rows)
      }
    }
    handOn(batches)
    return Outcome(
      problems: problems,
      isComplete: readings.allSatisfy(\.isComplete),
      absent: readings.map { Self.columns($0.absent) },
      absentFields: readings.map { reading in
        reading.absent.fields.map { ImportAbsence(of: $0.key, $0.value) }
      }
    )
  }

  private static func columns(_ absence: ListAbsence) -> [ImportColumn] {
    RecordKind.allCases.flatMap { kind in
      let absent = Set((kind == .department ? absence.departments : absence.people).map(\.name))
      return ImportColumn.all(of: kind) { absent.contains($0) }
    }
  }
}

/// Rows of a list by the tables that they go to.
private struct ListBatches: Sendable {
  private var departments: DepartmentBatch
  private var people: PeopleBatch
  private var memberships = MembershipBatch()

  /// - Parameter fields: The declared fields.
  init(_ fields: [Field]) {
    departments = DepartmentBatch(hasFields: !fields.of(.department).isEmpty)
    people = PeopleBatch(of: .leaves, hasFields: !fields.of(.user).isEmpty)
  }

  var byteCount: Int { departments.byteCount + people.byteCount + memberships.byteCount }

  mutating func append(_ row: ListLayout.Row, file: Int) {
    switch row {
    case .department(let row): departments.append(row, file: file)
    case .person(let row): people.append(row, file: file)
    case .membership(let row): memberships.append(row, file: file)
    }
  }

  func stage(to importer: DirectoryImporter) async throws(DirectoryError) {
    try await importer.stage(departments)
    try await importer.stage(people)
    try await importer.stage(memberships)
  }
}
