/// An open-addressing hash table of indices whose keys are kept elsewhere.
///
/// A slot is a tag, the upper half of a hash, beside an index plus 1; 0 is an empty slot:
///
///     bits 63 … 32   tag
///     bits 31 … 0    index + 1
///
/// Where a tag belongs follows from the tag alone, so that slots can be moved without asking for
/// their keys; keys are compared only when tags agree. At most three quarters of the slots are
/// taken.
@usableFromInline
package struct IndexTable: Sendable {
  @usableFromInline package var slots: [UInt64]
  @usableFromInline package var count = 0

  @inlinable
  package init(capacity: Int) {
    precondition(capacity < Int32.max, "more indices than a slot can name")
    slots = [UInt64](repeating: 0, count: Self.slotCount(for: capacity))
  }

  /// Adds an index unless one with the same key is there: then that one is returned.
  @inlinable
  package mutating func insert(_ index: Int, hash: Int, isSame: (Int) -> Bool) -> Int? {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let tag = Self.tag(hash)
    let slot = slots.withUnsafeBufferPointer { Self.slot(of: tag, in: $0, isSame: isSame) }
    guard slots[slot] == 0 else { return Self.index(slots[slot]) }
    slots[slot] = Self.entry(tag, index)
    count += 1
    return nil
  }

  @inlinable
  package func find(hash: Int, isSame: (Int) -> Bool) -> Int? {
    slots.withUnsafeBufferPointer { slots in
      let found = slots[Self.slot(of: Self.tag(hash), in: slots, isSame: isSame)]
      return found == 0 ? nil : Self.index(found)
    }
  }

  /// The slot of the key, or the empty one where it belongs.
  @inlinable
  package static func slot(
    of tag: UInt64,
    in slots: UnsafeBufferPointer<UInt64>,
    isSame: (Int) -> Bool
  ) -> Int {
    var slot = home(of: tag, slotCount: slots.count)
    while slots[slot] != 0 {
      if slots[slot] & tagMask == tag, isSame(index(slots[slot])) { break }
      slot += 1
      if slot == slots.count { slot = 0 }
    }
    return slot
  }

  @usableFromInline package static let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000

  @inlinable
  package static func slotCount(for capacity: Int) -> Int { max(16, capacity + capacity / 3 + 2) }

  @inlinable
  package static func tag(_ hash: Int) -> UInt64 { UInt64(truncatingIfNeeded: hash) & tagMask }

  @inlinable
  package static func entry(_ tag: UInt64, _ index: Int) -> UInt64 { tag | UInt64(index + 1) }

  @inlinable
  package static func index(_ slot: UInt64) -> Int { Int(slot & ~tagMask) - 1 }

  /// Where the search for a tag begins: the tag as a fraction of the slots (Lemire, "Fast Random
  /// Integer Generation in an Interval", 2019).
  @inlinable
  package static func home(of tag: UInt64, slotCount: Int) -> Int {
    Int((tag >> 32 &* UInt64(slotCount)) >> 32)
  }

  @usableFromInline
  package mutating func grow() { refill(slotCount: slots.count + slots.count / 2) { $0 } }

  /// Moves every entry into new slots, renumbered; entries without a new number are left out.
  private mutating func refill(slotCount: Int, renumber: (Int) -> Int?) {
    var new = [UInt64](repeating: 0, count: slotCount)
    count = 0
    new.withUnsafeMutableBufferPointer { new in
      for entry in slots where entry != 0 {
        guard let index = renumber(Self.index(entry)) else { continue }
        var slot = Self.home(of: entry, slotCount: slotCount)
        while new[slot] != 0 { slot = slot + 1 == slotCount ? 0 : slot + 1 }
        new[slot] = Self.entry(entry & Self.tagMask, index)
        count += 1
      }
    }
    slots = new
  }

  /// Gives indices other numbers, and leaves out those that have none.
  ///
  /// - Complexity: O(slots).
  package mutating func renumber(_ renumber: (Int) -> Int?) {
    refill(slotCount: slots.count, renumber: renumber)
  }

  /// Adds `shift` to every index from `start` on.
  ///
  /// - Complexity: O(slots), in place.
  package mutating func shift(from start: Int, by shift: Int) {
    let threshold = UInt64(start)
    let summand = UInt64(bitPattern: Int64(shift))
    slots.withUnsafeMutableBufferPointer { slots in
      for slot in slots.indices {
        let entry = slots[slot]
        // All ones where index + 1 is greater than `start`: in arithmetic that the compiler turns
        // into vectors. Sums stay below the tag, since no index becomes negative.
        let isBehind = 0 &- ((threshold &- (entry & ~Self.tagMask)) >> 63)
        slots[slot] = entry &+ (isBehind & summand)
      }
    }
  }

  /// Gives the indices of a window other numbers.
  ///
  /// - Complexity: O(slots), in place.
  @usableFromInline
  package mutating func renumber(_ window: Range<Int>, with numbers: [Int32]) {
    slots.withUnsafeMutableBufferPointer { slots in
      for slot in slots.indices where slots[slot] != 0 {
        let index = Self.index(slots[slot])
        guard window.contains(index) else { continue }
        let number = Int(numbers[index - window.lowerBound])
        slots[slot] = Self.entry(slots[slot] & Self.tagMask, number)
      }
    }
  }

  /// Takes an index out, and closes the gap.
  ///
  /// - Complexity: O(1).
  package mutating func remove(_ index: Int, hash: Int) {
    slots.withUnsafeMutableBufferPointer { slots in
      let found = Self.slot(of: Self.tag(hash), in: UnsafeBufferPointer(slots)) { $0 == index }
      precondition(slots[found] != 0, "an index that is not in the table")
      Self.closeGap(at: found, in: slots)
    }
    count -= 1
  }

  private static func closeGap(at slot: Int, in slots: UnsafeMutableBufferPointer<UInt64>) {
    let size = slots.count
    var hole = slot
    var next = hole + 1 == size ? 0 : hole + 1
    while slots[next] != 0 {
      let home = home(of: slots[next], slotCount: size)
      let fromHome = next >= home ? next - home : next - home + size
      let fromHole = next >= hole ? next - hole : next - hole + size
      if fromHome >= fromHole {
        slots[hole] = slots[next]
        hole = next
      }
      next = next + 1 == size ? 0 : next + 1
    }
    slots[hole] = 0
  }
}
