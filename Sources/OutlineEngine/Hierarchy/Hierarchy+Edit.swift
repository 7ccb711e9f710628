extension Hierarchy {
  /// Takes a subtree out.
  ///
  /// - Complexity: O(nodes after the subtree + level), in place when the columns are not shared.
  mutating func remove(_ node: Int) -> NodePermutation {
    let subtree = subtree(of: node)
    let change = NodePermutation.removing(subtree, of: count)
    growSubtrees(from: parent(of: node), by: -subtree.count)
    carry(change)
    return change
  }

  /// Puts new siblings without children in front of the node at `position`.
  ///
  /// - Parameters:
  ///   - groups: For each of them whether it is a group.
  ///   - parent: Becomes a group if it is none; `nil` for roots.
  ///   - position: The end of the subtree of `parent` or of one of its children.
  /// - Returns: How the nodes came to their new positions.
  mutating func insert(
    groups: [Bool],
    under parent: Int?,
    at position: Int
  ) -> NodePermutation {
    let change = NodePermutation.inserting(groups.count, at: position, into: count)
    growSubtrees(from: parent, by: groups.count)
    carry(change)
    let newLevel = Int32(parent.map { level(of: $0) + 1 } ?? 0)
    for offset in groups.indices {
      let node = position + offset
      parents.edit(newCount: count) { $0[node] = Int32(parent ?? Int(Self.noParent)) }
      ends.edit(newCount: count) { $0[node] = Int32(node + 1) }
      levels.edit(newCount: count) { $0[node] = newLevel }
      if groups[offset] { markGroup(node) }
    }
    if let parent, !groups.isEmpty { markGroup(parent) }
    return change
  }

  /// Moves a subtree under another parent or to another place among its siblings.
  ///
  /// - Parameters:
  ///   - node: The root of the subtree.
  ///   - parent: Not in the subtree; becomes a group if it is none.
  ///   - position: The old position in front of which it goes; not inside the subtree.
  /// - Returns: How the nodes came to their new positions.
  mutating func move(_ node: Int, under parent: Int?, at position: Int) -> NodePermutation {
    let subtree = subtree(of: node)
    let shift = (parent.map { level(of: $0) + 1 } ?? 0) - level(of: node)
    let change = NodePermutation.moving(
      subtree,
      to: position,
      levelShift: Int32(shift),
      of: count
    )
    let reach = reach(of: change.window)
    growSubtrees(from: self.parent(of: node), by: -subtree.count)
    growSubtrees(from: parent, by: subtree.count)
    carry(change, reach: reach)
    let newNode = change.newPosition(of: node) ?? node
    let newParent = parent.flatMap { change.newPosition(of: $0) }
    parents.edit(newCount: count) { $0[newNode] = Int32(newParent ?? Int(Self.noParent)) }
    if let newParent { markGroup(newParent) }
    return change
  }

  /// Gives the children of a node another order.
  ///
  /// - Parameters:
  ///   - parent: `nil` for the roots.
  ///   - order: All children by their positions.
  /// - Returns: How the nodes came to their new positions.
  mutating func reorderChildren(of parent: Int?, to order: [Int]) -> NodePermutation {
    var pieces: [NodePermutation.Piece] = []
    for child in order {
      let subtree = subtree(of: child)
      if let last = pieces.last, let source = last.source, source + last.count == child {
        pieces[pieces.count - 1].count += subtree.count
      } else {
        pieces.append(NodePermutation.Piece(source: child, count: subtree.count))
      }
    }
    NodePermutation.markMoved(&pieces)
    let window = parent.map(descendants) ?? nodes
    let change = NodePermutation(oldCount: count, window: window, pieces: pieces)
    carry(change)
    return change
  }
}

extension Hierarchy {
  /// Lets the subtrees of a node and of all its ancestors end later.
  private mutating func growSubtrees(from node: Int?, by growth: Int) {
    guard let node else { return }
    let parents = parents
    ends.edit(newCount: count) { ends in
      var ancestor = node
      while ancestor >= 0 {
        ends[ancestor] += Int32(growth)
        ancestor = Int(parents[ancestor])
      }
    }
  }

  /// The greatest end of a subtree that begins in `window`: parents of later nodes are outside.
  private func reach(of window: Range<Int>) -> Int {
    window.reduce(window.upperBound) { Swift.max($0, subtree(of: $1).upperBound) }
  }

  /// Carries all columns to the new positions; links into the window follow.
  ///
  /// - Parameters:
  ///   - change: Keeps the subtrees of its pieces whole.
  ///   - reach: Nodes after the window and before this may have parents in it; none by default.
  private mutating func carry(_ change: NodePermutation, reach: Int = 0) {
    let groups = change.carry(BitVector(count: count, column: groups))
    let numbers = change.windowNumbers()
    parents.edit(newCount: change.newCount) {
      change.carryParents($0, numbers: numbers, reach: reach)
    }
    ends.edit(newCount: change.newCount) { change.carryEnds($0) }
    levels.edit(newCount: change.newCount) { change.carryLevels($0) }
    self.groups = OutlineColumn(groups.words)
  }

  private mutating func markGroup(_ node: Int) {
    guard !isGroup(node) else { return }
    groups.edit(newCount: groups.count) { $0[node / 64] |= 1 << UInt64(node % 64) }
  }
}

extension NodePermutation {
  fileprivate func carryParents(
    _ parents: UnsafeMutablePointer<Int32>,
    numbers: [Int32],
    reach: Int
  ) {
    let (low, high, shift) = (Int32(window.lowerBound), Int32(window.upperBound), Int32(shift))
    carryTail(parents) { $0 >= high ? $0 + shift : $0 }
    carryPieces(parents) { parent, _, _ in
      parent >= low && parent < high ? numbers[Int(parent - low)] : parent
    }
    // Only a change that keeps the number of nodes has such parents.
    guard shift == 0, reach > window.upperBound else { return }
    for node in window.upperBound..<reach where parents[node] >= low && parents[node] < high {
      parents[node] = numbers[Int(parents[node] - low)]
    }
  }

  fileprivate func carryEnds(_ ends: UnsafeMutablePointer<Int32>) {
    let shift = Int32(shift)
    carryTail(ends) { $0 + shift }
    carryPieces(ends) { end, _, distance in end + distance }
  }

  fileprivate func carryLevels(_ levels: UnsafeMutablePointer<Int32>) {
    carryTail(levels) { $0 }
    carryPieces(levels) { level, piece, _ in level + piece.levelShift }
  }

  /// Shifts what follows the window, in the direction in which nothing is overwritten early, and
  /// changes each element on the way.
  ///
  /// By way of a buffer in the cache: `memmove` is slow between places a few bytes apart.
  @inline(__always)
  private func carryTail(
    _ elements: UnsafeMutablePointer<Int32>,
    _ transform: (Int32) -> Int32
  ) {
    guard shift != 0 else { return }
    let width = 2048
    let chunks = (tail.count + width - 1) / width
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: width) { buffer in
      guard let buffer = buffer.baseAddress else { return }
      for number in 0..<chunks {
        let chunk = shift < 0 ? number : chunks - 1 - number
        let start = tail.lowerBound + chunk * width
        let count = Swift.min(width, tail.upperBound - start)
        buffer.update(from: elements + start, count: count)
        let target = elements + start + shift
        for offset in 0..<count { target[offset] = transform(buffer[offset]) }
      }
    }
  }

  /// Puts the pieces in the place of the window; new nodes are left as they are.
  @inline(__always)
  private func carryPieces(
    _ elements: UnsafeMutablePointer<Int32>,
    _ transform: (Int32, Piece, _ distance: Int32) -> Int32
  ) {
    guard pieces.contains(where: { $0.source != nil }) else { return }
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: window.count) { old in
      _ = old.update(
        fromContentsOf: UnsafeBufferPointer(
          rebasing: UnsafeBufferPointer(
            start: elements,
            count: window.upperBound
          )[window]
        )
      )
      var target = window.lowerBound
      for piece in pieces {
        defer { target += piece.count }
        guard let source = piece.source else { continue }
        let distance = Int32(target - source)
        for offset in 0..<piece.count {
          let element = old[source - window.lowerBound + offset]
          elements[target + offset] = transform(element, piece, distance)
        }
      }
    }
  }
}
