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

  /// An index with room for `count` ids.
  package init(count: Int, hash: SipHash13) {
    var capacity = 8
    while capacity < count + count / 2 + 1 { capacity *= 2 }
    slots = [UInt64](repeating: 0, count: capacity)
    self.hash = hash
  }

  /// The index of all ids in a column, and the rows that repeat an id of an earlier row.
  ///
  /// - Complexity: O(rows), expected.
  package static func make(
    of ids: StringColumn,
    hash: SipHash13
  ) -> (index: IdentifierIndex, repeats: [Int]) {
    var index = IdentifierIndex(count: ids.count, hash: hash)
    var repeats: [Int] = []
    index.slots.withUnsafeMutableBufferPointer { slots in
      ids.withAllBytes { bytes, ends in
        var start = 0
        for row in ends.indices {
          let end = Int(ends[row])
          let id = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
          start = end
          let isNew = insert(row, id, hash.hash(id), into: slots) { other in
            let range = (other == 0 ? 0 : Int(ends[other - 1]))..<Int(ends[other])
            return sameBytes(UnsafeRawBufferPointer(rebasing: bytes[range]), id)
          }
          if !isNew { repeats.append(row) }
        }
      }
    }
    return (index, repeats)
  }

  /// Adds a row.
  ///
  /// - Returns: `false` when its id is there already; then nothing is changed.
  @inline(__always)
  private static func insert(
    _ row: Int,
    _ id: UnsafeRawBufferPointer,
    _ digest: UInt64,
    into slots: UnsafeMutableBufferPointer<UInt64>,
    hasSameID: (Int) -> Bool
  ) -> Bool {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: digest) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == digest >> 32, hasSameID(Int(slots[slot] & 0xFFFF_FFFF) - 1) {
        return false
      }
      slot = (slot + 1) & mask
    }
    slots[slot] = (digest & ~0xFFFF_FFFF) | UInt64(row + 1)
    return true
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
    guard slots.count.nonzeroBitCount == 1 else { return nil }
    let digest = hash.hash(id)
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
