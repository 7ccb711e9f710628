import DirectoryModel

/// An `IdentifierIndex` that grows with its column.
struct IdentifierIndexBuilder {
  private var slots: [UInt64]
  /// The lower halves of the ids' hashes, by row: what slots do not keep, and growing needs.
  private var lows: [UInt32] = []
  private let hash: SipHash13
  /// What was read only to be at hand; it keeps the reading from being optimised away.
  private var fetched: UInt64 = 0
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

  /// Rows whose slots are fetched before the first of them is used: what takes the time is waiting
  /// for memory, and so they wait together.
  static let blockSize = 256

  private mutating func add(_ rows: Range<Int>, _ ids: TextView) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.blockSize) { digests in
      var row = rows.lowerBound
      while row < rows.upperBound {
        let block = row..<min(row + Self.blockSize, rows.upperBound)
        fetch(block, ids, digests)
        insert(block, ids, digests)
        row = block.upperBound
      }
    }
  }

  /// Hashes the ids of rows, and reads where they will go.
  private mutating func fetch(
    _ rows: Range<Int>,
    _ ids: TextView,
    _ digests: UnsafeMutableBufferPointer<UInt64>
  ) {
    let mask = slots.count - 1
    var seen = fetched
    slots.withUnsafeBufferPointer { slots in
      for row in rows {
        let digest = hash.hash(ids[row])
        digests[row - rows.lowerBound] = digest
        seen ^= slots[Int(truncatingIfNeeded: digest) & mask]
      }
    }
    fetched = seen
  }

  private mutating func insert(
    _ rows: Range<Int>,
    _ ids: TextView,
    _ digests: UnsafeMutableBufferPointer<UInt64>
  ) {
    let mask = slots.count - 1
    slots.withUnsafeMutableBufferPointer { slots in
      for row in rows {
        let digest = digests[row - rows.lowerBound]
        lows.append(UInt32(truncatingIfNeeded: digest))
        var slot = Int(truncatingIfNeeded: digest) & mask
        var isNew = true
        while slots[slot] != 0 {
          if slots[slot] >> 32 == digest >> 32,
            sameBytes(ids[Int(slots[slot] & 0xFFFF_FFFF) - 1], ids[row])
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

  /// Hashes ids to look for, and reads where they may be.
  ///
  /// - Parameters:
  ///   - rows: Rows of `wanted`, at most `blockSize`.
  ///   - wanted: The ids.
  ///   - ids: The column that the index is of.
  ///   - digests: Gets the hash of each.
  mutating func fetch(
    _ rows: Range<Int>,
    of wanted: TextView,
    in ids: TextView,
    _ digests: UnsafeMutableBufferPointer<UInt64>
  ) {
    fetch(rows, wanted, digests)
    let mask = slots.count - 1
    var seen = fetched
    slots.withUnsafeBufferPointer { slots in
      for index in 0..<rows.count {
        let entry = slots[Int(truncatingIfNeeded: digests[index]) & mask] & 0xFFFF_FFFF
        if entry != 0 { seen ^= UInt64(ids.ends[Int(entry) - 1]) }
      }
    }
    fetched = seen
  }

  /// The row of an id.
  @inline(__always)
  func row(of id: UnsafeRawBufferPointer, in ids: TextView) -> Int? {
    row(of: id, digest: hash.hash(id), in: ids)
  }

  /// The row of an id whose hash is known.
  @inline(__always)
  func row(of id: UnsafeRawBufferPointer, digest: UInt64, in ids: TextView) -> Int? {
    slots.withUnsafeBufferPointer { slots in
      IdentifierIndex.row(digest: digest, slots: slots) { sameBytes(ids[$0], id) }
    }
  }

  /// The finished index.
  consuming func finish() -> IdentifierIndex {
    let capacity = IdentifierIndex.capacity(for: count)
    if slots.count != capacity { grow(capacity) }
    return IdentifierIndex(slots: slots, hash: hash)
  }
}
