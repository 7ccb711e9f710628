import OutlineModel
import Outlines
import Testing

@Suite("Editing")
struct EditTests {
  @Test func `refusals name the reason and change nothing`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    let before = outline.seen
    func refuse(
      _ reason: OutlineError<String>,
      _ edit: (inout Outline<Company.Unit>) throws -> RowChanges
    ) {
      #expect(throws: reason) { try edit(&outline) }
      #expect(outline.seen == before)
    }
    refuse(.duplicateID("disk")) { try $0.append(.init(id: "disk"), under: "sales") }
    refuse(.unknownParent("nobody")) { try $0.append(.init(id: "new"), under: "nobody") }
    refuse(.indexOutOfRange(2, under: "sales")) {
      try $0.insert(.init(id: "new"), under: "sales", at: 2)
    }
    refuse(.unknownID("nobody")) { try $0.remove("nobody") }
    refuse(.wouldCreateCycle(moving: "engineering", under: "disk")) {
      try $0.move("engineering", under: "disk")
    }
    refuse(.wouldCreateCycle(moving: "sales", under: "sales")) {
      try $0.move("sales", under: "sales")
    }
    refuse(.notAPermutation(of: "storage")) {
      try $0.reorder(childrenOf: "storage", to: ["disk", "disk"])
    }
    refuse(.notAGroup("disk")) { try $0.setNotLoaded("disk") }
  }

  @Test func `a batch with one wrong edit is refused whole`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    let before = outline.seen
    #expect(throws: RefusedEdit(index: 2, reason: OutlineError<String>.unknownID("disk"))) {
      try outline.apply([
        .move("sales", under: "legal"), .remove("storage"), .update(.init(id: "disk")),
      ])
    }
    #expect(outline.seen == before)
  }

  @Test func `edits of a batch find what those before left`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    try outline.apply([
      .insert(.init(id: "board"), isGroup: true, at: 0),
      .insert(.init(id: "chair"), under: "board"),
      .move("sales", under: "board", at: 0),
      .remove("engineering"),
      .insert(.init(id: "engineering"), under: "board"),
    ])
    outline.expand("board")
    #expect(
      outline.seen == [
        "▾ board", " ▸ sales", " chair", " engineering", "▾ company", " ▹ legal",
      ]
    )
  }

  @Test func `a batch may remove a child after its parent, and nothing twice`() throws {
    var outline = try Company.outline(expandedLevels: 9)
    let changes = try outline.apply([.remove("engineering"), .remove("disk"), .remove("storage")])
    #expect(changes.removed == [1..<7])
    #expect(outline.seen == ["▾ company", " ▾ sales", "  shop", " ▹ legal"])
    #expect(throws: RefusedEdit(index: 2, reason: OutlineError<String>.unknownID("sales"))) {
      try outline.apply([.remove("sales"), .remove("shop"), .remove("sales")])
    }
  }

  @Test func `a root that comes or goes at the end leaves what is below the others alone`() throws {
    var outline = try Company.outline(expandedLevels: 9)
    #expect(try outline.append(.init(id: "board")).redrawn == [0..<1])
    #expect(try outline.remove("board").redrawn == [0..<1])
    #expect(try outline.apply([.insert(.init(id: "board"))]).redrawn == [0..<1])
    #expect(try outline.move("board", at: 0).redrawn == [0..<2])
    // Below a root there are lines.
    #expect(try outline.append(.init(id: "press"), under: "company").redrawn == [10..<11])
  }

  @Test func `nodes come before and after a sibling, which knows its index`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    #expect(try outline.insert(.init(id: "law"), before: "sales").inserted == [2..<3])
    #expect(
      try outline.insert(.init(id: "works"), isGroup: true, after: "engineering").inserted == [
        2..<3
      ]
    )
    try outline.insert(contentsOf: [.init(id: "a"), .init(id: "b")], after: "legal")
    try outline.apply([
      .insertBefore("company", .init(id: "board")), .insertAfter("b", .init(id: "c")),
    ])
    #expect(
      outline.seen == [
        "board", "▾ company", " ▸ engineering", " ▹ works", " law", " ▸ sales", " ▹ legal", " a",
        " b",
        " c",
      ]
    )
    #expect(
      ["board", "company", "engineering", "law", "c"].map { outline[$0]?.childIndex } == [
        0, 1, 0, 2, 7,
      ]
    )
    #expect(throws: OutlineError<String>.unknownID("nobody")) {
      try outline.insert(.init(id: "d"), before: "nobody")
    }
    #expect(throws: OutlineError<String>.duplicateID("law")) {
      try outline.insert(.init(id: "law"), after: "sales")
    }
  }

  @Test func `removing forgets what was open below`() throws {
    var outline = try Company.outline(expandedLevels: 9)
    let branch = try #require(outline["engineering"])
    try outline.remove("engineering")
    #expect(!outline.contains("disk"))
    try outline.insert(branch.value, under: "company", at: 0)
    try outline.append(.init(id: "storage"), under: "engineering")
    #expect(outline.disclosure(of: "engineering") == .collapsed)
  }

  @Test func `moving keeps what is open and says what moved`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    outline.expand("storage")
    let changes = try outline.move("storage", under: "sales", at: 0)
    #expect(changes.removed.isEmpty && changes.inserted.isEmpty)
    #expect(changes.moved.map { [$0.from, $0.to] } == [[2..<5, 4..<7]])
    #expect(
      outline.seen == [
        "▾ company", " ▾ engineering", "  ▸ network", " ▾ sales", "  ▾ storage", "   disk",
        "   tape", "  shop", " ▹ legal",
      ]
    )
  }

  @Test func `reloading keeps by id what is open`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    outline.expand("network")
    let other = try Outline(
      nested: [
        Company.Unit(id: "network", members: [.init(id: "switch"), .init(id: "router")]),
        Company.Unit(id: "company", members: [.init(id: "legal")]),
      ],
      children: \.members
    )
    let changes = outline.reload(other)
    #expect(outline.seen == ["▾ network", " switch", " router", "▾ company", " legal"])
    #expect(changes.moved.count == 1)
    #expect(changes.inserted == [2..<3])
  }

  @Test func `reloading makes new nodes always open as the other outline has them`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    outline.setAlwaysOpen("sales")
    var other = try Outline(
      nested: Company.units + [Company.Unit(id: "board", members: [.init(id: "chair")])],
      children: \.members
    )
    other.setAlwaysOpen("board")
    other.setAlwaysOpen("legal")
    outline.reload(other)
    #expect(["sales", "board", "legal"].map { outline.isAlwaysOpen($0) } == [true, true, false])
    #expect(outline.collapseAll(keepingDescendants: true).redrawn == [0..<1])
    #expect(outline.seen == ["▸ company", "▾ board", " chair"])
  }

  @Test func `a copy is left alone by edits of the original`() throws {
    var outline = try Company.outline(expandedLevels: 9)
    let before = outline
    try outline.remove("engineering")
    try outline.move("shop", under: nil)
    #expect(before.count == 10)
    #expect(before.position(of: "shop") == 8)
    #expect(before.seen.count == 10)
    #expect(before["disk"]?.path.map(\.id) == ["company", "engineering", "storage", "disk"])
  }

  @Test func `changes are applied to a list in the order of UIKit`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    var list = outline.seen
    let steps: [(inout Outline<Company.Unit>) throws -> RowChanges] = [
      { $0.expand(["engineering", "sales"]) }, { try $0.move("sales", at: 0) },
      { try $0.filter { $0.id.contains("s") } }, { try $0.remove("storage") },
      { $0.clearFilter() }, { $0.sort { $0.id < $1.id } }, { $0.collapseAll() },
    ]
    for step in steps {
      let changes = try step(&outline)
      let seen = outline.seen
      changes.apply(to: &list) { seen[$0] }
      #expect(list == seen)
    }
  }

  @Test func `many edits, one after the other, stay in place`() throws {
    var outline = try Outline(levels: [0], values: [Item(id: 0)], isGroup: { _ in true })
    for id in 1...2_000 { try outline.insert(Item(id: id), under: 0, at: id % 2 == 0 ? 0 : nil) }
    for id in 1...1_000 { try outline.remove(id * 2) }
    #expect(outline.values.map(\.id) == [0] + stride(from: 1, to: 2_000, by: 2))
    #expect((1...2_000).allSatisfy { outline.contains($0) == ($0 % 2 == 1) })
  }
}

extension Outline {
  /// The sign of a group by its id.
  func disclosure(of id: ID) -> Disclosure? { self[id]?.disclosure }
}
