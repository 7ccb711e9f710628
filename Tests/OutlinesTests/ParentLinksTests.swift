import Seeds
import OutlineModel
import Outlines
import Testing

@Suite("Links by id")
struct ParentLinksTests {
  private func resolve<ID: Hashable & Sendable>(_ links: [(ID, ID?)]) -> ParentLinks<ID> {
    ParentLinks(links.map { (id: $0.0, parent: $0.1) })
  }

  @Test func `parents are found wherever they stand`() {
    let links = resolve([
      ("storage", "engineering"), ("engineering", "company"), ("company", nil),
      ("sales", "company"),
    ])
    #expect(links.parents == [1, 2, -1, 2])
    #expect(links.orphans.isEmpty)
    #expect(links.duplicates.isEmpty)
  }

  @Test func `orphans are named with the parent they miss`() {
    let links = resolve([("a", "nowhere"), ("b", "a"), ("c", "gone")])
    #expect(links.parents == [-1, 0, -1])
    #expect(links.orphans.map(\.index) == [0, 2])
    #expect(links.orphans.map(\.parent) == ["nowhere", "gone"])
  }

  @Test func `duplicates are named with all their inputs, and links lead to the first`() {
    let links = resolve([(7, nil), (8, 7), (9, 8), (8, nil), (7, 9), (8, 7)])
    #expect(links.parents == [-1, 0, 1, -1, 2, 0])
    #expect(links.duplicates.map(\.id) == [7, 8])
    #expect(links.duplicates.map(\.indices) == [[0, 4], [1, 3, 5]])
  }

  @Test func `a node that names itself is a ring`() {
    let links = resolve([(1, nil), (2, 2)])
    #expect(links.parents == [-1, 1])
    #expect(links.orphans.isEmpty)
    #expect(LinkProblems.find(in: links.parents).rings == [[1]])
  }

  @Test func `ids whose hashes all agree are still told apart`() {
    struct Colliding: Hashable, Sendable {
      let value: Int
      func hash(into hasher: inout Hasher) {}
    }
    let links = ParentLinks<Colliding>(
      count: 200,
      id: { Colliding(value: $0) },
      parent: { $0 == 0 ? nil : Colliding(value: $0 / 2) }
    )
    let expected = [Hierarchy.noParent] + (1..<200).map { Int32($0 / 2) }
    #expect(links.parents == expected)
    #expect(links.duplicates.isEmpty)
  }

  @Test(arguments: newSeeds(10))
  func `random links agree with a dictionary`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...2000, using: &generator)
    let ids = (0..<count).map { _ in Int.random(in: 0..<2 * count, using: &generator) }
    let parents = (0..<count).map { _ in
      Bool.random(using: &generator) ? Int.random(in: 0..<2 * count, using: &generator) : nil
    }
    let links = ParentLinks<Int>(count: count, id: { ids[$0] }, parent: { parents[$0] })
    let indices = Dictionary(grouping: 0..<count) { ids[$0] }
    func first(_ id: Int?) -> Int? { id.flatMap { indices[$0]?[0] } }
    let expected = parents.map { Int32(first($0) ?? -1) }
    let orphans = (0..<count).filter { parents[$0] != nil && first(parents[$0]) == nil }
    #expect(links.parents == expected)
    #expect(links.orphans.map(\.index) == orphans)
    let repeated = indices.filter { $0.value.count > 1 }.sorted { $0.value[0] < $1.value[0] }
    #expect(links.duplicates.map(\.id) == repeated.map(\.key))
    #expect(links.duplicates.map(\.indices) == repeated.map(\.value))
  }
}
