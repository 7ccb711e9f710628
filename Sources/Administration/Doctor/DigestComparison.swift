import DirectoryModel
import DirectorySnapshot
import DirectoryStore

/// Compares every row of a snapshot with the source's, by content: digests of all rows first, then
/// the rows of what differs.
struct DigestComparison: Sendable {
  /// UTF-8: ids are told apart by their bytes.
  private typealias Key = [UInt8]

  /// Ids of departments and people whose rows differ, the first of them.
  private(set) var differing: [(kind: RecordKind, id: String)] = []
  private(set) var differingCount = 0

  private static let namedCount = 20

  /// - Parameters:
  ///   - update: The snapshot with the changes since its last sync.
  ///   - digests: The source's.
  /// - Returns: The buckets whose rows are to be read.
  static func differences(
    of update: SnapshotUpdate,
    from digests: SourceDigests
  ) -> [DigestBucket] {
    var own = SourceDigests()
    for kind in RecordKind.allCases {
      update.forEachRow(of: kind, where: { _ in true }) { id, hash in
        own.add(hash, to: DigestBucket(kind: kind, id: id))
      }
    }
    return own.differences(from: digests)
  }

  /// Finds the rows that differ among those of some buckets.
  ///
  /// - Parameters:
  ///   - update: The snapshot with the changes since its last sync.
  ///   - buckets: Where the digests differ.
  ///   - rows: All rows of the source in these buckets.
  init(of update: SnapshotUpdate, in buckets: [DigestBucket], rows: DirectoryRecords) {
    for kind in RecordKind.allCases {
      let numbers = Set(buckets.lazy.filter { $0.kind == kind }.map(\.number))
      if numbers.isEmpty { continue }
      var own: [Key: RowDigest] = [:]
      update.forEachRow(
        of: kind,
        where: { numbers.contains(DigestBucket(kind: kind, id: $0).number) }
      ) { id, hash in
        own[Key(id), default: RowDigest()].add(hash)
      }
      compare(own, with: Self.digests(of: kind, in: rows), kind)
    }
  }

  private static func digests(
    of kind: RecordKind,
    in rows: DirectoryRecords
  ) -> [Key: RowDigest] {
    var digests: [Key: RowDigest] = [:]
    switch kind {
    case .department:
      for row in 0..<rows.departments.count {
        digests[Key(rows.departments.ids[row].utf8), default: RowDigest()]
          .add(RowHash(of: rows.departments[row]))
      }
    case .user:
      for row in 0..<rows.users.count {
        digests[Key(rows.users.ids[row].utf8), default: RowDigest()]
          .add(RowHash(of: rows.users[row]))
      }
    case .membership:
      for row in 0..<rows.memberships.count {
        digests[Key(rows.memberships.users[row].utf8), default: RowDigest()]
          .add(RowHash(of: rows.memberships[row]))
      }
    }
    return digests
  }

  private mutating func compare(
    _ own: [Key: RowDigest],
    with other: [Key: RowDigest],
    _ kind: RecordKind
  ) {
    let ids = Set(own.keys).union(other.keys).filter { own[$0] != other[$0] }
    differingCount += ids.count
    let room = Self.namedCount - differing.count
    differing += ids.sorted { $0.lexicographicallyPrecedes($1) }.prefix(max(room, 0))
      .map { (kind, String(decoding: $0, as: UTF8.self)) }
  }
}
