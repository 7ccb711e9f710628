/// How a change of the tree carries nodes from their old positions to new ones.
///
/// Nodes before the window stay, nodes after it shift by the same number, and the window is
/// replaced by pieces: old nodes of the window in another order, and new ones.
///
///     old   a b [c d e f] g h          window 2 ..< 6
///     new   a b [e f + c] g h          pieces 4 ..< 6, one new, 2 ..< 3; d went
@usableFromInline
package struct NodePermutation: Sendable {
  @usableFromInline
  package struct Piece: Sendable, Equatable {
    /// The old position of the first node; `nil` for new nodes.
    @usableFromInline package var source: Int?
    @usableFromInline package var count: Int
    /// Whether the nodes leave their place among those that stay.
    var isMoved = false
    /// By how much the level of each of the nodes changes.
    var levelShift: Int32 = 0

    @usableFromInline
    package init(source: Int?, count: Int, isMoved: Bool = false, levelShift: Int32 = 0) {
      self.source = source
      self.count = count
      self.isMoved = isMoved
      self.levelShift = levelShift
    }
  }

  @usableFromInline package let oldCount: Int
  @usableFromInline package let window: Range<Int>
  @usableFromInline package let pieces: [Piece]
  /// Number of nodes in the place of the window.
  @usableFromInline package let newWindowCount: Int

  init(oldCount: Int, window: Range<Int>, pieces: [Piece]) {
    self.oldCount = oldCount
    self.window = window
    self.pieces = pieces
    newWindowCount = pieces.reduce(0) { $0 + $1.count }
  }

  /// By how much what follows the window shifts.
  @usableFromInline package var shift: Int { newWindowCount - window.count }

  @usableFromInline package var newCount: Int { oldCount + shift }

  /// The nodes after the window, by their old positions.
  @usableFromInline package var tail: Range<Int> { window.upperBound..<oldCount }

  /// All nodes: what precedes the window, the pieces, and what follows.
  package var allPieces: [Piece] {
    let head = Piece(source: 0, count: window.lowerBound)
    return [head] + pieces + [Piece(source: tail.lowerBound, count: tail.count)]
  }

  /// The new positions of the nodes that are new, in runs.
  package var newNodes: [Range<Int>] {
    var target = window.lowerBound
    var runs: [Range<Int>] = []
    for piece in pieces {
      if piece.source == nil { runs.append(target..<target + piece.count) }
      target += piece.count
    }
    return runs
  }

  /// The new position of each node of the window; −1 for a node that went.
  package func windowNumbers() -> [Int32] {
    var numbers = [Int32](repeating: -1, count: window.count)
    var target = window.lowerBound
    for piece in pieces {
      if let source = piece.source {
        for offset in 0..<piece.count {
          numbers[source - window.lowerBound + offset] = Int32(target + offset)
        }
      }
      target += piece.count
    }
    return numbers
  }

  /// The new position of a node; `nil` if it went.
  ///
  /// - Complexity: O(pieces).
  package func newPosition(of node: Int) -> Int? {
    guard node >= window.lowerBound else { return node }
    guard node < window.upperBound else { return node + shift }
    var target = window.lowerBound
    for piece in pieces {
      if let source = piece.source, (source..<source + piece.count).contains(node) {
        return target + node - source
      }
      target += piece.count
    }
    return nil
  }

  /// Carries a bit for each node along; new nodes get 0.
  ///
  /// - Complexity: O(n / 64 + pieces).
  func carry(_ bits: BitVector) -> BitVector {
    var writer = BitWriter(capacity: newCount)
    for piece in allPieces {
      if let source = piece.source {
        writer.append(source..<source + piece.count, of: bits)
      } else {
        writer.appendClear(piece.count)
      }
    }
    return writer.finish()
  }
}

extension NodePermutation {
  /// A subtree goes.
  static func removing(_ subtree: Range<Int>, of count: Int) -> NodePermutation {
    NodePermutation(oldCount: count, window: subtree, pieces: [])
  }

  /// New nodes come.
  static func inserting(_ added: Int, at position: Int, into count: Int) -> NodePermutation {
    NodePermutation(
      oldCount: count,
      window: position..<position,
      pieces: [Piece(source: nil, count: added)]
    )
  }

  /// A subtree moves in front of the node that is at `target` before, which is not inside it.
  static func moving(
    _ subtree: Range<Int>,
    to target: Int,
    levelShift: Int32,
    of count: Int
  ) -> NodePermutation {
    let moved = Piece(
      source: subtree.lowerBound,
      count: subtree.count,
      isMoved: true,
      levelShift: levelShift
    )
    if target <= subtree.lowerBound {
      let passed = Piece(source: target, count: subtree.lowerBound - target)
      return NodePermutation(
        oldCount: count,
        window: target..<subtree.upperBound,
        pieces: [moved, passed]
      )
    }
    let passed = Piece(source: subtree.upperBound, count: target - subtree.upperBound)
    return NodePermutation(
      oldCount: count,
      window: subtree.lowerBound..<target,
      pieces: [passed, moved]
    )
  }

  /// All nodes in a new order.
  ///
  /// - Parameters:
  ///   - order: For each new position the old one, or −1 for a new node.
  ///   - oldCount: Number of nodes before.
  /// - Returns: The change that makes that order.
  /// - Complexity: O(n), and O(pieces × log pieces).
  @usableFromInline
  package static func ordering(_ order: [Int32], of oldCount: Int) -> NodePermutation {
    var pieces: [Piece] = []
    for source in order {
      if let last = pieces.indices.last, continues(pieces[last], with: source) {
        pieces[last].count += 1
      } else {
        pieces.append(Piece(source: source < 0 ? nil : Int(source), count: 1))
      }
    }
    markMoved(&pieces)
    return NodePermutation(oldCount: oldCount, window: 0..<oldCount, pieces: pieces)
  }

  private static func continues(_ piece: Piece, with source: Int32) -> Bool {
    guard let start = piece.source else { return source < 0 }
    return start + piece.count == Int(source)
  }

  /// Marks all pieces as moved but those that keep their order and together hold most nodes.
  static func markMoved(_ pieces: inout [Piece]) {
    let kept = pieces.indices.filter { pieces[$0].source != nil }
    let staying = HeaviestIncreasingSubsequence.find(
      in: kept.map { (key: pieces[$0].source ?? 0, weight: pieces[$0].count) }
    )
    for index in kept { pieces[index].isMoved = true }
    for index in staying { pieces[kept[index]].isMoved = false }
  }
}
