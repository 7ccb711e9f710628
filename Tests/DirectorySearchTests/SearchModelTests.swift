import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules
import Testing

/// The search as one would write it first: every word in every field of every record.
private struct NaiveSearch {
  struct Hit {
    var node: Int
    var rank: SearchRank
    var length: Int
  }

  private let records: DirectoryRecords
  private let departmentNodes: [Int]
  /// Position of each membership's leaf.
  private var leaves: [Int]

  init(_ records: DirectoryRecords, _ snapshot: DirectorySnapshot) throws {
    self.records = records
    let (tree, departments) = try (snapshot.tree(), snapshot.departments())
    departmentNodes = try (0..<departments.count).map { try departments.node(of: $0) }
    leaves = [Int](repeating: -1, count: records.memberships.count)
    for node in 0..<departments.count + leaves.count where try !tree.isDepartment(node) {
      leaves[try tree.record(of: node)] = node
    }
  }

  var nodeCount: Int { departmentNodes.count + leaves.count }

  /// A department's own node up to its last descendant's.
  func subtree(of department: Int) -> Range<Int> {
    var inside: Set<DepartmentID> = [records.departments[department].id]
    while true {
      let more = (0..<records.departments.count).map { records.departments[$0] }
        .filter { $0.parent.map(inside.contains) ?? false && !inside.contains($0.id) }
      if more.isEmpty { break }
      inside.formUnion(more.map(\.id))
    }
    let groups = (0..<records.departments.count)
      .filter { inside.contains(records.departments[$0].id) }.map { departmentNodes[$0] }
    let people = leaves.indices
      .filter { inside.contains(records.memberships[$0].department) }.map { leaves[$0] }
    return departmentNodes[department]..<((groups + people).max() ?? 0) + 1
  }

  func hits(_ words: [String], in subtree: Range<Int>) -> [Hit] {
    guard !words.isEmpty else { return [] }
    var hits: [Hit] = []
    for row in 0..<records.departments.count where subtree.contains(departmentNodes[row]) {
      let department = records.departments[row]
      if matches(words, [department.name, department.id.rawValue]) {
        hits.append(hit(departmentNodes[row], department.name, words))
      }
    }
    for row in 0..<records.users.count {
      let user = records.users[row]
      let own = leaves.indices.filter { records.memberships[$0].user == user.id }
      let inside = own.filter { subtree.contains(leaves[$0]) }.sorted { leaves[$0] < leaves[$1] }
      let shown =
        inside.first { records.memberships[$0].department == user.primaryDepartment }
        ?? inside.first
      let fields =
        [user.name, user.id.rawValue, user.email, user.phone]
        + own.flatMap {
          [records.memberships[$0].title, name(of: records.memberships[$0].department)]
        }
      if let shown, matches(words, fields) { hits.append(hit(leaves[shown], user.name, words)) }
    }
    return hits.sorted { ($0.rank, $0.length, $0.node) < ($1.rank, $1.length, $1.node) }
  }

  func matchingNodes(_ words: [String], in subtree: Range<Int>) -> [Int] {
    guard !words.isEmpty else { return [] }
    let groups = (0..<records.departments.count).filter {
      matches(words, [records.departments[$0].name, records.departments[$0].id.rawValue])
    }
    let people = leaves.indices.filter { row in
      let membership = records.memberships[row]
      let users = (0..<records.users.count).map { records.users[$0] }
      guard let user = users.first(where: { $0.id == membership.user }) else { return false }
      let fields = [user.name, user.id.rawValue, user.email, user.phone, membership.title]
      return matches(words, fields)
    }
    return (groups.map { departmentNodes[$0] } + people.map { leaves[$0] })
      .filter(subtree.contains).sorted()
  }

  private func name(of id: DepartmentID) -> String {
    (0..<records.departments.count).map { records.departments[$0] }.first { $0.id == id }?.name
      ?? ""
  }

  private func matches(_ words: [String], _ fields: [String]) -> Bool {
    let folded = fields.map { Array(Folding.fold($0).utf8) }
    return words.allSatisfy { word in
      folded.contains { naivelyContains($0, Array(word.utf8)) }
    }
  }

  private func hit(_ node: Int, _ name: String, _ words: [String]) -> Hit {
    let name = Array(Folding.fold(name).utf8)
    let phrase = Array(words.joined(separator: " ").utf8)
    let words = words.map { Array($0.utf8) }
    let rank: SearchRank =
      if name == phrase {
        .wholeName
      } else if name.starts(with: phrase) {
        .startOfName
      } else if words.allSatisfy({ beginsWord($0, name) }) {
        .startOfWord
      } else if words.allSatisfy({ naivelyContains(name, $0) }) {
        .insideName
      } else {
        .otherField
      }
    return Hit(node: node, rank: rank, length: name.count)
  }

  private func beginsWord(_ word: [UInt8], _ name: [UInt8]) -> Bool {
    let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return name.indices.contains { start in
      (start == 0 || name[start - 1] < 0x80 && !letters.contains(name[start - 1]))
        && name[start...].starts(with: word)
    }
  }
}

@Suite("Searching random directories")
struct SearchModelTests {
  /// Ids are numbers; names, titles and contacts are of many scripts.
  private func randomCompany(using generator: inout SeededGenerator) throws -> Company {
    var company = Company()
    let departmentCount = Int.random(in: 1...12, using: &generator)
    for row in 0..<departmentCount {
      let parent = row == 0 ? nil : Int.random(in: -1..<row, using: &generator)
      try company.department(
        "d\(row)",
        under: parent.flatMap { $0 < 0 ? nil : "d\($0)" },
        name: RandomText.text(words: 1...3, using: &generator)
      )
    }
    for row in 0..<Int.random(in: 0...40, using: &generator) {
      let own = (0..<departmentCount).shuffled(using: &generator)
        .prefix(Int.random(in: 1...3, using: &generator))
      for (index, department) in own.enumerated() {
        let title = RandomText.text(words: 0...2, using: &generator)
        if index > 0 {
          try company.member("u\(row)", of: "d\(department)", title: title)
          continue
        }
        try company.user(
          "u\(row)",
          in: "d\(department)",
          name: RandomText.text(words: 1...3, using: &generator),
          title: title,
          email: RandomText.word(using: &generator),
          phone: "\(Int.random(in: 0...99, using: &generator))"
        )
      }
    }
    return company
  }

  /// Words of the data, pieces of them, and others.
  private func randomQuery(_ company: Company, using generator: inout SeededGenerator) -> String {
    let records = company.records
    let words = (0..<Int.random(in: 1...3, using: &generator)).map { _ -> String in
      let source =
        switch Int.random(in: 0...4, using: &generator) {
        case 0 where records.users.count > 0:
          records.users[Int.random(in: 0..<records.users.count, using: &generator)].name
        case 1:
          records.departments[Int.random(in: 0..<records.departments.count, using: &generator)].name
        case 2 where records.memberships.count > 0:
          records.memberships[Int.random(in: 0..<records.memberships.count, using: &generator)]
            .title
        case 3: ["u", "d", "1", "u1", "d0"].randomElement(using: &generator) ?? "u"
        default: RandomText.word(using: &generator)
        }
      let count = Int.random(in: 0...source.unicodeScalars.count, using: &generator)
      let start = Int.random(in: 0...source.unicodeScalars.count - count, using: &generator)
      return String(
        String.UnicodeScalarView(source.unicodeScalars.dropFirst(start).prefix(count))
      )
    }
    return words.joined(separator: " ")
  }

  @Test(arguments: newSeeds(25))
  func `finds what a naive search finds, in the same order`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try randomCompany(using: &generator)
    let snapshot = try company.snapshot()
    let search = try SubstringSearch(snapshot)
    let naive = try NaiveSearch(company.records, snapshot)
    for _ in 0..<25 {
      let text = randomQuery(company, using: &generator)
      let words = Folding.fold(text).unicodeScalars.split(separator: " ").map { String($0) }
      let root = Int.random(in: -1..<company.records.departments.count, using: &generator)
      let subtree = root < 0 ? 0..<naive.nodeCount : naive.subtree(of: root)
      let expected = naive.hits(words, in: subtree)
      let found = try search.hits(for: SearchQuery(text), in: subtree)
      #expect(
        found.map(\.node) == expected.map(\.node) && found.map(\.rank) == expected.map(\.rank),
        "seed \(seed), “\(text)” in \(subtree)"
      )
      #expect(
        try search.matchingNodes(for: SearchQuery(text), in: subtree)
          == naive.matchingNodes(words, in: subtree),
        "seed \(seed), nodes of “\(text)” in \(subtree)"
      )
    }
  }
}
