import Outlines
import Testing

@Suite("What does not fit")
struct InvalidNodeTests {
  private struct Record: Identifiable, Sendable, Equatable {
    var id: String
    var parent: String?
    var text = ""
  }

  private static let records = [
    Record(id: "a"), Record(id: "b", parent: "a"), Record(id: "b", parent: "a", text: "twin"),
    Record(id: "lost", parent: "nowhere"), Record(id: "below lost", parent: "lost"),
    Record(id: "x", parent: "y"), Record(id: "y", parent: "z"), Record(id: "z", parent: "x"),
    Record(id: "self", parent: "self"), Record(id: "c", parent: "b"),
  ]

  @Test func `is rejected with all the ids`() {
    let invalidNodes = #expect(throws: OutlineBuildError<String>.self) {
      try Outline(links: Self.records, parent: \.parent)
    }
    guard case .invalidNodes(let invalidNodes) = invalidNodes else {
      Issue.record("another error")
      return
    }
    #expect(invalidNodes.duplicates == ["b"])
    #expect(invalidNodes.orphans == [.init(id: "lost", parent: "nowhere")])
    #expect(invalidNodes.rings == [["x", "y", "z"], ["self"]])
  }

  private func placed(renaming: ((Record, Int) -> Record)?) throws -> Outline<Record> {
    try Outline(
      links: Self.records,
      parent: \.parent,
      invalidNodes: .group(Record(id: "unplaced"), renaming: renaming),
      expandedLevels: 9
    )
  }

  private func lines(_ outline: Outline<Record>) -> [String] {
    outline.rows.map { String(repeating: " ", count: $0.level) + $0.id }
  }

  @Test func `goes under a group of its own, duplicates with new ids`() throws {
    let outline = try placed { record, occurrence in
      Record(id: "\(record.id)#\(occurrence)", parent: record.parent, text: record.text)
    }
    #expect(
      lines(outline) == [
        "a", " b", "  c", "unplaced", " b#1", " lost", "  below lost", " x", "  z", "   y", " self",
      ]
    )
    #expect(outline["b#1"]?.value.text == "twin")
    #expect(outline.invalidNodes.rings.count == 2)
  }

  @Test func `duplicates are left out and named unless they are renamed`() throws {
    let outline = try placed(renaming: nil)
    #expect(
      lines(outline) == [
        "a", " b", "  c", "unplaced", " lost", "  below lost", " x", "  z", "   y", " self",
      ]
    )
    #expect(outline.invalidNodes.duplicates == ["b"])
    #expect(outline.contains("below lost"))
  }

  @Test func `an id that renaming makes must be new`() {
    #expect(throws: OutlineBuildError<String>.invalidNodes(InvalidNodes.twice("a"))) {
      try placed { record, _ in Record(id: "a", parent: record.parent) }
    }
  }

  @Test func `there is no group when everything fits`() throws {
    let outline = try Outline(
      links: [Record(id: "b", parent: "a"), Record(id: "a")],
      parent: \.parent,
      invalidNodes: .group(Record(id: "unplaced")),
      sortedBy: \.id
    )
    #expect(outline.values.map(\.id) == ["a", "b"])
    #expect(outline.invalidNodes.isEmpty)
  }

  private final class Link: Identifiable, Sendable {
    let id: Int
    // Unsafe: written before the outline is built.
    nonisolated(unsafe) var next: [Link] = []

    init(_ id: Int) { self.id = id }
  }

  @Test func `nested values that contain themselves are found`() {
    let links = (0..<5).map(Link.init)
    for (index, link) in links.enumerated() { link.next = [links[index == 4 ? 2 : index + 1]] }
    defer { for link in links { link.next = [] } }
    #expect(throws: OutlineBuildError<Int>.endless([2, 3, 4])) {
      try Outline(nested: [links[0]], children: \.next)
    }
  }

  @Test func `nested ids must differ`() {
    #expect(throws: OutlineBuildError<String>.invalidNodes(InvalidNodes.twice("a"))) {
      try Outline(nested: [Record(id: "a"), Record(id: "a")], children: { _ in [] }, value: { $0 })
    }
  }

  @Test func `levels must follow`() {
    #expect(throws: OutlineBuildError<String>.hierarchy(.wrongLevel(node: 1))) {
      try Outline(levels: [0, 2], values: [Record(id: "a"), Record(id: "b")])
    }
  }
}

extension InvalidNodes {
  /// One id that several nodes have.
  fileprivate static func twice(_ id: ID) -> InvalidNodes { InvalidNodes(duplicates: [id]) }
}
