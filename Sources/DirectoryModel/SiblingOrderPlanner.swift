import Platform

/// Finds orders for siblings, or rules, that are to stand in a sequence, and changes as few as it can.
///
/// Siblings are sorted by their order, then by name and id. What keeps its order is a longest part
/// of the sequence that is sorted already; the rest gets numbers in between. Where there are none, all before or all behind,
/// whichever is shorter, is renumbered.
package struct SiblingOrderPlanner {
  package struct Sibling {
    /// The order that it has; `nil` for what is new.
    var order: Int64?
    /// Where its name and id stand among all siblings; equal for none.
    var rank: Int

    package init(order: Int64?, rank: Int) { (self.order, self.rank) = (order, rank) }
  }

  /// The distance between orders that are reassigned, so that there is room for later.
  private static let step: Int64 = 10

  /// The orders of siblings that come in this sequence.
  ///
  /// - Complexity: O(n log n).
  package static func orders(of siblings: [Sibling]) -> [Int64] {
    let kept = longestRise(in: siblings)
    var orders = siblings.map { $0.order ?? 0 }
    guard let first = kept.first, let last = kept.last,
      [first, last].allSatisfy({ orders[$0].magnitude < UInt64(1) << 62 })
    else { return siblings.indices.map { Int64($0) * step } }
    number(0..<first, before: orders[first], &orders)
    number((last + 1)..<siblings.count, behind: orders[last], &orders)
    var narrow: [(left: Int, right: Int)] = []
    for (left, right) in zip(kept, kept.dropFirst()) {
      let gap = (left + 1)..<right
      if !fill(gap, above: orders[left], below: orders[right], &orders) {
        narrow.append((left, right))
      }
    }
    if let left = narrow.first?.left, let right = narrow.last?.right {
      if right <= siblings.count - left {
        number(0..<right, before: orders[right], &orders)
      } else {
        number((left + 1)..<siblings.count, behind: orders[left], &orders)
      }
    }
    return orders
  }

  private static func number(
    _ places: Range<Int>,
    before limit: Int64,
    _ orders: inout [Int64]
  ) {
    for (distance, place) in places.reversed().enumerated() {
      orders[place] = limit - Int64(distance + 1) * step
    }
  }

  private static func number(
    _ places: Range<Int>,
    behind limit: Int64,
    _ orders: inout [Int64]
  ) {
    for (distance, place) in places.enumerated() {
      orders[place] = limit + Int64(distance + 1) * step
    }
  }

  /// Whether there were enough numbers between the two.
  private static func fill(
    _ places: Range<Int>,
    above low: Int64,
    below high: Int64,
    _ orders: inout [Int64]
  ) -> Bool {
    guard !places.isEmpty else { return true }
    let room = high - low
    guard room > Int64(places.count) else { return false }
    let step = min(room / Int64(places.count + 1), Self.step)
    for (index, place) in places.enumerated() { orders[place] = low + Int64(index + 1) * step }
    return true
  }

  /// The places of a longest rising part of those that have an order.
  private static func longestRise(in siblings: [Sibling]) -> [Int] {
    let places = siblings.indices.filter { siblings[$0].order != nil }
    let sorted = places.sorted { left, right in
      (siblings[left].order ?? 0, siblings[left].rank)
        < (siblings[right].order ?? 0, siblings[right].rank)
    }
    var keys = [UInt64](repeating: 0, count: siblings.count)
    for (key, place) in sorted.enumerated() { keys[place] = UInt64(key) }
    let strays = Set(LongestIncreasingSubsequence.strays(in: places.map { keys[$0] }))
    return places.indices.filter { !strays.contains($0) }.map { places[$0] }
  }
}
