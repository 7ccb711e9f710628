import DirectorySnapshot

/// What comes first of hits of one rank whose names are equally long: people who lead their primary
/// department, other people, departments; each in the order of the tree.
enum HitOrder {
  private static let departments: UInt32 = 1 << 31
  private static let others: UInt32 = 1 << 30

  /// The place of a department, by its node.
  static func place(department node: Int) -> UInt32 {
    departments | UInt32(truncatingIfNeeded: node)
  }

  /// The place of a person.
  ///
  /// - Parameters:
  ///   - leaf: The person's leaf in the primary department.
  ///   - parts: The snapshot.
  /// - Returns: What smaller ones come before.
  /// - Throws: `SnapshotError.damaged`.
  static func place(person leaf: Int, _ parts: SearchColumns) throws(SnapshotError) -> UInt32 {
    let leads = try parts.memberships.leads(parts.tree.record(of: leaf))
    return UInt32(truncatingIfNeeded: leaf) | (leads ? 0 : others)
  }

  /// The length of a name before a place.
  static func key(length: UInt32, _ place: UInt32) -> UInt64 {
    UInt64(length) << 32 | UInt64(place)
  }
}
