import Outlines

/// The tree's shape and what each node stands for.
package struct TreePart: Sendable {
  package let hierarchy: Hierarchy
  /// Row of the department (group) or of the membership (leaf) of each node.
  private let records: OutlineColumn<UInt32>
  private let unplacedNodes: OutlineColumn<Int32>
  private let unplacedReasons: TextColumn

  init(_ file: SnapshotFile) throws(SnapshotError) {
    let parents = try file.section(.nodeParents, as: Int32.self)
    let ends = try file.section(.nodeEnds, as: Int32.self)
    let levels = try file.section(.nodeLevels, as: Int32.self)
    let groups = try file.section(.nodeGroups, as: UInt64.self)
    guard parents.count <= Int32.max, ends.count == parents.count, levels.count == parents.count,
      groups.count == (parents.count + 63) / 64
    else { throw file.damaged(.nodeParents) }
    hierarchy = Hierarchy(parents: parents, ends: ends, levels: levels, groups: groups)
    do { try hierarchy.validate() } catch { throw file.damaged(.nodeParents) }
    records = try file.section(.nodeRecords, as: UInt32.self)
    let departmentCount = try file.section(.departmentNodes, as: Int32.self).count
    let membershipCount = try file.section(.membershipUsers, as: UInt32.self).count
    unplacedNodes = try file.section(.unplacedNodes, as: Int32.self)
    unplacedReasons = try file.text(.unplacedReasonsText, ends: .unplacedReasonsEnds)
    guard records.count == hierarchy.count, unplacedNodes.count == unplacedReasons.count else {
      throw file.damaged(.nodeRecords)
    }
    let hierarchy = hierarchy
    let isSound = records.withUnsafeBufferPointer { records in
      records.indices.allSatisfy {
        records[$0] < (hierarchy.isGroup($0) ? departmentCount : membershipCount)
      }
    }
    guard isSound else { throw file.damaged(.nodeRecords) }
  }

  /// Whether a node is a department, and not a person's place.
  package func isDepartment(_ node: Int) -> Bool { hierarchy.isGroup(node) }

  /// The places of people in a department itself, in order.
  package func leaves(directlyBelow department: Int) -> some Sequence<Int> {
    hierarchy.children(of: department).lazy.filter { !hierarchy.isGroup($0) }
  }

  /// Row of the department of a group, or of the membership of a leaf.
  package func record(of node: Int) -> Int { Int(records[node]) }

  /// Why a node lies under *Unplaced*; `nil` for all others.
  ///
  /// - Complexity: O(log unplaced).
  package func unplacedReason(of node: Int) -> String? {
    var low = 0
    var high = unplacedNodes.count
    while low < high {
      let middle = (low + high) / 2
      if Int(unplacedNodes[middle]) < node { low = middle + 1 } else { high = middle }
    }
    guard low < unplacedNodes.count, Int(unplacedNodes[low]) == node else { return nil }
    return unplacedReasons[low]
  }

  package var unplacedCount: Int { unplacedNodes.count }

  /// Position and reason of what could not be placed, by its index.
  package func unplaced(at index: Int) -> (node: Int, reason: String) {
    (Int(unplacedNodes[index]), unplacedReasons[index])
  }
}

/// The departments, in no particular order.
package struct DepartmentPart: Sendable {
  package let ids: TextColumn
  package let names: TextColumn
  package let descriptions: TextColumn
  package let sortOrders: OutlineColumn<Int64>
  private let nodes: OutlineColumn<Int32>
  private let people: OutlineColumn<UInt32>

  init(_ file: SnapshotFile) throws(SnapshotError) {
    ids = try file.text(.departmentIDsText, ends: .departmentIDsEnds)
    names = try file.text(.departmentNamesText, ends: .departmentNamesEnds)
    descriptions = try file.text(.departmentDescriptionsText, ends: .departmentDescriptionsEnds)
    sortOrders = try file.section(.departmentSortOrders, as: Int64.self)
    nodes = try file.section(.departmentNodes, as: Int32.self)
    people = try file.section(.departmentPeople, as: UInt32.self)
    let nodeCount = try file.section(.nodeParents, as: Int32.self).count
    let counts = [names.count, descriptions.count, sortOrders.count, nodes.count, people.count]
    guard counts.allSatisfy({ $0 == ids.count }), nodes.areIndexes(below: nodeCount) else {
      throw file.damaged(.departmentNodes)
    }
  }

  package var count: Int { ids.count }

  /// Position of a department's node.
  package func node(of row: Int) -> Int { Int(nodes[row]) }

  /// Distinct users in a department's subtree.
  package func people(of row: Int) -> Int { Int(people[row]) }
}

/// Who the users are, in no particular order.
package struct UserPart: Sendable {
  package let ids: TextColumn
  package let names: TextColumn

  init(_ file: SnapshotFile) throws(SnapshotError) {
    ids = try file.text(.userIDsText, ends: .userIDsEnds)
    names = try file.text(.userNamesText, ends: .userNamesEnds)
    guard names.count == ids.count else { throw file.damaged(.userNamesEnds) }
  }

  package var count: Int { ids.count }
}

/// How users are reached, row for row with `UserPart`.
package struct ContactPart: Sendable {
  package let emails: TextColumn
  package let phones: TextColumn

  init(_ file: SnapshotFile, userCount: Int) throws(SnapshotError) {
    emails = try file.text(.userEmailsText, ends: .userEmailsEnds)
    phones = try file.text(.userPhonesText, ends: .userPhonesEnds)
    guard emails.count == userCount, phones.count == userCount else {
      throw file.damaged(.userEmailsEnds)
    }
  }
}

/// The memberships, in no particular order.
package struct MembershipPart: Sendable {
  package let titles: TextColumn
  package let sortOrders: OutlineColumn<Int64>
  private let users: OutlineColumn<UInt32>
  private let primary: OutlineColumn<UInt64>

  init(_ file: SnapshotFile, userCount: Int) throws(SnapshotError) {
    titles = try file.text(.membershipTitlesText, ends: .membershipTitlesEnds)
    sortOrders = try file.section(.membershipSortOrders, as: Int64.self)
    users = try file.section(.membershipUsers, as: UInt32.self)
    primary = try file.section(.membershipPrimary, as: UInt64.self)
    guard titles.count == users.count, sortOrders.count == users.count,
      primary.count == (users.count + 63) / 64, users.areIndexes(below: userCount)
    else { throw file.damaged(.membershipUsers) }
  }

  package var count: Int { users.count }

  /// Row of a membership's user.
  package func user(of row: Int) -> Int { Int(users[row]) }

  package func isPrimary(_ row: Int) -> Bool { primary[row / 64] >> UInt64(row % 64) & 1 == 1 }
}

/// The places of every user.
package struct LeafPart: Sendable {
  private let starts: OutlineColumn<UInt32>
  private let nodes: OutlineColumn<Int32>

  init(
    _ file: SnapshotFile,
    userCount: Int,
    hierarchy: Hierarchy
  ) throws(SnapshotError) {
    starts = try file.section(.userLeafStarts, as: UInt32.self)
    nodes = try file.section(.userLeafNodes, as: Int32.self)
    guard starts.count == userCount + 1, starts.first == 0, Int(starts[userCount]) == nodes.count,
      starts.rises, nodes.areIndexes(below: hierarchy.count),
      nodes.allSatisfy({ !hierarchy.isGroup(Int($0)) })
    else { throw file.damaged(.userLeafStarts) }
  }

  /// Positions of a user's leaves, in preorder.
  package func nodes(of user: Int) -> some RandomAccessCollection<Int> {
    nodes[Int(starts[user])..<Int(starts[user + 1])].lazy.map { Int($0) }
  }
}

/// Rows by id.
package struct IndexPart: Sendable {
  private let slots: OutlineColumn<UInt64>
  private let ids: TextColumn
  private let hash: SipHash13

  init(
    _ file: SnapshotFile,
    _ section: SnapshotSection,
    ids: TextColumn,
    hash: SipHash13
  ) throws(SnapshotError) {
    slots = try file.section(section, as: UInt64.self)
    self.ids = ids
    self.hash = hash
  }

  /// The row of an id.
  ///
  /// - Complexity: O(1), expected.
  package func row(of id: String) -> Int? {
    var id = id
    return id.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return slots.withUnsafeBufferPointer { slots in
        IdentifierIndex.row(of: bytes, hash: hash, slots: slots) { row in
          row < ids.count && ids.withBytes(at: row) { $0.elementsEqual(bytes) }
        }
      }
    }
  }
}

extension OutlineColumn where Element: FixedWidthInteger {
  fileprivate func areIndexes(below count: Int) -> Bool {
    withUnsafeBufferPointer { elements in
      elements.allSatisfy { $0 >= 0 && Int($0) < count }
    }
  }

  fileprivate var rises: Bool {
    withUnsafeBufferPointer { elements in
      elements.indices.dropFirst().allSatisfy { elements[$0 - 1] <= elements[$0] }
    }
  }
}
