import DirectoryTestSupport
import Seeds
import DirectoryExchange
import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryReading

extension Directory {
  /// Rows as lines: two blanks a level, the id, `/` behind a department, `.` at the last sibling,
  /// `+` where collapsed, `!` at a match.
  fileprivate func lines(of request: TreeRequest) throws -> [String] {
    try rows(of: request).map { row in
      String(repeating: "  ", count: row.depth) + row.row.id
        + (row.row.kind == .department ? "/" : "")
        + (row.row.disclosure == .collapsed ? "+" : "") + (row.isLastSibling ? "." : "")
        + (row.isMatch ? "!" : "")
    }
  }
}

@Suite("The rows of the tree")
struct TreeRequestTests {
  private func directory() throws -> Directory {
    var company = Company()
    try company.department("root", name: "Lumen")
    try company.department("a", under: "root", name: "Atelier", description: "where it is made")
    try company.department("a1", under: "a", name: "Lamps")
    try company.department("b", under: "root", name: "Bureau")
    try company.department("e", under: "b", name: "Empty")
    try company.user("ann", in: "a1", name: "Ann", title: "Lamp maker", email: "ann@x.example")
    try company.user("bo", in: "a", name: "Bo", title: "Chief")
    try company.user("cy", in: "root", name: "Cy", phone: "+1 555 0100")
    try company.member("ann", of: "b", title: "Adviser")
    return try company.directory()
  }

  private func node(_ id: String, in directory: Directory) throws -> Node {
    try #require(try directory.node(of: DepartmentID(id)))
  }

  private func request(
    _ opening: TreeRequest.Opening,
    root: Node? = nil,
    depth: Int? = nil,
    kinds: TreeRequest.Kinds = .everything,
    filter: String? = nil
  ) -> TreeRequest {
    var request = TreeRequest(opening: opening)
    request.root = root
    request.depth = depth
    request.kinds = kinds
    request.filter = filter
    return request
  }

  @Test func `everything is shown when all is open`() throws {
    #expect(
      try directory().lines(of: request(.all)) == [
        "root/.", "  a/", "    a1/", "      ann.", "    bo.", "  b/", "    e/", "    ann.", "  cy.",
      ]
    )
  }

  @Test func `levels open from the top`() throws {
    let directory = try directory()
    #expect(try directory.lines(of: request(.levels(0))) == ["root/+."])
    #expect(
      try directory.lines(of: request(.levels(1))) == ["root/.", "  a/+", "  b/+", "  cy."]
    )
    let whole = try directory.lines(of: request(.all))
    #expect(try directory.lines(of: request(.levels(.max))) == whole)
  }

  @Test func `levels are counted from the department shown, whatever their number`() throws {
    let directory = try directory()
    let a = try node("a", in: directory)
    #expect(try directory.lines(of: request(.levels(1), root: a)) == ["a/.", "  a1/+", "  bo."])
    #expect(
      try directory.lines(of: request(.levels(.max), root: a))
        == ["a/.", "  a1/", "    ann.", "  bo."]
    )
  }

  @Test func `the department shown is open, whatever the view says, and is the last of its kind`()
    throws
  {
    let directory = try directory()
    let root = try node("b", in: directory)
    for opening in [TreeRequest.Opening.view(SavedView()), .levels(0), .all] {
      #expect(
        try directory.lines(of: request(opening, root: root)) == ["b/.", "  e/", "  ann."]
      )
    }
  }

  @Test func `the saved view opens what it names and nothing else`() throws {
    let view = SavedView(expanded: Set(["root", "b", "gone"].map { DepartmentID($0) }))
    #expect(
      try directory().lines(of: request(.view(view)))
        == ["root/.", "  a/+", "  b/", "    e/", "    ann.", "  cy."]
    )
  }

  @Test func `matches are looked for until the deadline`() throws {
    let directory = try directory()
    var request = self.request(.all, filter: "lamp")
    request.deadline = .now
    let late = request
    let error = #expect(throws: DirectoryError.self) { try directory.lines(of: late) }
    #expect(error?.kind == .refusedForNow)
  }

  @Test func `without people the last department is the last of its siblings`() throws {
    let directory = try directory()
    #expect(
      try directory.lines(of: request(.all, kinds: .departments))
        == ["root/.", "  a/", "    a1/.", "  b/.", "    e/."]
    )
    #expect(
      try directory.lines(of: request(.all, kinds: .people))
        == ["      ann.", "    bo.", "    ann.", "  cy."]
    )
  }

  @Test func `a depth cuts off what is below, and closes what it cut`() throws {
    let directory = try directory()
    #expect(try directory.lines(of: request(.all, depth: 0)) == ["root/+."])
    #expect(
      try directory.lines(of: request(.all, depth: 1)) == ["root/.", "  a/+", "  b/+", "  cy."]
    )
    let b = try node("b", in: directory)
    #expect(try directory.lines(of: request(.all, root: b, depth: 0)) == ["b/+."])
  }

  @Test func `a filter shows matches and what leads to them`() throws {
    let directory = try directory()
    #expect(
      try directory.lines(of: request(.all, filter: "lamp"))
        == ["root/.", "  a/.", "    a1/.!", "      ann.!"]
    )
    #expect(
      try directory.lines(of: request(.all, filter: "ann"))
        == ["root/.", "  a/", "    a1/.", "      ann.!", "  b/.", "    ann.!"]
    )
    #expect(
      try directory.lines(of: request(.all, filter: "bureau")) == ["root/.", "  b/+.!"],
      "a match without matches below stays closed"
    )
    #expect(try directory.lines(of: request(.all, filter: "nobody")).isEmpty)
    #expect(try directory.lines(of: request(.all, filter: " ")).isEmpty)
  }

  @Test func `a filter below a department shows that department first`() throws {
    let directory = try directory()
    let a = try node("a", in: directory)
    #expect(
      try directory.lines(of: request(.all, root: a, filter: "ann"))
        == ["a/.", "  a1/.", "    ann.!"]
    )
    #expect(try directory.lines(of: request(.all, root: a, filter: "atelier")) == ["a/+.!"])
    #expect(try directory.lines(of: request(.all, root: a, filter: "bureau")).isEmpty)
  }

  @Test func `a filter without people ends its lines at departments too`() throws {
    let directory = try directory()
    // Bo is a sibling of a1, and Cy of b, who are not shown.
    for (filter, expected) in [
      ("a", ["root/.", "  a/!", "    a1/+.!", "  b/+.!"]),
      ("lamps", ["root/.", "  a/.", "    a1/+.!"]),
      ("o", ["root/+.!"]), ("cy", []),
    ] {
      let lines = try directory.lines(of: request(.all, kinds: .departments, filter: filter))
      #expect(lines == expected, "\(filter)")
    }
  }

  @Test func `rows say what is known`() throws {
    let directory = try directory()
    var request = request(.all)
    request.withContacts = true
    let rows = try directory.rows(of: request).map(\.row)
    #expect(rows.map(\.level) == [0, 1, 2, 3, 2, 1, 2, 2, 1])
    #expect(rows[at: 0]?.parent == nil && rows[at: 3]?.parent == DepartmentID("a1"))
    #expect(rows[at: 0]?.people == 3 && rows[at: 1]?.people == 2 && rows[at: 6]?.people == 0)
    #expect(rows[at: 1]?.description == "where it is made")
    #expect(rows[at: 6]?.disclosure == .empty)
    #expect(rows[at: 3]?.title == "Lamp maker" && rows[at: 7]?.title == "Adviser")
    #expect(
      rows[3].contacts?[.email] == "ann@x.example" && rows[8].contacts?[.phone] == "+1 555 0100"
    )
    #expect(
      rows[at: 3]?.people == nil && rows[at: 3]?.disclosure == nil
        && rows[at: 0]?.contacts?[.email] == nil
    )
    #expect(rows.allSatisfy { $0.path == nil && $0.departments == nil })
    let withoutContacts = try directory.rows(of: self.request(.all)).map(\.row)
    #expect(withoutContacts[at: 3]?.contacts?[.email] == nil)
  }

  @Test func `an empty directory has no rows`() throws {
    let directory = try Company().directory()
    for request in [request(.all), request(.levels(3)), request(.all, filter: "x")] {
      #expect(try directory.rows(of: request).isEmpty)
    }
  }
}

@Suite("The rows of random trees")
struct TreeModelTests {
  private struct Line: Equatable {
    var id: String
    var depth: Int
    var isLast: Bool
    var disclosure: DirectoryDisclosure?
  }

  /// By recursion, sibling lists and sets.
  private struct Model {
    let directory: Directory
    let hierarchy: Hierarchy
    let request: TreeRequest
    let isOpen: (Int) -> Bool

    private func isShown(_ node: Int) -> Bool {
      switch request.kinds {
      case .everything: true
      case .departments: hierarchy.isGroup(node)
      case .people: !hierarchy.isGroup(node)
      }
    }

    func lines() throws -> [Line] {
      if let root = request.root { return try lines(of: [root.position], depth: 0) }
      return try lines(of: Array(hierarchy.roots), depth: 0)
    }

    private func lines(of siblings: [Int], depth: Int) throws -> [Line] {
      guard depth <= request.depth ?? .max else { return [] }
      let last = siblings.last(where: isShown)
      return try siblings.flatMap { node -> [Line] in
        let children = Array(hierarchy.children(of: node))
        let isOpen = node == request.root?.position || isOpen(node)
        let below = isOpen ? try lines(of: children, depth: depth + 1) : []
        guard isShown(node) else { return below }
        let disclosure: DirectoryDisclosure? =
          if !hierarchy.isGroup(node) {
            nil
          } else if children.isEmpty {
            .empty
          } else {
            isOpen && depth != request.depth ? .expanded : .collapsed
          }
        let id = try directory.row(at: node).id
        return [Line(id: id, depth: depth, isLast: node == last, disclosure: disclosure)] + below
      }
    }
  }

  /// What a drawn tree shows of a row.
  private func label(of row: ShownRow) -> [String] {
    [
      "\(row.depth)", "\(row.isLastSibling)", "\(row.isMatch)", row.unplacedReason ?? "",
      "\(row.row.kind)", "\(String(describing: row.row.disclosure))", row.row.name,
      row.row.people.map { "\($0)" } ?? "", row.row.title ?? "",
    ]
  }

  private func randomDirectory(using generator: inout SeededGenerator) throws -> Directory {
    var company = Company()
    let count = Int.random(in: 1...25, using: &generator)
    for row in 0..<count {
      let parent = Int.random(in: -1..<row, using: &generator)
      try company.department("d\(row)", under: parent < 0 ? nil : "d\(parent)")
    }
    for row in 0..<Int.random(in: 0...30, using: &generator) {
      let department = "d\(Int.random(in: 0..<count, using: &generator))"
      try company.user("u\(row)", in: department)
    }
    return try company.directory()
  }

  @Test(arguments: newSeeds(40))
  func `are those of a slow model`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try randomDirectory(using: &generator)
    let hierarchy = try directory.hierarchy
    let groups = hierarchy.nodes.filter(hierarchy.isGroup)
    for _ in 0..<20 {
      let open = Set(groups.filter { _ in Bool.random(using: &generator) })
      let levels = Int.random(in: 0...5, using: &generator)
      let kind = Int.random(in: 0...2, using: &generator)
      let view = SavedView(expanded: Set(try open.map { try directory.departmentID(of: $0) }))
      var request = TreeRequest(opening: [.all, .levels(levels), .view(view)][kind])
      request.root =
        Bool.random(using: &generator)
        ? nil : groups.randomElement(using: &generator).map(directory.node)
      request.depth =
        Bool.random(using: &generator) ? nil : Int.random(in: 0...4, using: &generator)
      request.kinds =
        [.everything, .departments, .people].randomElement(using: &generator) ?? .everything
      let top = request.root.map { hierarchy.level(of: $0.position) } ?? 0
      let model = Model(directory: directory, hierarchy: hierarchy, request: request) { node in
        switch kind {
        case 0: true
        case 1: hierarchy.level(of: node) < top + levels
        default: open.contains(node)
        }
      }
      let found = try directory.rows(of: request).map { row in
        Line(
          id: row.row.id,
          depth: row.depth,
          isLast: row.isLastSibling,
          disclosure: row.row.disclosure
        )
      }
      #expect(try found == model.lines(), "seed \(seed), \(request)")
      var drawn = request
      drawn.withDetails = false
      #expect(
        try directory.rows(of: drawn).map(label) == directory.rows(of: request).map(label),
        "seed \(seed), \(request)"
      )
    }
  }
}
