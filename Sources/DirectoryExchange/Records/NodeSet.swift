/// Some nodes of the tree, or rows of records, a bit for each.
package struct NodeSet: Sendable {
  private var words: [UInt64]
  /// The deepest level below the top of what was added.
  package private(set) var deepest = 0

  /// - Parameter count: Nodes of the whole tree.
  package init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

  package func contains(_ node: Int) -> Bool { words[node / 64] >> UInt64(node % 64) & 1 == 1 }

  /// - Returns: Whether the node is new here.
  @discardableResult
  package mutating func insert(_ node: Int, depth: Int = 0) -> Bool {
    let bit: UInt64 = 1 << UInt64(node % 64)
    defer { words[node / 64] |= bit }
    deepest = max(deepest, depth)
    return words[node / 64] & bit == 0
  }

  /// Calls `body` for every node, rising.
  package func forEach(_ body: (Int) throws -> Void) rethrows {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        try body(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
}

/// The departments that the row last written lies in, outermost first.
///
/// Rows that are left out (a person's departments where only people are written) are missing here
/// too: then what is written hangs on the nearest department that is.
struct OpenDepartments<Value> {
  private var open: [(depth: Int, value: Value)] = []

  /// How many departments the next row lies in.
  var count: Int { open.count }
  var innermost: Value? { open.last?.value }

  /// Leaves the departments that a row of a depth is not in.
  mutating func leave(for depth: Int) {
    while let last = open.last, last.depth >= depth { open.removeLast() }
  }

  mutating func enter(_ value: Value, depth: Int) { open.append((depth, value)) }
}
