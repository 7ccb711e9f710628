extension IndexTable {
  /// Number of keys whose slots are fetched from memory before the first of them is used.
  @usableFromInline package static let batch = 64

  /// Adds the indices 0 ..< `count` to an empty table.
  ///
  /// The slots of a batch are read before any is needed, so that the memory answers them side by
  /// side: a table is larger than the caches, and waiting for one slot after the other takes most
  /// of the time.
  ///
  /// - Parameters:
  ///   - count: At most the capacity.
  ///   - hash: The hash of the key of an index.
  ///   - isSame: Whether two indices have the same key.
  ///   - repeated: Called with the first index of a key and each later one, which is not added.
  /// - Complexity: O(`count`) hashes.
  @inlinable
  package mutating func fill(
    count: Int,
    hash: (Int) -> Int,
    isSame: (Int, Int) -> Bool,
    repeated: (_ first: Int, _ index: Int) -> Void
  ) {
    var added = 0
    slots.withUnsafeMutableBufferPointer { slots in
      Self.forEachBatch(of: count, in: UnsafeBufferPointer(slots), hash: hash) {
        index,
        tag,
        home,
        seen in
        if seen == 0, slots[home] == 0 {
          slots[home] = Self.entry(tag, index)
          added += 1
          return
        }
        let slot = Self.slot(of: tag, in: UnsafeBufferPointer(slots)) { isSame($0, index) }
        if slots[slot] == 0 {
          slots[slot] = Self.entry(tag, index)
          added += 1
        } else {
          repeated(Self.index(slots[slot]), index)
        }
      }
    }
    self.count += added
  }

  /// Looks up `count` keys.
  ///
  /// - Parameters:
  ///   - count: Number of keys.
  ///   - hash: The hash of a key.
  ///   - isSame: Whether an index of the table has the key.
  ///   - body: Called with each key in order and the index that has it.
  /// - Complexity: O(`count`).
  @inlinable
  package func findAll(
    count: Int,
    hash: (Int) -> Int,
    isSame: (_ index: Int, _ key: Int) -> Bool,
    _ body: (_ key: Int, _ index: Int?) -> Void
  ) {
    slots.withUnsafeBufferPointer { slots in
      Self.forEachBatch(of: count, in: slots, hash: hash) { key, tag, _, seen in
        guard seen != 0 else { return body(key, nil) }
        let found = slots[Self.slot(of: tag, in: slots) { isSame($0, key) }]
        body(key, found == 0 ? nil : Self.index(found))
      }
    }
  }

  /// Hands each key over with its tag, the slot where its search begins, and what was there when
  /// the batch began.
  @inlinable
  package static func forEachBatch(
    of count: Int,
    in slots: UnsafeBufferPointer<UInt64>,
    hash: (Int) -> Int,
    _ body: (_ key: Int, _ tag: UInt64, _ home: Int, _ seen: UInt64) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: (tag: UInt64, home: Int, seen: UInt64).self, capacity: batch)
    { looks in
      var start = 0
      while start < count {
        let width = min(batch, count - start)
        for offset in 0..<width {
          let tag = tag(hash(start + offset))
          looks.initializeElement(at: offset, to: (tag, home(of: tag, slotCount: slots.count), 0))
        }
        // Apart from the hashing: a processor looks ahead a few hundred instructions, which are few
        // hashes and many loads.
        for offset in 0..<width { looks[offset].seen = slots[looks[offset].home] }
        for offset in 0..<width {
          body(start + offset, looks[offset].tag, looks[offset].home, looks[offset].seen)
        }
        start += width
      }
    }
  }
}
