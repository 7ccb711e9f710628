/// The rising subsequence with the greatest sum of weights.
///
/// It tells which parts of a list may be taken to have stayed when their order has changed.
enum HeaviestIncreasingSubsequence {
  /// - Parameter items: Keys that differ, with weights of at least 1.
  /// - Returns: The indices of the chosen items, rising.
  /// - Complexity: O(k log k); O(k) when the keys rise already.
  static func find(in items: [(key: Int, weight: Int)]) -> [Int] {
    guard zip(items, items.dropFirst()).contains(where: { $0.key > $1.key }) else {
      return Array(items.indices)
    }
    var best = PrefixMaximumTree(count: items.count)
    var sums = [Int](repeating: 0, count: items.count)
    var previous = [Int](repeating: -1, count: items.count)
    for (index, rank) in ranks(of: items).enumerated() {
      let before = best.maximum(before: rank)
      previous[index] = before
      sums[index] = items[index].weight + (before < 0 ? 0 : sums[before])
      best.raise(rank, to: index, sums: sums)
    }
    var chosen: [Int] = []
    var index = sums.indices.max { sums[$0] < sums[$1] } ?? -1
    while index >= 0 {
      chosen.append(index)
      index = previous[index]
    }
    return chosen.reversed()
  }

  private static func ranks(of items: [(key: Int, weight: Int)]) -> [Int] {
    var ranks = [Int](repeating: 0, count: items.count)
    let order = items.indices.sorted { items[$0].key < items[$1].key }
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }
}

/// For each rank the item with the greatest sum among the ranks before it, in a Fenwick tree.
///
/// P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994.
private struct PrefixMaximumTree {
  /// Item of the greatest sum in each node of the tree, −1 for none; 1-based.
  private var items: [Int]
  private var sums: [Int]

  init(count: Int) {
    items = Array(repeating: -1, count: count + 1)
    sums = Array(repeating: 0, count: count + 1)
  }

  /// The item with the greatest sum among the ranks less than `rank`; −1 for none.
  func maximum(before rank: Int) -> Int {
    var best = 0
    var node = rank
    while node > 0 {
      if sums[node] > sums[best] { best = node }
      node -= node & -node
    }
    return items[best]
  }

  mutating func raise(_ rank: Int, to item: Int, sums itemSums: [Int]) {
    var node = rank + 1
    while node < items.count {
      if itemSums[item] > sums[node] {
        sums[node] = itemSums[item]
        items[node] = item
      }
      node += node & -node
    }
  }
}
