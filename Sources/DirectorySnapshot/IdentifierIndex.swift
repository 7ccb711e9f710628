import DirectoryModel

/// Rows of a table by id: an open-addressing hash table that is built once, stored as it is, and
/// used where it is mapped.
///
///     slot   u64   0 = free; otherwise the upper half of the id's hash, then row + 1 (u32)
///
/// The slots are a power of two, at least a third of them free; probing is linear.
package struct IdentifierIndex: Sendable {
  package internal(set) var slots: [UInt64]
  package let hash: SipHash13

  /// An empty index with room for `count` ids.
  package init(count: Int, hash: SipHash13) {
    slots = [UInt64](repeating: 0, count: Self.capacity(for: count))
    self.hash = hash
  }

  /// The index of all ids in a column, and the rows that repeat an id of an earlier row.
  ///
  /// - Complexity: O(rows), expected.
  package static func make(
    of ids: StringColumn,
    hash: SipHash13
  ) -> (index: IdentifierIndex, repeats: [Int]) {
    var builder = IdentifierIndexBuilder(hash: hash, reserving: ids.count)
    ids.withView { builder.advance($0) }
    let repeats = builder.repeats
    return (builder.finish(), repeats)
  }

  /// The row of an id in the column that the index was made of.
  package func row(of id: UnsafeRawBufferPointer, in ids: StringColumn) -> Int? {
    slots.withUnsafeBufferPointer { slots in
      Self.row(of: id, hash: hash, slots: slots) { row in
        ids.withBytes(at: row) { sameBytes($0, id) }
      }
    }
  }

  /// Finds an id in stored slots.
  ///
  /// - Parameters:
  ///   - id: UTF-8 of the id looked for.
  ///   - hash: The hash that the slots were filled with.
  ///   - slots: The stored table.
  ///   - isEqual: Whether the id of a row is the one looked for; the row is below 2³², but the
  ///     callee checks it against its column.
  /// - Returns: The row, or `nil` when no row has the id.
  /// - Complexity: O(1) expected; never more than one round, also in a table without free slots.
  package static func row(
    of id: UnsafeRawBufferPointer,
    hash: SipHash13,
    slots: UnsafeBufferPointer<UInt64>,
    isEqual: (Int) -> Bool
  ) -> Int? {
    row(digest: hash.hash(id), slots: slots, isEqual: isEqual)
  }

  /// The same for an id whose hash is known.
  @inline(__always)
  static func row(
    digest: UInt64,
    slots: UnsafeBufferPointer<UInt64>,
    isEqual: (Int) -> Bool
  ) -> Int? {
    guard slots.count.nonzeroBitCount == 1 else { return nil }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: digest) & mask
    for _ in 0..<slots.count {
      let entry = slots[slot]
      if entry == 0 { return nil }
      if entry >> 32 == digest >> 32, entry & 0xFFFF_FFFF != 0 {
        let row = Int(entry & 0xFFFF_FFFF) - 1
        if isEqual(row) { return row }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }
}
