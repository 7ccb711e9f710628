import Seeds
import Testing

@testable import DirectoryModel

@Suite("Orders of siblings")
struct SiblingPlacesTests {
  private func places(_ orders: [Int64?], ranks: [Int]? = nil) -> [SiblingOrderPlanner.Sibling] {
    orders.enumerated().map { SiblingOrderPlanner.Sibling(order: $1, rank: ranks?[$0] ?? $0) }
  }

  @Test(
    arguments: [
      ([1, 2, 3], [0, 1, 2], [1, 2, 3]), ([4, 1, 2, 3], [3, 0, 1, 2], [-9, 1, 2, 3]),
      ([2, 3, 4, 1], [1, 2, 3, 0], [2, 3, 4, 14]), ([10, 30, 20], [0, 2, 1], [10, 15, 20]),
      ([0, 0, 0], [0, 1, 2], [0, 0, 0]), ([0, 0, 0], [2, 0, 1], [-10, 0, 0]),
      ([0, 0, 0, 0], [0, 3, 1, 2], [-20, -10, 0, 0]), ([.max, .min], [1, 0], [0, 10]),
    ] as [([Int64], [Int], [Int64])]
  )
  func `few change`(_ orders: [Int64], _ ranks: [Int], _ wanted: [Int64]) {
    #expect(SiblingOrderPlanner.orders(of: places(orders, ranks: ranks)) == wanted)
  }

  @Test func `they stand as they are to, whatever they had`() {
    for seed in UInt64(0)..<400 {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 0...12, using: &random)
      let siblings = (0..<count).shuffled(using: &random).map { rank in
        SiblingOrderPlanner.Sibling(
          order: Int.random(in: 0..<6, using: &random) == 0
            ? nil : Int64.random(in: -4...4, using: &random),
          rank: rank
        )
      }
      let orders = SiblingOrderPlanner.orders(of: siblings)
      for place in 1..<max(1, count) {
        let (left, right) = (siblings[place - 1], siblings[place])
        // Those that kept their orders may share one where their names say the rest.
        let areKept = left.order == orders[place - 1] && right.order == orders[place]
        #expect(
          orders[place - 1] < orders[place]
            || areKept && orders[place - 1] == orders[place] && left.rank < right.rank,
          "seed \(seed): \(orders)"
        )
      }
    }
  }
}
