/// A hierarchy unfolded into links, for any number of changes of its shape.
///
/// Nodes have numbers that stay: old ones their positions, new ones the numbers after those. Slot 0
/// of each list of links stands for the root of all and slot i + 1 for node i.
package struct TreeEditor {
  /// What stands in a link that leads nowhere.
  private static let none: Int32 = -1
  /// The slot of what the roots hang on.
  private static let top: Int32 = 0
  /// What stands for the parent of a node that went.
  private static let unlinked: Int32 = -2

  private let oldCount: Int
  private var groups: BitVector
  private var addedGroups: [Bool] = []
  private var parents: [Int32]
  private var first: [Int32]
  private var last: [Int32]
  private var next: [Int32]
  private var previous: [Int32]
  /// Number of children of the slots that were asked for it.
  private var childCounts: [Int32: Int] = [:]
  /// The child last found by its index: the next one is often beside it.
  private var finger = (parent: Self.none, index: 0, child: Self.none)

  /// - Complexity: O(n); 20 bytes for each node.
  package init(_ hierarchy: Hierarchy) {
    oldCount = hierarchy.count
    groups = BitVector(count: hierarchy.count, column: hierarchy.groups)
    let unlinked = [Int32](repeating: Self.none, count: hierarchy.count + 1)
    (parents, first, last, next, previous) = (unlinked, unlinked, unlinked, unlinked, unlinked)
    hierarchy.parents.withUnsafeBufferPointer { parents in
      for node in parents.indices {
        append(Int32(node + 1), under: parents[node] + 1)
      }
    }
  }

  /// Adds a node that hangs on nothing yet.
  package mutating func add(isGroup: Bool) -> Int {
    addedGroups.append(isGroup)
    parents.append(Self.unlinked)
    first.append(Self.none)
    last.append(Self.none)
    next.append(Self.none)
    previous.append(Self.none)
    return oldCount + addedGroups.count - 1
  }

  /// Whether the node is still in the tree.
  ///
  /// - Complexity: O(level).
  package func contains(_ node: Int) -> Bool {
    var slot = Int32(node + 1)
    while slot > Self.top { slot = parents[Int(slot)] }
    return slot == Self.top
  }

  /// Whether the node itself was taken out of its place, not only one above it.
  package func isUnlinked(_ node: Int) -> Bool { parents[node + 1] == Self.unlinked }

  /// Whether `node` is `ancestor` or below it.
  ///
  /// - Complexity: O(level).
  package func isInside(_ node: Int, of ancestor: Int) -> Bool {
    var slot = Int32(node + 1)
    while slot > Self.top {
      if Int(slot) == ancestor + 1 { return true }
      slot = parents[Int(slot)]
    }
    return false
  }

  package func parent(of node: Int) -> Int? {
    let slot = parents[node + 1]
    return slot > Self.top ? Int(slot) - 1 : nil
  }

  /// Number of children, or of roots for `nil`.
  ///
  /// - Complexity: O(children) for the first time, then O(1).
  package mutating func childCount(of parent: Int?) -> Int {
    let slot = Self.slot(parent)
    if let count = childCounts[slot] { return count }
    let count = children(of: parent).count
    childCounts[slot] = count
    return count
  }

  /// - Complexity: O(children).
  package func children(of parent: Int?) -> [Int] {
    var children: [Int] = []
    var child = first[Int(Self.slot(parent))]
    while child != Self.none {
      children.append(Int(child) - 1)
      child = next[Int(child)]
    }
    return children
  }

  /// Takes a node with all below it out of its place.
  package mutating func unlink(_ node: Int) {
    let slot = Int32(node + 1)
    let parent = parents[Int(slot)]
    let (before, after) = (previous[Int(slot)], next[Int(slot)])
    if before == Self.none { first[Int(parent)] = after } else { next[Int(before)] = after }
    if after == Self.none { last[Int(parent)] = before } else { previous[Int(after)] = before }
    parents[Int(slot)] = Self.unlinked
    childCounts[parent]? -= 1
    finger.parent = Self.none
  }

  /// Hangs a node that is in no place in front of the child at `index`, or last for `nil`.
  ///
  /// - Complexity: O(1) at the end and beside the place used last, otherwise O(`index`).
  package mutating func link(_ node: Int, under parent: Int?, at index: Int?) {
    if let parent { markGroup(parent) }
    let slot = Int32(node + 1)
    let parent = Self.slot(parent)
    if let index, let after = child(of: parent, at: index) {
      insert(slot, under: parent, before: after)
      finger = (parent, index, slot)
    } else {
      append(slot, under: parent)
    }
    childCounts[parent]? += 1
  }

  /// Hangs a node that is in no place in front of a sibling, or behind it.
  ///
  /// - Complexity: O(1).
  package mutating func link(_ node: Int, beside sibling: Int, isAfter: Bool) {
    let slot = Int32(node + 1)
    let parent = parents[sibling + 1]
    let after = isAfter ? next[sibling + 1] : Int32(sibling + 1)
    if after == Self.none {
      append(slot, under: parent)
    } else {
      insert(slot, under: parent, before: after)
    }
    childCounts[parent]? += 1
    finger.parent = Self.none
  }

  /// Takes the nodes of an old subtree apart; none of them is in the tree any more.
  package mutating func dismantle(_ subtree: Range<Int>) {
    unlink(subtree.lowerBound)
    for node in subtree {
      (first[node + 1], last[node + 1], parents[node + 1]) = (Self.none, Self.none, Self.unlinked)
    }
  }

  /// Says whether an old node is a group; one with children is in any case.
  package mutating func setGroup(_ node: Int, _ isGroup: Bool) { groups[node] = isGroup }

  /// Gives the children of a node, or the roots, another order.
  package mutating func reorderChildren(of parent: Int?, to order: [Int]) {
    let slot = Self.slot(parent)
    (first[Int(slot)], last[Int(slot)]) = (Self.none, Self.none)
    for child in order { append(Int32(child + 1), under: slot) }
    finger.parent = Self.none
  }

  /// A node that ever had a child stays a group.
  private mutating func markGroup(_ node: Int) {
    if node < oldCount { groups[node] = true } else { addedGroups[node - oldCount] = true }
  }

  private static func slot(_ node: Int?) -> Int32 { Int32((node ?? -1) + 1) }

  private mutating func append(_ slot: Int32, under parent: Int32) {
    let before = last[Int(parent)]
    parents[Int(slot)] = parent
    previous[Int(slot)] = before
    next[Int(slot)] = Self.none
    last[Int(parent)] = slot
    if before == Self.none { first[Int(parent)] = slot } else { next[Int(before)] = slot }
  }

  private mutating func insert(_ slot: Int32, under parent: Int32, before after: Int32) {
    let before = previous[Int(after)]
    parents[Int(slot)] = parent
    previous[Int(slot)] = before
    next[Int(slot)] = after
    previous[Int(after)] = slot
    if before == Self.none { first[Int(parent)] = slot } else { next[Int(before)] = slot }
  }

  private mutating func child(of parent: Int32, at index: Int) -> Int32? {
    if finger.parent != parent || finger.index > index && index < finger.index - index {
      finger = (parent, 0, first[Int(parent)])
    }
    while finger.index < index, finger.child != Self.none {
      finger = (parent, finger.index + 1, next[Int(finger.child)])
    }
    while finger.index > index, finger.child != Self.none {
      finger = (parent, finger.index - 1, previous[Int(finger.child)])
    }
    guard finger.child != Self.none else {
      finger.parent = Self.none
      return nil
    }
    return finger.child
  }
}

extension TreeEditor {
  /// Folds the links into columns again.
  ///
  /// - Returns: The hierarchy and the number of each of its nodes.
  /// - Complexity: O(n), without a stack: the way back up is in the links.
  package func finish() -> (hierarchy: Hierarchy, numbers: [Int32]) {
    var writer = PreorderColumns(capacity: oldCount + addedGroups.count)
    var numbers: [Int32] = []
    numbers.reserveCapacity(oldCount + addedGroups.count)
    var slot = first[Int(Self.top)]
    while slot > Self.top {
      numbers.append(slot - 1)
      writer.begin(isGroup: isGroup(Int(slot) - 1))
      if first[Int(slot)] != Self.none {
        slot = first[Int(slot)]
        continue
      }
      writer.end()
      while slot > Self.top, next[Int(slot)] == Self.none {
        slot = parents[Int(slot)]
        if slot > Self.top { writer.end() }
      }
      if slot > Self.top { slot = next[Int(slot)] }
    }
    return (writer.finish(), numbers)
  }

  private func isGroup(_ node: Int) -> Bool {
    node < oldCount ? groups[node] : addedGroups[node - oldCount]
  }
}
