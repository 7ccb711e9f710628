import OutlineModel
import Outlines
import Testing

@Suite("Subtrees")
struct SubtreeTests {
  private typealias Unit = Company.Unit

  @Test func `one that was removed comes back as open as it was`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    outline.expand("network")
    outline.setAlwaysOpen("storage")
    let before = outline.seen
    let branch = try #require(outline.subtree(of: "engineering"))
    #expect(
      branch.seen == [
        "▾ engineering", " ▾ storage", "  disk", "  tape", " ▾ network", "  switch",
      ]
    )
    let going = try outline.remove("engineering")
    let coming = try outline.insert(subtree: branch, under: "company", at: 0)
    #expect(outline.seen == before)
    #expect(outline.isAlwaysOpen("storage"))
    #expect(going.removed == coming.inserted && coming.redrawn.isEmpty)
  }

  @Test func `one that is replaced keeps its rows and is open as in the new one`() throws {
    var outline = try Company.outline(expandedLevels: 9)
    var other = try Outline(
      nested: [
        Unit(
          id: "engineering",
          members: [
            Unit(id: "network", members: [Unit(id: "switch")]),
            Unit(id: "storage", members: [Unit(id: "disk"), Unit(id: "flash")]),
          ]
        )
      ],
      children: \.members
    )
    other.expand(["engineering", "storage"])
    try other.setNotLoaded("network")
    let changes = try outline.replaceSubtree(of: "engineering", with: other) { $0.id != $1.id }
    #expect(
      outline.seen == [
        "▾ company", " ▾ engineering", "  ▸ network", "  ▾ storage", "   disk", "   flash",
        " ▾ sales", "  shop", " ▹ legal",
      ]
    )
    #expect(outline.childrenState(of: "network") == .notLoaded)
    #expect(changes.removed == [4..<5, 6..<7] && changes.inserted == [5..<6])
    #expect(changes.moved.map { [$0.from, $0.to] } == [[2..<4, 3..<5]])
    #expect(changes.redrawn == [2..<5])
  }

  @Test func `several roots or none come in the place of one node`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    let two = try Outline(levels: [0, 0], values: [Unit(id: "east"), Unit(id: "west")])
    try outline.replaceSubtree(of: "sales", with: two)
    #expect(outline.seen == ["▾ company", " ▸ engineering", " east", " west", " ▹ legal"])
    try outline.replaceSubtree(of: "east", with: Outline())
    #expect(outline.seen == ["▾ company", " ▸ engineering", " west", " ▹ legal"])
  }

  @Test func `an id that is elsewhere is refused, and nothing changes`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    let before = outline.seen
    let other = try Outline(levels: [0, 1], values: [Unit(id: "new"), Unit(id: "shop")])
    #expect(throws: OutlineError<String>.duplicateID("shop")) {
      try outline.insert(subtree: other, under: "legal")
    }
    #expect(throws: OutlineError<String>.duplicateID("shop")) {
      try outline.replaceSubtree(of: "engineering", with: other)
    }
    #expect(throws: OutlineError<String>.indexOutOfRange(3, under: "legal")) {
      try outline.insert(subtree: other, under: "legal", at: 3)
    }
    #expect(outline.seen == before)
    try outline.replaceSubtree(of: "sales", with: other)
    #expect(outline["shop"]?.parent?.id == "new")
  }
}

@Suite("Row changes")
struct RowChangesTests {
  @Test func `are composed into one`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    let before = outline.seen
    let opening = outline.expand("engineering")
    let moving = try outline.move("engineering", under: "company")
    let both = opening.followed(by: moving)
    var list = before
    let seen = outline.seen
    both.apply(to: &list) { seen[$0] }
    #expect(list == seen)
    #expect(both.inserted == [4..<6] && both.removed.isEmpty)
    // What the first redraws is redrawn where the second leaves it.
    #expect(both.redrawn == [2..<4])
    let closing = outline.collapse("engineering")
    #expect(opening.followed(by: .none) == opening)
    #expect(RowChanges.none.followed(by: opening) == opening)
    #expect(both.followed(by: closing).inserted.isEmpty)
  }

  @Test func `there and back again moves nothing`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    let there = try outline.move("sales", under: "company", at: 0)
    let back = try outline.move("sales", under: "company", at: 1)
    let both = there.followed(by: back)
    #expect(!there.moved.isEmpty && !back.moved.isEmpty)
    #expect(both.moved.isEmpty && both.removed.isEmpty && both.inserted.isEmpty)
  }

  @Test func `lead to another outline as it is open and filtered`() throws {
    let outline = try Company.outline(expandedLevels: 1)
    var other = outline
    other.expand("sales")
    try other.remove("legal")
    try other.filter { $0.id == "shop" }
    let changes = outline.rowChanges(to: other)
    #expect(changes.removed == [1..<2, 3..<4] && changes.inserted == [2..<3])
    #expect(changes.redrawn == [0..<2])
    #expect(outline.rowChanges(to: outline) == .none)
    #expect(other.rowChanges(to: outline).inserted == [1..<2, 3..<4])
  }
}
