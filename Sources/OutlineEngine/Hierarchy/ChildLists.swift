/// The children of every node, grouped by parent with a counting sort.
///
/// Slot 0 stands for the roots and slot i + 1 for the children of input i. The members of a slot
/// end at `ends[slot]` and begin where those of the slot before end.
///
///     parents   1 −1  1  0         input 1 is the root
///     members   1 | 3 | 0 2 | |    of the roots, of 0, of 1, of 2, of 3
///     ends      1   2   4   4 4
@usableFromInline
package struct ChildLists {
  @usableFromInline package var members: [Int32]
  @usableFromInline package var ends: [Int32]

  /// Members of a slot stay in the order of the input.
  ///
  /// - Complexity: O(n).
  @inlinable
  package init(parents: [Int32]) {
    precondition(parents.count < Int32.max, "more nodes than an index can name")
    members = [Int32](repeating: 0, count: parents.count)
    ends = [Int32](repeating: 0, count: parents.count + 1)
    ends.withUnsafeMutableBufferPointer { ends in
      for parent in parents {
        precondition(
          parent >= Hierarchy.noParent && Int(parent) < parents.count,
          "a parent that is not an index"
        )
        ends[Int(parent) + 1] += 1
      }
      Self.turnCountsIntoStarts(ends)
      members.withUnsafeMutableBufferPointer { members in
        // Each start, moved past the members placed so far, is the end when all are.
        for (index, parent) in parents.enumerated() {
          let slot = Int(parent) + 1
          members[Int(ends[slot])] = Int32(truncatingIfNeeded: index)
          ends[slot] += 1
        }
      }
    }
  }

  @inlinable
  package static func turnCountsIntoStarts(_ slots: UnsafeMutableBufferPointer<Int32>) {
    var start: Int32 = 0
    for slot in slots.indices {
      let count = slots[slot]
      slots[slot] = start
      start += count
    }
  }

  /// Sorts the members of each slot.
  ///
  /// - Complexity: O(k log k) comparisons for each slot of k members; one buffer serves all.
  @inlinable
  package mutating func sort(by areInIncreasingOrder: (Int, Int) -> Bool) {
    let scratch = UnsafeMutablePointer<Int32>.allocate(capacity: largestFamily())
    defer { scratch.deallocate() }
    members.withUnsafeMutableBufferPointer { members in
      var start = 0
      for end in ends where Int(end) > start {
        if Int(end) - start > 1 {
          StableSort.sort(
            UnsafeMutableBufferPointer(rebasing: members[start..<Int(end)]),
            scratch: scratch,
            by: areInIncreasingOrder
          )
        }
        start = Int(end)
      }
    }
  }

  @inlinable
  package func largestFamily() -> Int {
    var largest: Int32 = 0
    var start: Int32 = 0
    for end in ends {
      largest = max(largest, end - start)
      start = end
    }
    return Int(largest)
  }
}
