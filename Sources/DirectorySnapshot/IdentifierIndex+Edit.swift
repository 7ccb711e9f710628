extension IdentifierIndex {
  /// The slots of a stored index, to be changed row by row.
  init(slots: [UInt64], hash: SipHash13) {
    precondition(slots.count.nonzeroBitCount == 1, "slots that are not a power of two")
    self.slots = slots
    self.hash = hash
  }

  /// The slots that an index of so many rows has at least.
  static func capacity(for count: Int) -> Int {
    var capacity = 8
    while capacity < count + count / 2 + 1 { capacity *= 2 }
    return capacity
  }

  /// Adds a row whose id no row has.
  ///
  /// - Complexity: O(1), expected.
  mutating func add(_ row: Int, id: UnsafeRawBufferPointer) {
    let digest = hash.hash(id)
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: digest) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = Self.entry(row, digest)
  }

  /// Gives a row another number.
  ///
  /// - Complexity: O(1), expected.
  mutating func renumber(_ row: Int, as newRow: Int, id: UnsafeRawBufferPointer) {
    let digest = hash.hash(id)
    guard let slot = slot(of: row, digest) else { return }
    slots[slot] = Self.entry(newRow, digest)
  }

  /// Takes a row out, and moves up those behind it that it kept from their places.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - id: Its id.
  ///   - hashOfRow: The hash of the id of another row in the index.
  /// - Complexity: O(1), expected.
  mutating func remove(
    _ row: Int,
    id: UnsafeRawBufferPointer,
    hashOfRow: (Int) -> UInt64
  ) {
    guard var gap = slot(of: row, hash.hash(id)) else { return }
    let mask = slots.count - 1
    var slot = (gap + 1) & mask
    while slots[slot] != 0 {
      let home = Int(truncatingIfNeeded: hashOfRow(Self.row(slots[slot]))) & mask
      // Whether its way from home to here leads over the gap.
      if (slot - home) & mask >= (slot - gap) & mask {
        slots[gap] = slots[slot]
        gap = slot
      }
      slot = (slot + 1) & mask
    }
    slots[gap] = 0
  }

  private func slot(of row: Int, _ digest: UInt64) -> Int? {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: digest) & mask
    let entry = Self.entry(row, digest)
    for _ in slots.indices where slots[slot] != 0 {
      if slots[slot] == entry { return slot }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private static func entry(_ row: Int, _ digest: UInt64) -> UInt64 {
    (digest & ~0xFFFF_FFFF) | UInt64(row + 1)
  }

  private static func row(_ entry: UInt64) -> Int { Int(entry & 0xFFFF_FFFF) - 1 }
}
