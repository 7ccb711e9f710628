import OutlineEngine

/// The columns that follow from the tree's shape and from what its nodes stand for.
struct DerivedColumns: Sendable {
  /// For each department the position of its node.
  let departmentNodes: [Int32]
  /// For each department the distinct users in its subtree.
  let departmentPeople: [UInt32]
  /// Where each user's leaves begin in `userLeafNodes`; one more at the end.
  let userLeafStarts: [UInt32]
  /// Each user's leaves, rising.
  let userLeafNodes: [Int32]

  /// - Parameters:
  ///   - hierarchy: The tree.
  ///   - records: For each node the row of its department or membership.
  ///   - membershipUsers: For each membership the row of its user.
  ///   - departmentCount: Rows of departments.
  ///   - userCount: Rows of users.
  ///   - personCount: Users below this row are people; the others only stand for unknown ones.
  /// - Complexity: O(nodes · log depth).
  init(
    hierarchy: Hierarchy,
    records: [UInt32],
    membershipUsers: [UInt32],
    departmentCount: Int,
    userCount: Int,
    personCount: Int
  ) {
    var starts = [UInt32](repeating: 0, count: userCount + 1)
    starts.withUnsafeMutableBufferPointer { starts in
      for user in membershipUsers { starts[Int(user) + 1] += 1 }
      for user in 0..<userCount { starts[user + 1] += starts[user] }
    }
    var departmentNodes = [Int32](repeating: 0, count: departmentCount)
    var leafNodes = [Int32](repeating: 0, count: membershipUsers.count)
    var next = starts
    var people = PeopleCount(nodeCount: hierarchy.count)
    hierarchy.withColumns { parents, ends, groups in
      records.withUnsafeBufferPointer { records in
        membershipUsers.withUnsafeBufferPointer { users in
          next.withUnsafeMutableBufferPointer { next in
            leafNodes.withUnsafeMutableBufferPointer { leafNodes in
              for node in records.indices {
                let record = Int(records[node])
                if groups[node >> 6] >> UInt64(node & 63) & 1 == 1 {
                  departmentNodes[record] = Int32(truncatingIfNeeded: node)
                  people.enter(node, end: ends[node])
                  continue
                }
                let user = Int(users[record])
                let place = Int(next[user])
                next[user] += 1
                leafNodes[place] = Int32(truncatingIfNeeded: node)
                guard user < personCount else { continue }
                let isFirst = place == Int(starts[user])
                people.count(
                  below: Int(parents[node]),
                  at: node,
                  previousLeaf: isFirst ? -1 : leafNodes[place - 1]
                )
              }
            }
          }
        }
      }
      people.finish(parents)
    }
    let counts = people.counts
    departmentPeople = departmentNodes.map { UInt32(truncatingIfNeeded: counts[Int($0)]) }
    self.departmentNodes = departmentNodes
    userLeafStarts = starts
    userLeafNodes = leafNodes
  }
}

extension Hierarchy {
  /// The columns side by side, borrowed for the time of `body`.
  func withColumns(
    _ body: (
      _ parents: UnsafeBufferPointer<Int32>,
      _ ends: UnsafeBufferPointer<Int32>,
      _ groups: UnsafeBufferPointer<UInt64>
    ) -> Void
  ) {
    parents.withUnsafeBufferPointer { parents in
      ends.withUnsafeBufferPointer { ends in
        groups.withUnsafeBufferPointer { groups in body(parents, ends, groups) }
      }
    }
  }
}
