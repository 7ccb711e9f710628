import Outlines
import Testing

@Suite("Nested values")
struct NestedTests {
  private struct Shelf: Identifiable, Sendable {
    struct Contents: Sendable {
      var label = "contents"
      var shelves: [Shelf]
    }

    let id: Int
    var contents: Contents

    init(_ id: Int, _ shelves: [Shelf] = []) {
      self.id = id
      contents = Contents(shelves: shelves)
    }

    var reversed: [Shelf] { contents.shelves.reversed() }
    var some: [Shelf]? { contents.shelves.isEmpty ? nil : contents.shelves }
  }

  private final class Box: Identifiable, Sendable {
    let id: Int
    let boxes: [Box]

    init(_ id: Int, _ boxes: [Box] = []) { (self.id, self.boxes) = (id, boxes) }
  }

  @Test func `children are stored, inside a member, computed, or behind a reference`() throws {
    let shelves = [Shelf(1, [Shelf(2, [Shelf(3)]), Shelf(4)]), Shelf(5)]
    let stored = try Outline(nested: shelves, children: \.contents.shelves)
    #expect(stored.values.map(\.id) == [1, 2, 3, 4, 5])
    #expect(Array(stored.hierarchy.levels) == [0, 1, 2, 1, 0])
    let computed = try Outline(nested: shelves, children: \.reversed)
    #expect(computed.values.map(\.id) == [1, 4, 2, 3, 5])
    let optional = try Outline(nested: shelves, children: \.some)
    #expect(optional.hierarchy.nodes.filter(optional.hierarchy.isGroup) == [0, 1])
    let boxes = [Box(1, [Box(2), Box(3, [Box(4)])])]
    #expect(try Outline(nested: boxes, children: \.boxes).values.map(\.id) == [1, 2, 3, 4])
  }
}
