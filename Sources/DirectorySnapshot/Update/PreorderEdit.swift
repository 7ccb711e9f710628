import OutlineEngine
import Platform

/// Writes the preorder of an edited tree: runs of the old one, with attachments between them and
/// without what was detached.
///
/// An attached department brings its old subtree, which is edited as well; so runs lie within runs,
/// and those that wait are kept on a stack of their own.
struct PreorderEdit {
  /// For each new node the position of its parent; −1 for a root.
  private(set) var parents: [Int32]
  /// Bit set over new nodes.
  private(set) var groups: [UInt64]
  /// For each new node the new row of its department or membership.
  private(set) var records: [UInt32]

  private let edit: TreeEdit
  private let stored: StoredDirectory
  private let departmentPlan: RowNumbering
  private let membershipPlan: RowNumbering
  /// Nodes written so far.
  private var count = 0
  /// New positions of the old departments' nodes; other elements mean nothing.
  private var positions: [Int32]
  private var stack: [Frame] = []

  /// What is being written and not finished.
  private enum Frame {
    case run(Run)
    /// Attachments below a new department.
    case family(Range<Int>, parent: Int)
  }

  /// Old nodes that are visited in their order.
  private struct Run {
    /// The department that they are below; −1 for the whole forest.
    var root: Int
    var position: Int
    var end: Int
    /// The first insertion that may still come.
    var insertion: Int
  }

  /// - Complexity: O(nodes) plain steps, and O(log insertions) for each detached node.
  init(
    _ edit: TreeEdit,
    _ stored: StoredDirectory,
    departments: RowNumbering,
    memberships: RowNumbering
  ) {
    self.edit = edit
    self.stored = stored
    departmentPlan = departments
    membershipPlan = memberships
    let total = departments.count + memberships.count
    parents = [Int32](repeating: 0, count: total)
    records = [UInt32](repeating: 0, count: total)
    groups = [UInt64](repeating: 0, count: (total + 63) / 64)
    positions = [Int32](repeating: -1, count: stored.hierarchy.count)
    stack.append(.run(Run(root: -1, position: 0, end: stored.hierarchy.count, insertion: 0)))
    while let frame = stack.popLast() {
      switch frame {
      case .run(let run): advance(run)
      case .family(let range, let parent): advance(range, below: parent)
      }
    }
    precondition(count == total, "a node lost or doubled")
  }

  private mutating func advance(_ family: Range<Int>, below parent: Int) {
    let rest = family.dropFirst()
    if !rest.isEmpty { stack.append(.family(rest, parent: parent)) }
    attach(family.lowerBound, below: parent)
  }

  /// Goes on with a run until it ends or an attachment goes first.
  private mutating func advance(_ run: Run) {
    var run = run
    while true {
      if let insertion = insertion(of: run) {
        run.insertion += 1
        stack.append(.run(run))
        attach(
          insertion.attachment,
          below: insertion.parent < 0 ? -1 : Int(positions[insertion.parent])
        )
        return
      }
      guard run.position < run.end else { return }
      if edit.isDetached(run.position) {
        let skipped = stored.hierarchy.subtree(of: run.position)
        run.position = skipped.upperBound
        run.insertion = firstInsertion(from: run.insertion, past: skipped)
      } else {
        run.position = copy(run)
      }
    }
  }

  /// What goes before the next old node of a run, if anything.
  private func insertion(of run: Run) -> TreeEdit.Insertion? {
    guard run.insertion < edit.insertions.count else { return nil }
    let insertion = edit.insertions[run.insertion]
    return insertion.gap == run.position && insertion.parent >= run.root ? insertion : nil
  }

  /// The first insertion that lies behind a subtree, and not in it.
  private func firstInsertion(from start: Int, past subtree: Range<Int>) -> Int {
    (start..<edit.insertions.count).partitionPoint {
      let insertion = edit.insertions[$0]
      return insertion.gap < subtree.upperBound
        || insertion.gap == subtree.upperBound && insertion.parent >= subtree.lowerBound
    }
  }

  private mutating func attach(_ index: Int, below parent: Int) {
    let attachment = edit.attachments[index]
    let position = count
    parents[position] = Int32(truncatingIfNeeded: parent)
    let plan = attachment.isDepartment ? departmentPlan : membershipPlan
    records[position] = UInt32(plan.row(of: attachment.record))
    count += 1
    guard attachment.isDepartment else { return }
    groups[position / 64] |= 1 << UInt64(position % 64)
    if let node = attachment.node.map({ Int($0) }) {
      positions[node] = Int32(truncatingIfNeeded: position)
      let subtree = stored.hierarchy.subtree(of: node)
      stack.append(
        .run(
          Run(
            root: node,
            position: node + 1,
            end: subtree.upperBound,
            // The first one behind the department's own beginning.
            insertion: firstInsertion(from: 0, past: -1..<node)
          )
        )
      )
    } else if let family = edit.families[attachment.record] {
      stack.append(.family(family, parent: position))
    }
  }

  /// Copies old nodes up to where something is inserted or detached.
  ///
  /// - Returns: The position after them.
  private mutating func copy(_ run: Run) -> Int {
    let insertion =
      run.insertion < edit.insertions.count ? edit.insertions[run.insertion].gap : .max
    let end = edit.firstDetached(in: run.position..<min(run.end, insertion))
    var target = count
    let stored = stored
    for node in run.position..<end {
      let parent = Int(stored.hierarchy.parents[node])
      parents[target] = parent < 0 ? -1 : positions[parent]
      let record = Int(stored.nodeRecords[node])
      if stored.hierarchy.isGroup(node) {
        groups[target / 64] |= 1 << UInt64(target % 64)
        positions[node] = Int32(truncatingIfNeeded: target)
        records[target] = UInt32(truncatingIfNeeded: departmentPlan.row(ofOld: record))
      } else {
        records[target] = UInt32(truncatingIfNeeded: membershipPlan.row(ofOld: record))
      }
      target += 1
    }
    count = target
    return end
  }
}
