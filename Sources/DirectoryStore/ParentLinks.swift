/// Finds rings among parent links.
enum ParentLinks {
  /// The rings, each in the order of its parent links.
  ///
  /// - Parameter parents: Index of each node's parent; -1 for a root.
  /// - Returns: Rings only, without what hangs off them.
  /// - Complexity: O(n), without recursion.
  static func rings(in parents: [Int32]) -> [[Int32]] {
    // The walk that came by first, counted from 1; 0 is untouched.
    var walks = [Int32](repeating: 0, count: parents.count)
    var rings: [[Int32]] = []
    for start in parents.indices where walks[start] == 0 {
      let walk = Int32(start) + 1
      var node = Int32(start)
      while node >= 0, walks[Int(node)] == 0 {
        walks[Int(node)] = walk
        node = parents[Int(node)]
      }
      if node >= 0, walks[Int(node)] == walk { rings.append(ring(from: node, in: parents)) }
    }
    return rings
  }

  private static func ring(from start: Int32, in parents: [Int32]) -> [Int32] {
    var ring = [start]
    var node = parents[Int(start)]
    while node != start {
      ring.append(node)
      node = parents[Int(node)]
    }
    return ring
  }
}
