import Dispatch
import DirectoryModel

/// The order of siblings: departments before users, then sort order, then name by the locale, then
/// id.
///
/// Nearly all are told apart by the first eight bytes of their names' sort keys, which take no key;
/// whole keys are made for those only that are equal so far.
struct SiblingOrder {
  /// Rows of departments, those of one parent side by side and in order.
  let departments: [UInt32]
  /// Rows of memberships, those of one department side by side and in order.
  let memberships: [UInt32]

  /// - Complexity: O(n + k log k) for departments of k members each; 24 bytes for each record.
  init(
    _ records: borrowing DirectoryRecords,
    _ placement: Placement,
    _ prepared: consuming PreparedRows
  ) {
    // The rows that placing has added.
    prepared.advanceNames(records)
    departments = SiblingSorter.sort(
      parents: placement.departmentParents,
      familyCount: records.departments.count,
      orders: records.departments.sortOrders,
      owners: nil,
      prefixes: prepared.departmentPrefixes,
      names: records.departments.names,
      ids: records.departments.ids,
      keys: prepared
    )
    memberships = SiblingSorter.sort(
      parents: placement.membershipDepartments,
      familyCount: records.departments.count,
      orders: records.memberships.sortOrders,
      owners: placement.membershipUsers,
      prefixes: prepared.userPrefixes,
      names: records.users.names,
      ids: records.users.ids,
      keys: prepared
    )
  }
}

/// Sorts records of one kind within their families.
private enum SiblingSorter {
  /// A record, by what it is compared.
  private struct Entry {
    var order: Int64
    /// First bytes of the name's sort key.
    var prefix: UInt64
    var row: UInt32
    /// Row of the name and id.
    var owner: UInt32

    @inline(__always)
    static func precedes(_ left: Entry, _ right: Entry) -> Bool {
      left.order != right.order ? left.order < right.order : left.prefix < right.prefix
    }

    @inline(__always)
    static func isTied(_ left: Entry, _ right: Entry) -> Bool {
      left.order == right.order && left.prefix == right.prefix
    }
  }

  /// - Parameters:
  ///   - parents: For each record its family, −1 for the roots'.
  ///   - familyCount: Families beside the roots'.
  ///   - orders: For each record its sort order.
  ///   - owners: For each record the row of its name and id; `nil` where that is its own.
  ///   - prefixes: Beginnings of the names' sort keys by owner.
  ///   - names: Names by owner.
  ///   - ids: Ids by owner.
  ///   - keys: Makes whole keys.
  /// - Returns: Rows of records, by family, then in order.
  static func sort(
    parents: [Int32],
    familyCount: Int,
    orders: [Int64],
    owners: [UInt32]?,
    prefixes: [UInt64],
    names: StringColumn,
    ids: StringColumn,
    keys: borrowing PreparedRows
  ) -> [UInt32] {
    var ends = starts(of: parents, familyCount: familyCount)
    let count = parents.count
    let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count)
    defer { entries.deallocate() }
    for row in 0..<count {
      let owner = owners.map { $0[row] } ?? UInt32(truncatingIfNeeded: row)
      let family = Int(parents[row]) + 1
      entries.initializeElement(
        at: Int(ends[family]),
        to: Entry(
          order: orders[row],
          prefix: prefixes[Int(owner)],
          row: UInt32(truncatingIfNeeded: row),
          owner: owner
        )
      )
      ends[family] += 1
    }
    sortFamilies(entries, ends)
    var start = 0
    for end in ends {
      let family = UnsafeMutableBufferPointer(rebasing: entries[start..<Int(end)])
      breakTies(in: family, names, ids, keys)
      start = Int(end)
    }
    return entries.map(\.row)
  }

  /// Fewer records than this are not worth a second thread.
  private static let worthSplitting = 20_000

  /// Sorts each family, half of the records on a thread each.
  private static func sortFamilies(
    _ entries: UnsafeMutableBufferPointer<Entry>,
    _ ends: [UInt32]
  ) {
    let middle = ends.firstIndex { Int($0) >= entries.count / 2 } ?? ends.count
    let halves = [0..<middle, middle..<ends.count]
    // Unsafe: no family is in both halves.
    nonisolated(unsafe) let entries = entries
    DispatchQueue.concurrentPerform(iterations: entries.count < worthSplitting ? 1 : 2) { half in
      let families = entries.count < worthSplitting ? 0..<ends.count : halves[half]
      var start = families.lowerBound == 0 ? 0 : Int(ends[families.lowerBound - 1])
      for end in ends[families] {
        var family = UnsafeMutableBufferPointer(rebasing: entries[start..<Int(end)])
        if family.count > 1 { family.sort(by: Entry.precedes) }
        start = Int(end)
      }
    }
  }

  /// Where each family begins; it becomes its end as the family is filled.
  private static func starts(of parents: [Int32], familyCount: Int) -> [UInt32] {
    var slots = [UInt32](repeating: 0, count: familyCount + 1)
    for parent in parents { slots[Int(parent) + 1] += 1 }
    var start: UInt32 = 0
    for slot in slots.indices { (slots[slot], start) = (start, start + slots[slot]) }
    return slots
  }

  /// Sorts further what is equal so far.
  private static func breakTies(
    in family: UnsafeMutableBufferPointer<Entry>,
    _ names: StringColumn,
    _ ids: StringColumn,
    _ keyMaker: borrowing PreparedRows
  ) {
    var start = 0
    while start < family.count {
      var end = start + 1
      while end < family.count, Entry.isTied(family[start], family[end]) { end += 1 }
      if end - start > 1 {
        breakTies(UnsafeMutableBufferPointer(rebasing: family[start..<end]), names, ids, keyMaker)
      }
      start = end
    }
  }

  /// Sorts by whole keys, then by id.
  private static func breakTies(
    _ tied: UnsafeMutableBufferPointer<Entry>,
    _ names: StringColumn,
    _ ids: StringColumn,
    _ keyMaker: borrowing PreparedRows
  ) {
    var keys: [UInt8] = []
    var keyed: [(entry: Entry, key: Range<Int>)] = []
    keyed.reserveCapacity(tied.count)
    for entry in tied {
      let start = keys.count
      names.withBytes(at: Int(entry.owner)) { keyMaker.appendKey(of: $0, to: &keys) }
      keyed.append((entry, start..<keys.count))
    }
    keys.withUnsafeBytes { keys in
      keyed.sort { left, right in
        let order = compareBytes(
          UnsafeRawBufferPointer(rebasing: keys[left.key]),
          UnsafeRawBufferPointer(rebasing: keys[right.key])
        )
        if order != 0 { return order < 0 }
        return ids.withBytes(at: Int(left.entry.owner)) { left in
          ids.withBytes(at: Int(right.entry.owner)) { compareBytes(left, $0) }
        } < 0
      }
    }
    for (index, element) in keyed.enumerated() { tied[index] = element.entry }
  }
}

/// Bytes as unsigned numbers, a prefix first: below 0, 0 or above 0.
func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  for offset in 0..<shared where left[offset] != right[offset] {
    return Int(left[offset]) - Int(right[offset])
  }
  return left.count - right.count
}
