import DirectoryModel
import OutlineEngine
import Testing

@testable import DirectorySnapshot

@Suite("Building the tree")
struct TreeBuilderTests {
  /// Ids in preorder, indented by level.
  private func outline(_ tree: DirectoryTree) -> [String] {
    (0..<tree.hierarchy.count).map { node in
      let indent = String(repeating: "  ", count: tree.hierarchy.level(of: node))
      let record = Int(tree.nodeRecords[node])
      return indent
        + (tree.hierarchy.isGroup(node)
          ? tree.records.departments.ids[record] + "/"
          : tree.records.users.ids[Int(tree.membershipUsers[record])])
    }
  }

  private func people(_ tree: DirectoryTree) -> [String: Int] {
    var people: [String: Int] = [:]
    for row in 0..<tree.records.departments.count {
      people[tree.records.departments.ids[row]] = Int(tree.departmentPeople[row])
    }
    return people
  }

  @Test func `siblings stand in order of kind, sort order, name and id`() throws {
    var fixture = Fixture()
    try fixture.user("u-late", in: "root", name: "Abel", order: 5)
    try fixture.user("u2", in: "root", name: "Émile")
    try fixture.user("u1", in: "root", name: "Emile")
    try fixture.user("u4", in: "root", name: "Zoe")
    try fixture.user("u3", in: "root", name: "Zoe")
    try fixture.user("u0", in: "root", name: "zoe", order: -1)
    try fixture.department("b", under: "root", name: "Beta")
    try fixture.department("a", under: "root", name: "Alpha")
    try fixture.department("first", under: "root", name: "Zeta", order: -10)
    try fixture.department("root")
    #expect(
      outline(try fixture.tree()) == [
        "root/", "  first/", "  a/", "  b/", "  u0", "  u1", "  u2", "  u3", "  u4", "  u-late",
      ]
    )
  }

  @Test func `the locale C orders names by code point`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    for (id, name) in [("1", "a"), ("2", "B"), ("3", "é"), ("4", "𝔞"), ("5", "ｚ")] {
      try fixture.user(id, in: "root", name: name)
    }
    #expect(
      outline(try fixture.tree(locale: "C")).dropFirst() == ["  2", "  1", "  3", "  5", "  4"]
    )
  }

  @Test func `an unknown locale is an error`() throws {
    #expect(throws: DirectoryError.self) { try Fixture().tree(locale: "xx-nowhere") }
  }

  @Test func `an empty department stays a group`() throws {
    var fixture = Fixture()
    try fixture.department("empty")
    let tree = try fixture.tree()
    #expect(tree.hierarchy.isGroup(0))
    #expect(!tree.hierarchy.hasChildren(0))
  }

  @Test func `a person in several departments is one person in every count`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    try fixture.department("left", under: "root")
    try fixture.department("right", under: "root")
    try fixture.department("below", under: "left")
    try fixture.user("ada", in: "below")
    try fixture.member("ada", of: "left")
    try fixture.member("ada", of: "right")
    try fixture.user("bo", in: "right")
    #expect(people(try fixture.tree()) == ["root": 2, "left": 1, "right": 2, "below": 1])
  }

  @Test func `ids that differ in composition or case are different ids`() throws {
    var fixture = Fixture()
    for id in ["hr", "HR", "\u{E9}", "e\u{301}"] { try fixture.department(id) }
    try fixture.user("u", in: "e\u{301}")
    let tree = try fixture.tree()
    #expect(tree.unplacedNodes.isEmpty)
    let counts = (0..<4).map { Int(tree.departmentPeople[$0]) }
    #expect(counts == [0, 0, 0, 1])
  }

  @Test func `counts equal sets of people on random organisations`() throws {
    var generator = SplitMix(seed: UInt64.random(in: .min ... .max))
    let seed = generator.state
    for _ in 0..<200 {
      var fixture = Fixture()
      let departments = Int.random(in: 1...30, using: &generator)
      var parents: [Int?] = []
      for index in 0..<departments {
        let parent = index == 0 ? nil : Int.random(in: -1..<index, using: &generator)
        parents.append(parent.flatMap { $0 < 0 ? nil : $0 })
        try fixture.department("d\(index)", under: parents[index].map { "d\($0)" })
      }
      var expected = [Set<Int>](repeating: [], count: departments)
      for user in 0..<Int.random(in: 0...40, using: &generator) {
        let places = (0..<departments).shuffled(using: &generator)
          .prefix(Int.random(in: 1...4, using: &generator))
        for (index, place) in places.enumerated() {
          if index == 0 {
            try fixture.user("u\(user)", in: "d\(place)")
          } else {
            try fixture.member("u\(user)", of: "d\(place)")
          }
          var at: Int? = place
          while let department = at {
            expected[department].insert(user)
            at = parents[department]
          }
        }
      }
      let tree = try fixture.tree()
      let counts = tree.departmentPeople.map { Int($0) }
      #expect(counts == expected.map(\.count), "seed \(seed)")
    }
  }

  @Test func `a chain of 100 000 departments with one person at the bottom`() throws {
    var fixture = Fixture()
    for index in 0..<100_000 {
      try fixture.department("d\(index)", under: index == 0 ? nil : "d\(index - 1)")
    }
    try fixture.user("u", in: "d99999")
    try fixture.member("u", of: "d0")
    let tree = try fixture.tree()
    #expect(tree.departmentPeople.allSatisfy { $0 == 1 })
    #expect(tree.hierarchy.level(of: Int(tree.departmentNodes[99_999])) == 99_999)
  }
}

/// A small generator with a seed that a failure can print.
struct SplitMix: RandomNumberGenerator {
  private(set) var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
