import DirectoryTestSupport
import Seeds
import DirectoryModel
import Testing

@testable import DirectoryReading

@Suite("A department's name as typed")
struct DepartmentNameTests {
  @Test(
    arguments: [
      ("Optics", .any, "Optics"), ("id:7", .id, "7"), ("name:id:7", .name, "id:7"),
      ("path:A/B", .path, "A/B"), ("id:", .id, ""), ("", .any, ""), ("ID:7", .any, "ID:7"),
      (" id:7", .any, " id:7"), ("idea", .any, "idea"), ("paths:x", .any, "paths:x"),
    ] as [(String, DepartmentName.Form, String)]
  )
  func `a prefix forces a form`(argument: String, form: DepartmentName.Form, text: String) {
    let name = DepartmentName(argument)
    #expect(name.form == form)
    #expect(name.text == text)
  }

  @Test(arguments: ["\u{301}x", "\u{200D}", "\u{E31}", "\u{FE0F}7"])
  func `a prefix ends with its colon, whatever follows`(id: String) {
    // The colon and a combining mark after it are one Character.
    for (prefix, form) in [("id:", DepartmentName.Form.id), ("name:", .name), ("path:", .path)] {
      let name = DepartmentName(prefix + id)
      #expect(name.form == form)
      #expect(name.text.utf8.elementsEqual(id.utf8))
    }
  }

  @Test(
    arguments: [
      ("", [""]), ("A", ["A"]), ("A/B", ["A", "B"]), ("/A/", ["", "A", ""]),
      (#"A\/B"#, ["A/B"]), (#"A\\/B"#, [#"A\"#, "B"]), (#"A\\\/B"#, [#"A\/B"#]),
      (#"A\B"#, [#"A\B"#]), (#"A\"#, [#"A\"#]), ("//", ["", "", ""]),
    ] as [(String, [String])]
  )
  func `a path is taken apart at its slashes`(path: String, components: [String]) {
    #expect(DepartmentName.components(of: path) == components)
  }

  @Test(arguments: newSeeds(20))
  func `a path of any names is taken apart into them again`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "/", "\\", "a", "é", "e\u{301}", "\u{301}", "\u{338}", " ", "王", "\u{0}", "\n", "👩‍👧",
    ]
    for _ in 0..<200 {
      let names = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in
          pieces.randomElement(using: &generator) ?? ""
        }.joined()
      }
      let path = DepartmentName.path(names)
      let components = DepartmentName.components(of: path)
      #expect(
        components.map { Array($0.utf8) } == names.map { Array($0.utf8) },
        "seed \(seed): \(path)"
      )
    }
  }
}

@Suite("Which department a name means")
struct DepartmentResolutionTests {
  /// Ids, names and paths that get in each other's way.
  private func directory() throws -> Directory {
    var company = Company()
    try company.department("root", name: "Lumen")
    try company.department("eng", under: "root", name: "Engineering")
    try company.department("eng-store", under: "eng", name: "Storage")
    try company.department("sales", under: "root", name: "Sales")
    try company.department("sales-store", under: "sales", name: "Storage")
    try company.department("Sales", under: "root", name: "Called by id")
    try company.department("slash", under: "root", name: "R/D")
    try company.department("back", under: "root", name: #"A\B"#)
    try company.department("r", name: "R")
    try company.department("d", under: "r", name: "D")
    try company.department("ceo", under: "root", name: "Émile & Co")
    try company.department("cafe\u{301}", under: "root", name: "decomposed id")
    try company.department("caf\u{E9}", under: "root", name: "composed id")
    try company.department("twin1", under: "root", name: "Zoe\u{308}")
    try company.department("twin2", under: "root", name: "Zo\u{EB}")
    try company.department("blank", under: "root", name: "\u{640}")
    try company.department("Lumen/Sales/Storage", under: "root", name: "an id like a path")
    for index in 0..<15 { try company.department("t\(index)", under: "eng", name: "Team") }
    return try company.directory()
  }

  private func id(_ argument: String) throws -> String {
    let directory = try directory()
    let node = try directory.node(of: DepartmentName(argument))
    return try directory.departmentID(of: node.position).rawValue
  }

  private func failure(_ argument: String) throws -> DirectoryError? {
    let directory = try directory()
    let error = #expect(throws: DirectoryError.self) {
      try directory.node(of: DepartmentName(argument))
    }
    #expect(error?.kind == .notFound)
    return error
  }

  @Test(
    arguments: [
      // Id before name, byte for byte.
      ("Sales", "Sales"), ("sales", "sales"), ("name:Sales", "sales"), ("id:sales", "sales"),
      ("caf\u{E9}", "caf\u{E9}"), ("cafe\u{301}", "cafe\u{301}"),
      ("Lumen/Sales/Storage", "Lumen/Sales/Storage"), ("path:Lumen/Sales/Storage", "sales-store"),
      // Name before path.
      ("R/D", "slash"), ("name:R/D", "slash"), ("path:R/D", "d"), (#"path:Lumen/R\/D"#, "slash"),
      (#"A\B"#, "back"), (#"Lumen/A\B"#, "back"), (#"Lumen/A\\B"#, "back"),
      // Path.
      ("Lumen/Engineering/Storage", "eng-store"), ("path:Lumen", "root"),
      // Folded where nothing is exact.
      ("ENGINEERING", "eng"), ("emile & co", "ceo"), ("lumen/engineering/STORAGE", "eng-store"),
      ("name:Zoe\u{308}", "twin1"), ("name:Zo\u{EB}", "twin2"), ("name:\u{640}", "blank"),
    ]
  )
  func `goes by id, then name, then path`(argument: String, expected: String) throws {
    #expect(try id(argument).utf8.elementsEqual(expected.utf8))
  }

  @Test(arguments: ["id:Engineering", "name:eng", "path:Engineering", "path:eng/Storage", ""])
  func `a forced form is the only one`(argument: String) throws {
    _ = try failure(argument)
  }

  @Test(arguments: ["path:", "path:/", "Lumen/", "path:Lumen/", "path:Lumen//", "\u{200D}"])
  func `an empty name matches nothing, not even a department whose name folds away`(
    argument: String
  ) throws {
    _ = try failure(argument)
  }

  @Test func `a name of several is an error that names them by id and path`() throws {
    let error = try failure("Storage")
    #expect(error?.message == "2 departments are called Storage")
    #expect(
      error?.advice?.description == """
        name one by its id or path: id:eng-store (Lumen/Engineering/Storage), \
        id:sales-store (Lumen/Sales/Storage)
        """
    )
    #expect(try failure("zoe")?.message == "2 departments are called zoe")
  }

  @Test func `of many candidates ten are named`() throws {
    let advice = try #require(try failure("team")?.advice?.description)
    #expect(advice.components(of: "id:t").count - 1 == 10)
    #expect(advice.hasSuffix("and 5 more"))
    #expect(try failure("path:Lumen/Engineering/Team")?.message.hasPrefix("15 ") == true)
  }

  @Test func `an unknown name offers the nearest ones`() throws {
    #expect(try failure("Enginering")?.advice == "did you mean Engineering?")
    #expect(try failure("Strage")?.advice == "did you mean Storage?")
    #expect(
      try failure("completely different")?.advice
        == "list the departments with: \(.listDepartments)"
    )
    #expect(try failure("Enginering")?.message == "there is no department Enginering")
  }

  @Test func `at most three are offered, the nearest first, each once`() throws {
    var company = Company()
    try company.department("root", name: "Company")
    for (index, name) in ["Teams", "Team", "Tem", "Tea", "Steam", "Team"].enumerated() {
      try company.department("\(index)", under: "root", name: name)
    }
    let directory = try company.directory()
    #expect(try directory.nearestNames(to: "Teem") == ["Team", "Tem"])
    #expect(try directory.nearestNames(to: "TEA") == ["Tea", "Team", "Teams"])
    #expect(try directory.nearestNames(to: "eam") == ["Steam", "Team", "Teams"])
    #expect(try directory.nearestNames(to: "Company/Stea") == ["Steam", "Tea"])
    #expect(try company.directory().nearestNames(to: "\u{200D}").isEmpty)
    #expect(try Company().directory().nearestNames(to: "x").isEmpty)
  }

  @Test func `a very long name is searched for without ado`() throws {
    _ = try failure(String(repeating: "Engineering/", count: 10_000))
    _ = try failure("path:" + String(repeating: "\\", count: 100_001))
  }
}

extension String {
  fileprivate func components(of separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let found = rest.firstRange(of: separator) {
      parts.append(rest[..<found.lowerBound])
      rest = rest[found.upperBound...]
    }
    return parts + [rest]
  }
}

@Suite("Edit distance")
struct EditDistanceTests {
  /// By the definition.
  private func naive(_ left: ArraySlice<Unicode.Scalar>, _ right: ArraySlice<Unicode.Scalar>) -> Int
  {
    guard let first = left.first, let other = right.first else { return left.count + right.count }
    var least = min(
      naive(left.dropFirst(), right.dropFirst()) + (first == other ? 0 : 1),
      naive(left.dropFirst(), right) + 1,
      naive(left, right.dropFirst()) + 1
    )
    if left.count > 1, right.count > 1, first == right[right.startIndex + 1],
      other == left[left.startIndex + 1]
    {
      least = min(least, naive(left.dropFirst(2), right.dropFirst(2)) + 1)
    }
    return least
  }

  @Test(arguments: newSeeds(10))
  func `equals the definition's up to the limit`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func word() -> [Unicode.Scalar] {
      (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        ["a", "b", "c"].randomElement(using: &generator) ?? "a"
      }
    }
    for _ in 0..<100 {
      let (left, right) = (word(), word())
      let limit = Int.random(in: 0...7, using: &generator)
      let distance = naive(left[...], right[...])
      #expect(
        EditDistance.between(left, right, atMost: limit) == (distance <= limit ? distance : nil),
        "seed \(seed): \(left) \(right) \(limit)"
      )
    }
  }
}
