import Platform

/// A value for each position of the tree, by what is said of subtrees.
struct NodeRanges<Value: Sendable>: Sendable {
  /// Side by side, from 0 to the number of nodes.
  private(set) var runs: [(nodes: Range<Int>, value: Value)] = []

  /// - Parameters:
  ///   - usual: The value where nothing is said.
  ///   - count: The number of nodes.
  ///   - subtrees: Ranges of which each two are the same or apart, or one holds the other.
  ///   - combined: What holds in a subtree, from what holds around it and what is said of it.
  /// - Complexity: O(k log k) for k subtrees, however many nodes are in them.
  init(
    _ usual: Value,
    count: Int,
    _ subtrees: [(nodes: Range<Int>, value: Value)],
    _ combined: (_ outer: Value, _ said: Value) -> Value
  ) {
    var open: [(end: Int, value: Value)] = [(count, usual)]
    let outermostFirst = subtrees.sorted { left, right in
      left.nodes.lowerBound != right.nodes.lowerBound
        ? left.nodes.lowerBound < right.nodes.lowerBound
        : left.nodes.upperBound > right.nodes.upperBound
    }
    for subtree in outermostFirst {
      while let last = open.last, open.count > 1, last.end <= subtree.nodes.lowerBound {
        fill(to: last.end, last.value)
        open.removeLast()
      }
      let outer = open.last?.value ?? usual
      fill(to: subtree.nodes.lowerBound, outer)
      open.append((subtree.nodes.upperBound, combined(outer, subtree.value)))
    }
    while let last = open.popLast() { fill(to: last.end, last.value) }
  }

  private mutating func fill(to end: Int, _ value: Value) {
    let start = runs.last?.nodes.upperBound ?? 0
    if start < end { runs.append((start..<end, value)) }
  }

  /// - Complexity: O(log runs).
  subscript(node: Int) -> Value {
    runs[(0..<runs.count - 1).partitionPoint { runs[$0].nodes.upperBound <= node }].value
  }
}
