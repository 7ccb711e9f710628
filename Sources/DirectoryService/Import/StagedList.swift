import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads a list of departments and people into batches for the importer.
struct StagedList: Sendable {
  let member: InputSet.Member
  /// The file's number among those of the import.
  let index: Int
  let options: ListOptions

  struct Outcome: Sendable {
    var problems: ProblemList
    var isComplete: Bool
    var absent: [ImportColumn]
  }

  private static let batchSize = 1 << 20

  /// Parses the file and stages its rows; see `StagedFile.stage`.
  func stage(
    to importer: DirectoryImporter,
    limit: Int,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Outcome {
    try await BatchPipe.run(
      label: "staffbook.import",
      produce: { try read(limit: limit, progress: progress, $0) },
      consume: { try await $0.stage(to: importer) }
    )
  }

  private func read(
    limit: Int,
    progress: (Int) -> Void,
    _ handOn: (ListBatches) -> Void
  ) throws(DirectoryError) -> Outcome {
    var problems = ProblemList(limit: limit)
    var batches = ListBatches()
    var rows = 0
    let reading = try ListFile.read(member, options, &problems) { row in
      batches.append(row, file: index)
      rows += 1
      if batches.byteCount >= Self.batchSize {
        handOn(batches)
        batches = ListBatches()
        progress(rows)
      }
    }
    handOn(batches)
    return Outcome(
      problems: problems,
      isComplete: reading.isComplete,
      absent: Self.columns(reading.absent)
    )
  }

  private static func columns(_ absence: ListAbsence) -> [ImportColumn] {
    var columns: [ImportColumn] = []
    if absence.departments.contains(.description) { columns.append(.departmentDescription) }
    if absence.departments.contains(.sortOrder) { columns.append(.departmentSortOrder) }
    if absence.people.contains(.title) { columns += [.userTitle, .membershipTitle] }
    if absence.people.contains(.email) { columns.append(.userEmail) }
    if absence.people.contains(.phone) { columns.append(.userPhone) }
    if absence.people.contains(.sortOrder) { columns += [.userSortOrder, .membershipSortOrder] }
    return columns
  }
}

/// Rows of a list by the tables that they go to.
private struct ListBatches: Sendable {
  private var departments = DepartmentBatch()
  private var people = LeafBatch()
  private var memberships = MembershipBatch()

  var byteCount: Int { departments.byteCount + people.byteCount + memberships.byteCount }

  mutating func append(_ row: ListLayout.Row, file: Int) {
    switch row {
    case .department(let row):
      departments.append(
        file: file,
        line: row.line,
        id: row.id,
        parent: row.parent,
        name: row.name,
        description: row.description,
        sortOrder: row.sortOrder
      )
    case .person(let row):
      people.append(
        file: file,
        line: row.line,
        id: row.id,
        department: row.department,
        name: row.name,
        title: row.title,
        email: row.email,
        phone: row.phone,
        sortOrder: row.sortOrder,
        isPrimary: row.isPrimary
      )
    case .membership(let row):
      memberships.append(
        file: file,
        line: row.line,
        user: row.user,
        department: row.department,
        title: row.title,
        sortOrder: row.sortOrder
      )
    }
  }

  func stage(to importer: DirectoryImporter) async throws(DirectoryError) {
    try await importer.stage(departments)
    try await importer.stage(people)
    try await importer.stage(memberships)
  }
}
