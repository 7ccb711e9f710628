/// A value for each position of the tree: what was said of the nearest department above, or of all.
struct NodeRanges<Value> {
  /// Side by side, from 0 to the number of nodes.
  private(set) var runs: [(nodes: Range<Int>, value: Value)] = []

  /// - Parameters:
  ///   - usual: The value where nothing is said.
  ///   - count: The number of nodes.
  ///   - subtrees: Ranges of which each two are apart, or one holds the other.
  /// - Complexity: O(k log k) for k subtrees, however many nodes are in them.
  init(_ usual: Value, count: Int, _ subtrees: [(nodes: Range<Int>, value: Value)]) {
    var open: [(end: Int, value: Value)] = [(count, usual)]
    for subtree in subtrees.sorted(by: { $0.nodes.lowerBound < $1.nodes.lowerBound }) {
      while let last = open.last, open.count > 1, last.end <= subtree.nodes.lowerBound {
        fill(to: last.end, last.value)
        open.removeLast()
      }
      if let last = open.last { fill(to: subtree.nodes.lowerBound, last.value) }
      open.append((subtree.nodes.upperBound, subtree.value))
    }
    while let last = open.popLast() { fill(to: last.end, last.value) }
  }

  private mutating func fill(to end: Int, _ value: Value) {
    let start = runs.last?.nodes.upperBound ?? 0
    if start < end { runs.append((start..<end, value)) }
  }

  /// - Complexity: O(log runs).
  subscript(node: Int) -> Value {
    var (low, high) = (0, runs.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].nodes.upperBound <= node { low = middle + 1 } else { high = middle }
    }
    return runs[low].value
  }
}
