/// An open-addressing hash table of indices whose keys are kept elsewhere.
///
/// A slot is the upper half of a hash beside an index plus 1; 0 is an empty slot. Keys are compared
/// only when half a hash agrees.
@usableFromInline
struct IndexTable {
  @usableFromInline var slots: [UInt64]
  @usableFromInline let mask: Int

  /// At most two thirds of the slots will be taken.
  @inlinable
  init(capacity: Int) {
    precondition(capacity < UInt32.max, "more indices than a slot can name")
    var size = 16
    while size * 2 < capacity * 3 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    mask = size - 1
  }

  /// Adds an index unless one with the same key is there: then that one is returned.
  @inlinable
  mutating func insert(_ index: Int, hash: Int, isSame: (Int) -> Bool) -> Int? {
    let slot = slot(hash: hash, isSame: isSame)
    guard slots[slot] == 0 else { return Self.index(slots[slot]) }
    slots[slot] = Self.tag(hash) | UInt64(index + 1)
    return nil
  }

  @inlinable
  func find(hash: Int, isSame: (Int) -> Bool) -> Int? {
    let found = slots[slot(hash: hash, isSame: isSame)]
    return found == 0 ? nil : Self.index(found)
  }

  /// The slot of the key, or the empty one where it belongs.
  @inlinable
  func slot(hash: Int, isSame: (Int) -> Bool) -> Int {
    var slot = hash & mask
    while slots[slot] != 0 {
      if slots[slot] & Self.tagMask == Self.tag(hash), isSame(Self.index(slots[slot])) { break }
      slot = (slot + 1) & mask
    }
    return slot
  }

  @usableFromInline static let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000

  @inlinable
  static func tag(_ hash: Int) -> UInt64 { UInt64(truncatingIfNeeded: hash) & tagMask }

  @inlinable
  static func index(_ slot: UInt64) -> Int { Int(slot & ~tagMask) - 1 }
}
