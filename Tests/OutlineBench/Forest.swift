import Outlines

/// What a caller would nest: an id and the children.
struct Nest: Identifiable, Sendable {
  let id: Int
  let children: [Nest]

  /// As many levels as give the wanted count, with `width` children below every node.
  static func roots(width: Int, depth: Int) -> [Nest] {
    var next = 0
    func nests(_ rest: Int) -> [Nest] {
      guard rest > 0 else { return [] }
      return (0..<width).map { _ in
        next += 1
        // Not in the order of the nodes, as ids of real data are.
        return Nest(id: next &* 0x9E37_79B1 % 0xFFFF_FFFB, children: nests(rest - 1))
      }
    }
    return nests(depth)
  }
}

/// What the outline keeps of it.
struct Number: Identifiable, Sendable {
  let id: Int
}

/// The trees of the measurements, by width and depth.
struct Size {
  let width: Int
  let depth: Int

  static let all = [
    Size(width: 3, depth: 10), Size(width: 4, depth: 9), Size(width: 3, depth: 12),
    Size(width: 3, depth: 14),
  ]

  /// Number of nodes: the sum of the powers of the width.
  var count: Int {
    (1...depth).reduce((sum: 0, power: 1)) { total, _ in
      (total.sum + total.power * width, total.power * width)
    }.sum
  }
}
