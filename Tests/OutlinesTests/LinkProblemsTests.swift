import Seeds
import OutlineModel
import Outlines
import Testing

@Suite("What cannot be linked")
struct LinkProblemsTests {
  @Test func `sound links have no problems`() {
    #expect(LinkProblems.find(in: [-1, 0, 0, 2, -1]).isEmpty)
    #expect(LinkProblems.find(in: []).isEmpty)
  }

  @Test func `rings are named from their least index along the links`() {
    //               0  1  2  3  4   5  6  7
    let problems = LinkProblems.find(in: [5, 1, 7, 6, -1, 3, 2, 3])
    #expect(problems.rings == [[1], [2, 7, 3, 6]])
    #expect(problems.outOfRange.isEmpty)
  }

  @Test func `what hangs below a ring is in none`() {
    #expect(LinkProblems.find(in: [2, 3, 1, 2, 0]).rings == [[1, 3, 2]])
  }

  @Test func `parents that are no index are told apart from roots`() {
    let problems = LinkProblems.find(in: [-1, -2, 4, Int32.max, Int32.min, 0])
    #expect(problems.outOfRange == [1, 3, 4])
    #expect(problems.rings.isEmpty)
    #expect(!problems.isEmpty)
  }

  @Test(arguments: newSeeds(20))
  func `random links have the rings that walking from each node finds`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...150, using: &generator)
    let parents = (0..<count).map { _ in
      Int32.random(in: -1..<Int32(count), using: &generator)
    }
    var expected: [[Int]] = []
    for start in 0..<count {
      var walk = [start]
      while walk.count <= count, case let next = Int(parents[walk[walk.count - 1]]), next >= 0,
        next != start
      {
        walk.append(next)
      }
      let closes = Int(parents[walk[walk.count - 1]]) == start
      if closes, walk.count <= count, walk.min() == start { expected.append(walk) }
    }
    #expect(LinkProblems.find(in: parents).rings == expected)
  }

  @Test func `with the rings cut everything can be linked`() throws {
    var generator = SeededGenerator(seed: 7)
    var parents = (0..<500).map { _ in Int32.random(in: 0..<500, using: &generator) }
    let problems = LinkProblems.find(in: parents)
    #expect(!problems.rings.isEmpty)
    for ring in problems.rings { parents[ring[0]] = Hierarchy.noParent }
    try Hierarchy.link(parents: parents, by: <).hierarchy.validate()
  }

  @Test func `a ring of a million is found`() {
    let count = 1_000_000
    let parents = (0..<count).map { Int32(($0 + 1) % count) }
    let rings = LinkProblems.find(in: parents).rings
    #expect(rings.count == 1)
    #expect(rings.first?.count == count)
    #expect(rings.first?.prefix(3) == [0, 1, 2])
  }
}
