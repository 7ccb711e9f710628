import CopyFormat
import DirectoryModel
import DirectoryStore
import TestSupport
import Testing

/// The rows of three files, as a reader hands them over; the first row is on line 2.
struct ImportFiles: Sendable {
  struct Department: Hashable, Sendable {
    var id: String
    var parent = ""
    var name = "n"
    var description = ""
    var sortOrder: Int64 = 0
  }

  struct User: Hashable, Sendable {
    var id: String
    var department: String
    var name = "n"
    var title = ""
    var email = ""
    var phone = ""
    var sortOrder: Int64 = 0
  }

  struct Membership: Hashable, Sendable {
    var user: String
    var department: String
    var title = ""
    var sortOrder: Int64 = 0
  }

  static let names = ["departments.csv", "users.csv", "memberships.csv"]

  var departments: [Department] = []
  var users: [User] = []
  var memberships: [Membership] = []

  /// An importer that has these files and keeps others out.
  func locked(_ conninfo: String, replace: Bool = false) async throws -> DirectoryImporter {
    let importer = try await DirectoryImporter(
      conninfo: conninfo,
      files: Self.names,
      replace: replace
    )
    try await stage(in: importer)
    try await importer.lockOutWriters()
    return importer
  }

  func stage(in importer: DirectoryImporter) async throws {
    try await importer.stage(departmentBatch)
    try await importer.stage(userBatch)
    try await importer.stage(membershipBatch)
  }

  private var departmentBatch: DepartmentBatch {
    var batch = DepartmentBatch()
    for (index, row) in departments.enumerated() {
      withFields([row.id, row.parent, row.name, row.description]) { fields in
        batch.append(
          DepartmentFields(
            line: index + 2,
            id: fields[0],
            parent: fields[1],
            name: fields[2],
            description: fields[3],
            sortOrder: row.sortOrder
          ),
          file: 0
        )
      }
    }
    return batch
  }

  private var userBatch: PeopleBatch {
    var batch = PeopleBatch(of: .users)
    for (index, row) in users.enumerated() {
      withFields([row.id, row.department, row.name, row.title, row.email, row.phone]) { fields in
        batch.append(
          PersonFields(
            line: index + 2,
            id: fields[0],
            department: fields[1],
            name: fields[2],
            title: fields[3],
            contacts: ContactValues(from: 4) { fields[$0] },
            sortOrder: row.sortOrder
          ),
          file: 1
        )
      }
    }
    return batch
  }

  private var membershipBatch: MembershipBatch {
    var batch = MembershipBatch()
    for (index, row) in memberships.enumerated() {
      withFields([row.user, row.department, row.title]) { fields in
        batch.append(
          MembershipFields(
            line: index + 2,
            user: fields[0],
            department: fields[1],
            title: fields[2],
            sortOrder: row.sortOrder
          ),
          file: 2
        )
      }
    }
    return batch
  }
}

/// Lends the bytes of several texts at once.
private func withFields(_ texts: [String], _ body: ([UnsafeRawBufferPointer]) -> Void) {
  let bytes = texts.map { Array($0.utf8) }
  let joined = bytes.flatMap { $0 }
  joined.withUnsafeBytes { buffer in
    var start = 0
    body(
      bytes.map { field in
        defer { start += field.count }
        return UnsafeRawBufferPointer(rebasing: buffer[start..<(start + field.count)])
      }
    )
  }
}

/// What came of an import.
enum ImportOutcome: Equatable {
  case done(ChangeTotals)
  case refused([InputProblem], total: Int)
}

/// Imports files in one go.
@discardableResult
func importFiles(
  _ files: ImportFiles,
  replace: Bool = false,
  unreadable: UnreadableFiles = [],
  limit: Int = 20,
  _ conninfo: String
) async throws -> ImportOutcome {
  let importer = try await files.locked(conninfo, replace: replace)
  let findings = try await importer.check(limit: limit, unreadable: unreadable)
  guard findings.total == 0, unreadable.isEmpty else {
    await importer.rollback()
    return .refused(findings.problems, total: findings.total)
  }
  let summary = try await importer.plan()
  try await importer.apply()
  try await importer.commit()
  return .done(summary)
}

extension DirectoryImporter {
  /// Does all that comes between the lock and the commit.
  func checkAndApply() async throws {
    _ = try await check(limit: 1)
    _ = try await plan()
    try await apply()
  }
}
