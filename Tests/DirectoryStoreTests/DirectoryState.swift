import DirectoryModel
import DirectoryStore
import LibPQ
import TestSupport

/// What a reader holds, kept as simply as can be: the model that reads are tried on.
struct DirectoryState {
  private(set) var departments: [DepartmentID: DepartmentRecord] = [:]
  private(set) var users: [UserID: UserRecord] = [:]
  private(set) var memberships: [MembershipKey: MembershipRecord] = [:]
  private(set) var fields: [Field] = []
  private(set) var watermark: SourceWatermark?

  /// Brings the state up to what was read.
  mutating func apply(_ read: SourceReadResult) {
    switch read {
    case .everything(let loaded, _):
      self = DirectoryState()
      upsert(loaded.records)
    case .changes(let changes, _, _): apply(changes)
    }
    watermark = read.source.watermark
  }

  mutating func apply(_ changes: DirectoryChanges) {
    for id in changes.removedDepartments { departments[id] = nil }
    for id in changes.removedUsers { users[id] = nil }
    for key in changes.removedMemberships { memberships[key] = nil }
    upsert(changes.records)
  }

  private mutating func upsert(_ records: DirectoryRecords) {
    fields = records.fields
    for row in 0..<records.departments.count {
      let record = records.departments[row]
      departments[record.id] = record
    }
    for row in 0..<records.users.count {
      let record = records.users[row]
      users[record.id] = record
    }
    for row in 0..<records.memberships.count {
      let record = records.memberships[row]
      memberships[MembershipKey(user: record.user, department: record.department)] = record
    }
  }

  var rows: DirectoryRows {
    var identities = departments.values.map {
      ["department", $0.id.rawValue, $0.identity?.rawValue ?? ""]
    }
    identities += users.values.map { ["user", $0.id.rawValue, $0.identity?.rawValue ?? ""] }
    return DirectoryRows(
      fields: fields.map {
        [
          $0.owner.rawValue, $0.name, $0.kind.rawValue, $0.label, "\($0.isMultiple)",
          "\($0.isSearched)", "\($0.sortOrder)",
        ]
      },
      departments: departments.values.map {
        [
          $0.id.rawValue, $0.parent?.rawValue ?? "", $0.name, $0.description, "\($0.sortOrder)",
          $0.fields.text,
        ]
      },
      users: users.values.map {
        [
          $0.id.rawValue, $0.primaryDepartment.rawValue, $0.name,
        ] + $0.contacts.all + [$0.fields.text]
      },
      memberships: memberships.values.map {
        [
          $0.user.rawValue, $0.department.rawValue, $0.title, "\($0.sortOrder)", "\($0.leads)",
        ]
      },
      identities: identities
    )
  }

  /// The digest of the rows in a slice's range.
  func digest(of slice: SourceSlice) -> RowDigest {
    var digest = RowDigest()
    func add(_ id: String, _ hash: @autoclosure () -> RowHash) {
      let isBefore = id.utf8.lexicographicallyPrecedes(slice.first.utf8)
      let isPast = slice.last?.utf8.lexicographicallyPrecedes(id.utf8) ?? false
      if !isBefore, !isPast { digest.add(hash()) }
    }
    switch slice.kind {
    case .department:
      for record in departments.values { add(record.id.rawValue, RowHash(of: record)) }
    case .user:
      for record in users.values { add(record.id.rawValue, RowHash(of: record)) }
    case .membership:
      for record in memberships.values { add(record.user.rawValue, RowHash(of: record)) }
    }
    return digest
  }

  /// The digests of all rows.
  var digests: SourceDigests {
    var digests = SourceDigests()
    func add(_ kind: RecordKind, _ id: String, _ hash: RowHash) {
      var id = id
      let bucket = id.withUTF8 { DigestBucket(kind: kind, id: UnsafeRawBufferPointer($0)) }
      digests.add(hash, to: bucket)
    }
    for record in departments.values { add(.department, record.id.rawValue, RowHash(of: record)) }
    for record in users.values { add(.user, record.id.rawValue, RowHash(of: record)) }
    for record in memberships.values { add(.membership, record.user.rawValue, RowHash(of: record)) }
    return digests
  }
}

extension DirectoryRepository {
  /// Brings a state up to the source.
  ///
  /// - Returns: `nil` when only changes were read, otherwise why everything was.
  @discardableResult
  func update(
    _ state: inout DirectoryState,
    slice: SliceRequest? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> ComparisonReason? {
    let read = try await read(since: state.watermark, slice: slice)
    state.apply(read)
    guard case .everything(_, let reason) = read else { return nil }
    return reason
  }
}
