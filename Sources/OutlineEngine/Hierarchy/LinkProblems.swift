/// What keeps parent links from being a hierarchy.
public struct LinkProblems: Sendable, Equatable {
  /// Nodes that are their own ancestors, each ring in the order of its links, from child to parent,
  /// starting at its least index; the rings in the order of their least indices.
  ///
  /// A node that is its own parent is a ring of one. Nodes that hang below a ring are in none: they
  /// find their place when the ring's members do.
  public let rings: [[Int]]

  /// Nodes whose parent is neither an index nor `Hierarchy.noParent`, in order.
  public let outOfRange: [Int]

  /// Whether nothing is wrong.
  ///
  /// - Complexity: O(1).
  public var isEmpty: Bool { rings.isEmpty && outOfRange.isEmpty }

  /// Follows every link once.
  ///
  /// - Parameter parents: For each node the index of its parent, or `Hierarchy.noParent`.
  /// - Returns: Rings and links into nothing; empty when `Hierarchy.link` may be called.
  /// - Complexity: O(n) and sorting of the rings; without recursion; 4 bytes for each node.
  public static func find(in parents: [Int32]) -> LinkProblems {
    var search = CycleSearch(parents: parents)
    return LinkProblems(
      rings: search.rings(),
      outOfRange: parents.indices.filter { !search.isLink($0) && !search.isRoot($0) }
    )
  }
}

/// Walks from every node along its links until a node that was met before.
private struct CycleSearch {
  private static let unseen: Int32 = -1

  private let parents: [Int32]
  /// The node from which the walk set out that met a node.
  private var walks: [Int32]

  init(parents: [Int32]) {
    self.parents = parents
    walks = Array(repeating: Self.unseen, count: parents.count)
  }

  func isRoot(_ node: Int) -> Bool { parents[node] == Hierarchy.noParent }

  func isLink(_ node: Int) -> Bool { parents.indices.contains(Int(parents[node])) }

  /// A walk that comes upon a node of its own has closed a ring there.
  mutating func rings() -> [[Int]] {
    var rings: [[Int]] = []
    for start in parents.indices where walks[start] == Self.unseen {
      let walk = Int32(truncatingIfNeeded: start)
      var node = start
      while walks[node] == Self.unseen {
        walks[node] = walk
        guard isLink(node) else { break }
        node = Int(parents[node])
        if walks[node] == walk { rings.append(ring(through: node)) }
      }
    }
    return rings.sorted { $0[0] < $1[0] }
  }

  private func ring(through node: Int) -> [Int] {
    var members = [node]
    while case let next = Int(parents[members[members.count - 1]]), next != node {
      members.append(next)
    }
    let least = members.indices.min { members[$0] < members[$1] } ?? 0
    return Array(members[least...] + members[..<least])
  }
}
