import DirectoryModel

/// An `IdentifierIndex` that grows with its column.
struct IdentifierIndexBuilder {
  private var slots: [UInt64]
  /// The lower halves of the ids' hashes, by row: what slots do not keep, and growing needs.
  private var lows: [UInt32] = []
  private let hash: SipHash13
  /// Rows that repeat an id of an earlier row.
  private(set) var repeats: [Int] = []

  init(hash: SipHash13, reserving count: Int = 0) {
    slots = [UInt64](repeating: 0, count: IdentifierIndex.capacity(for: count))
    lows.reserveCapacity(count)
    self.hash = hash
  }

  /// Rows added so far.
  var count: Int { lows.count }

  /// Adds all rows of a column that it has not seen.
  ///
  /// - Complexity: O(rows), expected.
  mutating func advance(_ ids: TextView) {
    while count < ids.count {
      // Room for twice as many as there are, or for all that there are.
      let room = max(slots.count / 2, 8)
      let end = min(ids.count, room)
      if end > count { add(count..<end, ids) }
      if count < ids.count { grow(IdentifierIndex.capacity(for: max(ids.count, count * 2))) }
    }
  }

  private mutating func add(_ rows: Range<Int>, _ ids: TextView) {
    let mask = slots.count - 1
    slots.withUnsafeMutableBufferPointer { slots in
      for row in rows {
        let id = ids[row]
        let digest = hash.hash(id)
        lows.append(UInt32(truncatingIfNeeded: digest))
        var slot = Int(truncatingIfNeeded: digest) & mask
        var isNew = true
        while slots[slot] != 0 {
          if slots[slot] >> 32 == digest >> 32,
            sameBytes(ids[Int(slots[slot] & 0xFFFF_FFFF) - 1], id)
          {
            isNew = false
            break
          }
          slot = (slot + 1) & mask
        }
        if isNew {
          slots[slot] = (digest & ~0xFFFF_FFFF) | UInt64(row + 1)
        } else {
          repeats.append(row)
        }
      }
    }
  }

  private mutating func grow(_ capacity: Int) {
    var grown = [UInt64](repeating: 0, count: capacity)
    grown.withUnsafeMutableBufferPointer { grown in
      for entry in slots where entry != 0 {
        var slot = Int(lows[Int(entry & 0xFFFF_FFFF) - 1]) & (capacity - 1)
        while grown[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
        grown[slot] = entry
      }
    }
    slots = grown
  }

  /// The row of an id.
  @inline(__always)
  func row(of id: UnsafeRawBufferPointer, in ids: TextView) -> Int? {
    slots.withUnsafeBufferPointer { slots in
      IdentifierIndex.row(of: id, hash: hash, slots: slots) { sameBytes(ids[$0], id) }
    }
  }

  /// The finished index.
  consuming func finish() -> IdentifierIndex {
    let capacity = IdentifierIndex.capacity(for: count)
    if slots.count != capacity { grow(capacity) }
    return IdentifierIndex(slots: slots, hash: hash)
  }
}
