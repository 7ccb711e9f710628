/// Writes the columns of a hierarchy by walking families in preorder.
@usableFromInline
package struct PreorderWriter {
  @usableFromInline package let parents: ColumnMemory<Int32>
  @usableFromInline package let ends: ColumnMemory<Int32>
  @usableFromInline package let levels: ColumnMemory<Int32>
  @usableFromInline package let groups: ColumnMemory<UInt64>

  @inlinable
  package init(count: Int) {
    parents = ColumnMemory(count: count)
    ends = ColumnMemory(count: count)
    levels = ColumnMemory(count: count)
    groups = ColumnMemory(count: (count + 63) / 64)
    groups.elements.initialize(repeating: 0)
  }

  /// - Precondition: Every input can be reached from a root.
  /// - Complexity: O(n).
  @inlinable
  package func write(_ families: ChildLists, isGroup: (Int) -> Bool) -> LinkedHierarchy {
    let count = families.members.count
    let inputs = [Int32](unsafeUninitializedCapacity: count) { inputs, initializedCount in
      families.members.withUnsafeBufferPointer { members in
        families.ends.withUnsafeBufferPointer { memberEnds in
          walk(members, memberEnds, isGroup: isGroup, inputs: inputs)
        }
      }
      initializedCount = count
    }
    let hierarchy = Hierarchy(
      parents: OutlineColumn(parents),
      ends: OutlineColumn(ends),
      levels: OutlineColumn(levels),
      groups: OutlineColumn(groups)
    )
    return LinkedHierarchy(hierarchy: hierarchy, inputs: inputs)
  }

  /// Goes down and up without a stack: while the children of a node are written, its element of
  /// `ends` holds where its own family goes on.
  @inlinable
  package func walk(
    _ members: UnsafeBufferPointer<Int32>,
    _ memberEnds: UnsafeBufferPointer<Int32>,
    isGroup: (Int) -> Bool,
    inputs: UnsafeMutableBufferPointer<Int32>
  ) {
    let (parents, ends, levels) = (parents.elements, ends.elements, levels.elements)
    var position = 0
    var parent = Int(Hierarchy.noParent)
    var level: Int32 = 0
    var member = 0
    var memberEnd = Int(memberEnds[0])
    while true {
      while member < memberEnd {
        let input = Int(members[member])
        let (firstChild, childEnd) = (Int(memberEnds[input]), Int(memberEnds[input + 1]))
        member += 1
        inputs.initializeElement(at: position, to: Int32(truncatingIfNeeded: input))
        parents[position] = Int32(truncatingIfNeeded: parent)
        levels[position] = level
        if firstChild < childEnd {
          markGroup(position)
          ends[position] = Int32(truncatingIfNeeded: member)
          parent = position
          level += 1
          (member, memberEnd) = (firstChild, childEnd)
        } else {
          if isGroup(input) { markGroup(position) }
          ends[position] = Int32(truncatingIfNeeded: position + 1)
        }
        position += 1
      }
      guard parent >= 0 else { break }
      member = Int(ends[parent])
      ends[parent] = Int32(truncatingIfNeeded: position)
      parent = Int(parents[parent])
      level -= 1
      memberEnd = Int(memberEnds[parent < 0 ? 0 : Int(inputs[parent]) + 1])
    }
    precondition(position == members.count, "a node that is its own ancestor")
  }

  @inlinable
  package func markGroup(_ position: Int) {
    groups.elements[position / 64] |= 1 << UInt64(position % 64)
  }
}
