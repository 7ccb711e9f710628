import DirectoryModel
import Dispatch
import OutlineEngine
import Synchronization

extension DirectorySnapshot {
  /// What is checked on its own, and so side by side with the others.
  private enum Aspect: CaseIterable {
    case shape, records, leaves, departments, users, memberships, departmentIndex, userIndex
  }

  /// Proves every byte, and every stored number against what it points into.
  ///
  /// - Throws: `SnapshotError.damaged` for the first part at fault.
  /// - Complexity: O(bytes of the file), on two threads; O(1) after the first time.
  package func verify() throws(SnapshotError) {
    if isProved.load(ordering: .acquiring) { return }
    try file.proveAll()
    let next = Atomic(0)
    let failures = Mutex<[Int: SnapshotError]>([:])
    let aspects = Aspect.allCases
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      while case let index = next.add(1, ordering: .relaxed).oldValue, index < aspects.count {
        do throws(SnapshotError) {
          try verify(aspects[index])
        } catch {
          failures.withLock { $0[index] = error }
        }
      }
    }
    let failed = failures.withLock { $0 }
    if let first = failed.min(by: { $0.key < $1.key }) { throw first.value }
    isProved.store(true, ordering: .releasing)
  }

  private func verify(_ aspect: Aspect) throws(SnapshotError) {
    switch aspect {
    case .shape: _ = try hierarchy()
    case .records: try verifyRecords()
    case .leaves: try verifyLeaves()
    case .departments: try verifyDepartments()
    case .users: try verifyUsers()
    case .memberships: try verifyMemberships()
    case .departmentIndex:
      let rows = try departments().count
      try verifyIndex(.departmentIndex, rows: rows)
    case .userIndex:
      let rows = try users().count
      try verifyIndex(.userIndex, rows: rows)
    }
  }

  /// A group's record is a department, a leaf's a membership.
  private func verifyRecords() throws(SnapshotError) {
    let departments = UInt32(clamping: try departments().count)
    let memberships = UInt32(clamping: try memberships().count)
    let records = try column(.nodeRecords, as: UInt32.self)
    let groups = try column(.nodeGroups, as: UInt64.self)
    let isSound = records.withUnsafeBufferPointer { records in
      groups.withUnsafeBufferPointer { groups in
        var isSound = true
        for node in records.indices {
          let isGroup = groups[node / 64] >> UInt64(node % 64) & 1 == 1
          if records[node] >= (isGroup ? departments : memberships) { isSound = false }
        }
        return isSound
      }
    }
    guard isSound else { throw file.damaged(.nodeRecords) }
    let unplaced = try column(.unplacedNodes, as: Int32.self)
    guard unplaced.areIndexes(below: records.count), unplaced.rises else {
      throw file.damaged(.unplacedNodes)
    }
    _ = try file.text(.unplacedReasonsText, ends: .unplacedReasonsEnds).verified()
    _ = try file.text(.metadataText, ends: .metadataEnds).verified()
  }

  private func verifyDepartments() throws(SnapshotError) {
    let part = try departments()
    _ = try part.ids.verified()
    try verifyTexts(of: .department, count: part.count)
    let groups = try column(.nodeGroups, as: UInt64.self)
    let nodeCount = try tree().count
    let nodes = try column(.departmentNodes, as: Int32.self)
    guard nodes.areIndexes(below: nodeCount),
      nodes.allSatisfy({ groups[Int($0) / 64] >> UInt64($0 % 64) & 1 == 1 })
    else { throw file.damaged(.departmentNodes) }
  }

  private func verifyUsers() throws(SnapshotError) {
    let ids = try users().ids
    _ = try ids.verified()
    try verifyTexts(of: .user, count: ids.count)
    _ = try fields()
    _ = try visibilityRules()
  }

  private func verifyTexts(of kind: RecordKind, count: Int) throws(SnapshotError) {
    for column in kind.texts {
      let text = try file.text(column, of: kind, count: count)
      if !text.isBlank { _ = try text.verified() }
    }
  }

  private func verifyMemberships() throws(SnapshotError) {
    try verifyTexts(of: .membership, count: memberships().count)
    let users = try column(.membershipUsers, as: UInt32.self)
    guard users.areIndexes(below: try self.users().count) else {
      throw file.damaged(.membershipUsers)
    }
  }

  private func verifyLeaves() throws(SnapshotError) {
    _ = try leaves()
    let starts = try column(.userLeafStarts, as: UInt32.self)
    let nodes = try column(.userLeafNodes, as: Int32.self)
    guard starts.first == 0, starts.last.map({ Int($0) }) == nodes.count, starts.rises else {
      throw file.damaged(.userLeafStarts)
    }
    let nodeCount = try tree().count
    let groups = try column(.nodeGroups, as: UInt64.self)
    let areLeaves = groups.withUnsafeBufferPointer { groups in
      nodes.withUnsafeBufferPointer { nodes in
        nodes.allSatisfy { node in
          node >= 0 && node < nodeCount && groups[Int(node) / 64] >> UInt64(node % 64) & 1 == 0
        }
      }
    }
    guard areLeaves else { throw file.damaged(.userLeafNodes) }
  }

  /// A slot is free or holds a row.
  private func verifyIndex(_ section: SnapshotSection, rows: Int) throws(SnapshotError) {
    let slots = try column(section, as: UInt64.self)
    guard slots.count.nonzeroBitCount == 1 else { throw file.damaged(section) }
    let isSound = slots.withUnsafeBufferPointer { slots in
      let rows = UInt64(rows)
      var strays: UInt64 = 0
      // Without branches: about half of the slots are free, in no pattern.
      for slot in slots {
        let isStray: UInt64 = (slot & 0xFFFF_FFFF) &- 1 < rows ? 0 : 1
        strays |= isStray & (slot == 0 ? 0 : 1)
      }
      return strays == 0
    }
    guard isSound else { throw file.damaged(section) }
  }
}
