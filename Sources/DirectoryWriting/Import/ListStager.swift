import CopyFormat
import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads files of departments and people, one after the other, into batches for the importer.
///
/// A batch holds rows of many files where they are small.
struct ListStager: Sendable {
  let members: [InputSet.Member]
  let options: ListOptions
  /// Whether people who left are staged, too, so that their records are found.
  let takesLeavers: Bool
  /// Whether every warning is kept.
  var keepsWarnings = false

  struct Outcome: Sendable {
    var problems: ProblemList
    // By member.
    var isComplete: [Bool]
    var absent: [[MissingColumns]]
    var absentFields: [[MissingFields]]
  }

  private static let batchSize = 1 << 20

  /// Parses the files and stages their rows.
  ///
  /// - Parameters:
  ///   - importer: Takes the rows.
  ///   - limit: How many problems to keep.
  ///   - progress: Told how many rows of a file were read so far.
  /// - Returns: What is wrong with the files, and whether all of them were staged.
  /// - Throws: When a file or the database fails.
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
    var problems = ProblemList(limit: limit, keepsWarnings: keepsWarnings)
    var batches = ListBatches(options.fields, takesLeavers: takesLeavers)
    var rows = (member: 0, count: 0)
    let readings = try ListFiles.read(members, options, &problems) { member, row in
      batches.append(row, file: member, members[member].format)
      if rows.member != member { rows = (member, 0) }
      rows.count += 1
      if batches.byteCount >= Self.batchSize {
        handOn(batches)
        batches = ListBatches(options.fields, takesLeavers: takesLeavers)
        progress(members[member].name, rows.count)
      }
    }
    handOn(batches)
    return Outcome(
      problems: problems,
      isComplete: readings.map(\.isComplete),
      absent: zip(readings, members).map { Self.columns($0.absent, $1.format) },
      absentFields: readings.map { reading in
        reading.absent.fields.map { MissingFields(of: $0.key, $0.value) }
      }
    )
  }

  private static func columns(
    _ absence: MissingListColumns,
    _ format: InputFormat
  ) -> [MissingColumns] {
    let held: [RecordKind] =
      switch format {
      case .departments: [.department]
      case .users: [.user]
      case .memberships: [.membership]
      case .list, .json, .ldif, .vCard, .personnel: RecordKind.allCases
      }
    return held.flatMap { kind in
      let absent = Set((kind == .department ? absence.departments : absence.people).map(\.name))
      return MissingColumns.all(of: kind) { absent.contains($0) }
    }
  }
}

/// Rows of files by the tables that they go to.
private struct ListBatches: Sendable {
  private var departments: DepartmentBatch
  /// Of a file that has each person once, and of lists.
  private var users: PeopleBatch
  private var people: PeopleBatch
  private var memberships = MembershipBatch()
  private let takesLeavers: Bool

  /// - Parameters:
  ///   - fields: The declared fields.
  ///   - takesLeavers: Whether people who left are taken.
  init(_ fields: [Field], takesLeavers: Bool) {
    self.takesLeavers = takesLeavers
    departments = DepartmentBatch(hasFields: !fields.of(.department).isEmpty)
    users = PeopleBatch(of: .users, hasFields: !fields.of(.user).isEmpty)
    people = PeopleBatch(of: .leaves, hasFields: !fields.of(.user).isEmpty)
  }

  var byteCount: Int {
    departments.byteCount + users.byteCount + people.byteCount + memberships.byteCount
  }

  mutating func append(_ row: TableRow, file: Int, _ format: InputFormat) {
    switch row {
    case .department(let row): departments.append(row, file: file)
    // Who has left is not added; with --replace, anyone who is recorded goes as all others do.
    case .person(let row) where row.hasLeft && !takesLeavers: break
    case .person(let row) where format == .users && !row.hasLeft: users.append(row, file: file)
    case .person(let row): people.append(row, file: file)
    case .membership(let row): memberships.append(row, file: file)
    }
  }

  func stage(to importer: DirectoryImporter) async throws(DirectoryError) {
    try await importer.stage(departments)
    try await importer.stage(users)
    try await importer.stage(people)
    try await importer.stage(memberships)
  }
}
