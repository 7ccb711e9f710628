import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import OutlineEngine
import Seeds
import Testing

@testable import DirectoryReading

/// A company that changes: people join, leave and move, departments come, go, move and are renamed.
private struct ChangingCompany {
  var parents: [String: String?] = ["d0": nil]
  var names: [String: String] = ["d0": "Ann & Co"]
  /// Departments of each person, the first one primary.
  var places: [String: [String]] = [:]
  var titles: [String: String] = [:]
  /// "person department".
  var leads: Set<String> = []
  private var next = 1

  private static let words = ["Ann", "Bo", "Cy", "Lamp", "Optik", "王"]

  init(changes: Int = 60, using generator: inout SeededGenerator) {
    for _ in 0..<changes { change(using: &generator) }
  }

  // With `keepsRows` the records keep their order, and most of them their rows.
  func directory(keepsRows: Bool = false) throws -> Directory {
    func order(_ one: String, _ other: String) -> Bool {
      keepsRows ? (one.count, one) < (other.count, other) : false
    }
    let parents = parents.sorted { order($0.key, $1.key) }
    let places = places.sorted { order($0.key, $1.key) }
    var company = Company()
    for (id, parent) in parents { try company.department(id, under: parent, name: names[id]) }
    for (id, departments) in places {
      for (index, department) in departments.enumerated() {
        let title = titles["\(id) \(department)"] ?? ""
        let isLead = leads.contains("\(id) \(department)")
        if index == 0 {
          try company.user(id, in: department, name: names[id], title: title, leads: isLead)
        } else {
          try company.member(id, of: department, title: title, leads: isLead)
        }
      }
    }
    return try company.directory()
  }

  mutating func change(using generator: inout SeededGenerator) {
    func word() -> String { Self.words.randomElement(using: &generator) ?? "" }
    let department = parents.keys.sorted().randomElement(using: &generator) ?? "d0"
    let person = places.keys.sorted().randomElement(using: &generator)
    switch Int.random(in: 0..<11, using: &generator) {
    case 10: leads.formSymmetricDifference(["\(person ?? "") \(department)"])
    case 0, 1:
      parents["d\(next)"] = department
      names["d\(next)"] = word()
    case 2, 3, 4:
      places["u\(next)"] = [department]
      names["u\(next)"] = word()
    case 5:
      if let person, places[person]?.contains(department) == false {
        places[person]?.append(department)
      }
    case 6: titles["\(person ?? "") \(department)"] = word()
    case 7: names[person ?? department] = word()
    case 8:
      let parents = parents
      let target = parents.keys.sorted().randomElement(using: &generator) ?? "d0"
      let isBelow = sequence(first: target) { parents[$0] ?? nil }.contains(department)
      if !isBelow, department != "d0" { self.parents[department] = target }
    default: remove(person, department)
    }
    next += 1
  }

  private mutating func remove(_ person: String?, _ department: String) {
    let isUsed =
      parents.values.contains(department) || places.values.contains { $0.contains(department) }
    if !isUsed, department != "d0" {
      parents[department] = nil
    } else if let person {
      places[person] = nil
    }
  }
}

@Suite("The tree while it is browsed")
struct DirectoryOutlineTests {
  /// What a front draws of a row.
  private struct Line: Equatable, CustomStringConvertible {
    var id: String
    var label: String
    var people: Int?
    var place: TreePosition

    var description: String {
      "\(String(repeating: " ", count: place.depth))\(id) \(label) \(people ?? -1)"
        + " \(place.disclosure?.rawValue ?? "") \(place.isLastSibling) \(place.isMatch)"
    }

    /// The number of a node is not drawn.
    var drawn: Line {
      var line = self
      line.place.node = 0
      return line
    }
  }

  private func lines(_ outline: DirectoryOutline, _ rows: Range<Int>? = nil) throws -> [Line] {
    var lines: [Line] = []
    try outline.forEachRow(in: rows ?? 0..<outline.rowCount) { row in
      let card = try outline.directory.card(at: outline.directory.node(at: row.place))
      let label = String(decoding: row.name, as: UTF8.self)
      let title = row.title.map { String(decoding: $0, as: UTF8.self) } ?? ""
      lines.append(
        Line(
          id: card.id,
          label: "\(label) \(title)\(row.leads == true ? "*" : "")",
          people: row.people,
          place: row.place
        )
      )
    }
    return lines
  }

  /// By walking over the tree.
  private func model(
    _ directory: Directory,
    _ view: SavedView,
    filter: String?
  ) throws -> [Line] {
    var request = TreeRequest(opening: .view(view))
    request.filter = filter
    return try directory.rows(of: request).map { row in
      Line(
        id: row.row.id,
        label: "\(row.row.name) \(row.row.title ?? "")\(row.row.leads == true ? "*" : "")",
        people: row.row.people,
        place: row.place
      ).drawn
    }
  }

  /// Follows the changes as a front does that keeps a line for each row.
  private func check(
    _ changes: RowChanges,
    _ drawn: inout [Line],
    _ outline: DirectoryOutline,
    _ seed: UInt64
  ) throws {
    let now = try lines(outline)
    changes.apply(to: &drawn) { now[$0].drawn }
    let differing = zip(drawn, now).filter { $0.drawn != $1.drawn }
    #expect(drawn.count == now.count && differing.isEmpty, "seed \(seed): \(differing)")
    drawn = now.map(\.drawn)
  }

  @Test(arguments: newSeeds(40))
  func `shows what a walk over the tree shows, and its changes lead there`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let keepsRows = seed.isMultiple(of: 2)
    // Columns are compared 64 rows at a time.
    var company = ChangingCompany(changes: keepsRows ? 400 : 60, using: &generator)
    var outline = try DirectoryOutline(try company.directory(keepsRows: keepsRows), SavedView())
    var drawn = try lines(outline).map(\.drawn)
    for step in 0..<60 {
      let count = outline.directory.tree.count
      let node = outline.directory.node(Int.random(in: 0..<count, using: &generator))
      let changes: RowChanges
      let isRecursive = Bool.random(using: &generator)
      switch Int.random(in: 0..<9, using: &generator) {
      case 0, 1: changes = outline.apply(.expand([node], recursive: isRecursive))
      case 2: changes = outline.apply(.collapse([node], recursive: isRecursive))
      case 3: changes = outline.reveal(node)
      case 4: changes = outline.apply(isRecursive ? .expandAll : .levels(step % 4))
      case 5:
        let query = ["ann", "lamp", "bo", "optik", "zzz"].randomElement(using: &generator) ?? ""
        changes = outline.setFilter(try outline.directory.matches(for: query))
        #expect(
          try lines(outline).map(\.drawn) == model(outline.directory, SavedView(), filter: query)
        )
      case 6: changes = outline.setFilter(nil)
      default:
        let before = outline
        for _ in 0..<Int.random(in: 0...6, using: &generator) { company.change(using: &generator) }
        let next = try company.directory(keepsRows: keepsRows)
        let followed = try outline.follow(to: next)
        changes = followed.rows
        try checkNodes(followed.node, before.directory, next, seed)
      }
      try check(changes, &drawn, outline, seed)
      if outline.filter == nil {
        #expect(try drawn == model(outline.directory, outline.view, filter: nil), "seed \(seed)")
      }
    }
  }

  /// A node that stays is the same person or department, in the same department.
  private func checkNodes(
    _ now: (Node) -> Node?,
    _ old: Directory,
    _ new: Directory,
    _ seed: UInt64
  ) throws {
    func key(_ node: Int, _ directory: Directory) throws -> String {
      let row = try directory.row(at: node)
      let place = row.kind == .user ? row.parent?.rawValue ?? "" : ""
      return "\(row.kind.rawValue) \(row.id) \(place)"
    }
    let keys = try (0..<new.tree.count).map { try key($0, new) }
    for node in 0..<old.tree.count {
      let wanted = try key(node, old)
      let found = now(old.node(node))
      #expect(
        found == keys.firstIndex(of: wanted).map(new.node),
        "seed \(seed), node \(node), \(wanted)"
      )
    }
  }

  @Test(arguments: newSeeds(4))
  func `any range of rows is what the whole has there, and rows and nodes name each other`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var outline = try DirectoryOutline(
      try ChangingCompany(using: &generator).directory(),
      SavedView()
    )
    outline.apply(.expandAll)
    let all = try lines(outline)
    #expect(all.count == outline.directory.tree.count)
    for _ in 0..<50 {
      let start = Int.random(in: 0...all.count, using: &generator)
      let end = Int.random(in: start...all.count, using: &generator)
      #expect(try lines(outline, start..<end) == Array(all[start..<end]))
    }
    for (row, line) in all.enumerated() {
      let node = outline.directory.node(at: line.place)
      #expect(outline.row(of: node) == row)
      #expect(outline.node(atRow: row) == node)
      #expect(outline.place(atRow: row) == line.place)
    }
  }

  private func company(_ people: [String: String], departments: [String]) throws -> Directory {
    var company = Company()
    try company.department("root")
    for id in departments { try company.department(id, under: "root") }
    for (id, department) in people { try company.user(id, in: department) }
    return try company.directory()
  }

  @Test func `of many rows that stay only those that look different are drawn anew`() throws {
    func directory(title: String, name: String, leads: Bool) throws -> Directory {
      var company = Company()
      try company.department("root")
      for number in 0..<300 {
        try company.user(
          "\(1_000 + number)",
          in: "root",
          name: number == 200 ? name : nil,
          title: number == 70 ? title : "Keeper",
          leads: number == 250 && leads
        )
      }
      return try company.directory()
    }
    let first = try directory(title: "Keeper", name: "1200", leads: false)
    var outline = try DirectoryOutline(first, SavedView(expanded: [DepartmentID("root")]))
    let row = { (number: Int) in
      try #require(try lines(outline).firstIndex { $0.id == "\(1_000 + number)" })
    }
    let same = try outline.follow(to: directory(title: "Keeper", name: "1200", leads: false)).rows
    #expect(same == .none)
    let next = try outline.follow(to: directory(title: "Keepers", name: "1200 B", leads: true)).rows
    #expect(next.redrawn.flatMap { $0 } == [try row(70), try row(200), try row(250)].sorted())
    #expect(next.removed.isEmpty && next.inserted.isEmpty && next.moved.isEmpty)
  }

  @Test func `a department that was away is as open as it was left`() throws {
    let whole = try company(["ann": "a", "bo": "b"], departments: ["a", "b"])
    let smaller = try company(["bo": "b"], departments: ["b"])
    let view = SavedView(expanded: [DepartmentID("root"), DepartmentID("a")])
    var outline = try DirectoryOutline(whole, view)
    #expect(try lines(outline).map(\.id) == ["root", "a", "ann", "b"])
    _ = try outline.follow(to: smaller)
    #expect(try lines(outline).map(\.id) == ["root", "b"])
    #expect(try outline.view == view)
    _ = try outline.follow(to: whole)
    #expect(try lines(outline).map(\.id) == ["root", "a", "ann", "b"])
    #expect(try outline.view == view)
  }

  @Test func `a department that comes back below a filter opens when the filter is cleared`() throws
  {
    let whole = try company(["ann": "a", "bo": "b"], departments: ["a", "b"])
    let smaller = try company(["bo": "b"], departments: ["b"])
    let view = SavedView(expanded: [DepartmentID("root"), DepartmentID("a")])
    var outline = try DirectoryOutline(smaller, view)
    outline.setFilter(try smaller.matches(for: "bo"))
    _ = try outline.follow(to: whole)
    #expect(try lines(outline).map(\.id) == ["root", "b", "bo"])
    #expect(try outline.view == view)
    outline.setFilter(nil)
    #expect(try lines(outline).map(\.id) == ["root", "a", "ann", "b"])
    #expect(try outline.view == view)
    let a = try #require(try whole.node(of: DepartmentID("a")))
    outline.apply(.collapse([a], recursive: false))
    #expect(try outline.view == SavedView(expanded: [DepartmentID("root")]))
  }

  @Test func `a filter holds in the next state, and what it opened is closed without it`() throws {
    let first = try company(["ann": "a", "bo": "b"], departments: ["a", "b"])
    let second = try company(["ann": "a", "annabel": "b", "bo": "b"], departments: ["a", "b"])
    var outline = try DirectoryOutline(first, SavedView(expanded: [DepartmentID("root")]))
    outline.setFilter(try first.matches(for: "ann"))
    #expect(try lines(outline).map(\.id) == ["root", "a", "ann"])
    #expect(outline.matchCount == 1)
    _ = try outline.follow(to: second)
    #expect(try lines(outline).map(\.id) == ["root", "a", "ann", "b", "annabel"])
    #expect(outline.filter == "ann")
    let ann = second.node(try #require(try second.position(of: DepartmentID("a"))) + 1)
    #expect(outline.match(.after, ann) == outline.match(.before, second.node(second.tree.count)))
    #expect(outline.match(.before, ann) == nil)
    outline.setFilter(nil)
    #expect(try lines(outline).map(\.id) == ["root", "a", "b"])
    #expect(try outline.view == SavedView(expanded: [DepartmentID("root")]))
  }

  @Test func `a hidden node is found by the department that hides it`() throws {
    let directory = try company(["ann": "a"], departments: ["a"])
    var outline = try DirectoryOutline(directory, SavedView(expanded: [DepartmentID("root")]))
    let a = try #require(try directory.node(of: DepartmentID("a")))
    let ann = directory.node(a.position + 1)
    #expect(outline.row(of: ann) == nil)
    #expect(outline.nearestRow(of: ann) == outline.row(of: a))
    outline.reveal(ann)
    #expect(outline.nearestRow(of: ann) == 2)
  }

  @Test func `an empty directory has no rows, before and after`() throws {
    let nothing = try Company().directory()
    let something = try company([:], departments: [])
    var outline = try DirectoryOutline(nothing, SavedView())
    #expect(outline.rowCount == 0)
    #expect(try outline.follow(to: something).rows.inserted == [0..<1])
    #expect(try outline.follow(to: nothing).rows.removed == [0..<1])
  }
}
