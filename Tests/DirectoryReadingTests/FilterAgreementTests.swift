import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryReading

@Suite("Search, search as a tree, and a filtered tree")
struct FilterAgreementTests {
  /// A company whose words are in many places, and the queries that find some of them.
  private struct Setting {
    var company = Company()
    var queries: [String] = []
    var departments: [String] = []

    init(using generator: inout SeededGenerator) throws {
      let words = [
        "Lamp", "Lampe", "Optik", "Łódź", "Berlin", "Meier", "Meyer", "Ann", "Anna", "Storage",
        "Stor",
        "王", "佐々木",
      ]
      func word() -> String { words.randomElement(using: &generator) ?? "" }
      company.records.fields = [Field(usual: "mobile", of: .user), Field(usual: "note", of: .user)]
      var phones: [String] = []
      for index in 0..<12 {
        let parent = index == 0 ? nil : departments.randomElement(using: &generator)
        let id = "d\(index)"
        try company.department(id, under: parent, name: "\(word()) \(word())")
        departments.append(id)
      }
      for index in 0..<60 {
        let digits = String(Int.random(in: 30_000...30_999, using: &generator))
        let phone =
          ["030 \(digits)", "+49 30 \(digits)", "0049-30-\(digits)"]
          .randomElement(using: &generator) ?? ""
        phones.append(digits)
        let home = departments.randomElement(using: &generator) ?? "d0"
        try company.user(
          "u\(index)",
          in: home,
          name: "\(word()) \(word())",
          title: word(),
          email: "\(index)@x.example",
          phone: phone,
          fields: index % 3 == 0
            ? FieldValues(["mobile": .one("0172 \(digits)"), "note": .one(word())]) : .none
        )
        let other = departments.randomElement(using: &generator) ?? "d0"
        if other != home { try company.member("u\(index)", of: other, title: word()) }
      }
      queries = words + words.map { String($0.dropLast()) } + ["lmap", "oberlin", "zw", "nothing"]
      for digits in phones.prefix(3) {
        queries += [
          "030\(digits)", "+4930\(digits)", "phone:\(digits)", "mobile:\(digits)",
          String(digits.suffix(3)),
        ]
      }
      queries += (0..<8).map { _ in "\(word()) \(word())" }
      queries += ["\"\(word())\"", "\(word()) -\(word())", "title:\(word())", "dept:\(word())"]
      queries += ["has:mobile", "in:d1 \(word())", "030 \(phones[0])"]
    }
  }

  private struct Answer: Equatable {
    /// `id` and kind of each hit, best first, and what is highlighted.
    var hits: [String]
    var total: SearchTotal
    /// Of the filtered tree.
    var rows: [String]
    var suggestion: String?
  }

  private func key(_ row: DirectoryRow) -> String { "\(row.kind.rawValue) \(row.id)" }

  private func hits(
    _ query: String,
    _ root: Node?,
    _ directory: Directory,
    allowsErrors: Bool = true
  ) throws -> (rows: [SearchRow], total: SearchTotal) {
    var options = SearchOptions(query)
    options.root = root
    options.explains = true
    options.allowsErrors = allowsErrors
    var rows: [SearchRow] = []
    let total = try directory.searcher().forEachHit(of: options) { rows.append($0) }
    return (rows, total)
  }

  private func rows(
    _ query: String,
    _ root: Node?,
    _ opening: TreeRequest.Opening,
    _ directory: Directory
  ) throws -> (lines: [String], matches: Set<String>) {
    var request = TreeRequest(opening: opening)
    request.filter = query
    request.root = root
    var lines: [String] = []
    var matches: Set<String> = []
    for row in try directory.rows(of: request) {
      lines.append("\(row.depth) \(row.isMatch) \(key(row.row)) \(row.row.disclosure as Any)")
      if row.isMatch { matches.insert(key(row.row)) }
    }
    return (lines, matches)
  }

  private func answer(_ query: String, _ root: Node?, _ directory: Directory) throws -> Answer {
    let (found, total) = try hits(query, root, directory)
    return Answer(
      hits: found.map { "\(key($0.row)) \($0.highlights)" },
      total: total,
      rows: try rows(query, root, .all, directory).lines,
      suggestion: try directory.searcher().suggestion(for: query)
    )
  }

  /// What a screen shows before all matches are known is what it shows afterwards.
  private func checkFirstMatches(
    of query: String,
    _ directory: Directory,
    _ place: String
  ) throws {
    let best = try directory.searcher().best(for: query)
    let all = try directory.matches(for: query)
    #expect(best != nil || all.positions.isEmpty, "\(place)")
    guard let best else { return }
    // One place of a person may be what is found, and another in the part that is asked for: such a hit
    // is none of the rows (seed 8447468855587197394).
    #expect(
      try query.contains("in:") || directory.places(of: best).contains { all.contains($0) },
      "\(place)"
    )
    for rows in [0, 1, 4, 100] {
      guard let few = try directory.matches(around: best, for: query, rows: rows) else { continue }
      #expect(few.positions.allSatisfy(all.positions.contains), "\(place)")
      var (early, late) = (
        try DirectoryOutline(directory, SavedView()), try DirectoryOutline(directory, SavedView())
      )
      early.setFilter(few)
      late.setFilter(all)
      let earlyRow = try #require(early.row(of: best), "\(place)")
      let lateRow = try #require(late.row(of: best), "\(place)")
      for distance in -rows...rows {
        func there(_ outline: DirectoryOutline, _ row: Int) -> TreePosition? {
          (0..<outline.rowCount).contains(row) ? outline.place(atRow: row) : nil
        }
        #expect(
          there(early, earlyRow + distance) == there(late, lateRow + distance),
          "\(place), \(rows) rows, \(distance)"
        )
      }
    }
  }

  @Test(arguments: newSeeds(2))
  func `agree, with an index and without`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let setting = try Setting(using: &generator)
    let scratch = try ScratchFolder()
    try setting.company.write(to: scratch.snapshot)
    let snapshot = try DirectorySnapshot(path: scratch.snapshot)
    let phones = try #require(DialingPlan(country: "DE"))
    let index = scratch.path.appending("search.index")
    var support = SearchSupport(phones: phones, index: index)
    support.makeIndex = { snapshot in
      _ = try? SearchIndexBuilder.write(of: snapshot, to: index, phones: phones)
    }
    let asker = SearchUser(me: "u\(Int.random(in: 0..<20, using: &generator))")
    let indexed = try Directory(snapshot, for: .everything, support, asker: asker)
    let scanned = try Directory(snapshot, for: .everything, support.withoutIndex, asker: asker)
    #expect(try indexed.searcher().hasIndex && !scanned.searcher().hasIndex)

    let part = try scanned.node(of: DepartmentID("d1"))
    for query in setting.queries {
      for root in query.utf8.count % 3 == 0 ? [nil, part] : [nil] {
        let place = "seed \(seed): \(query) in \(root as Any)"
        let answer = try answer(query, root, indexed)
        #expect(try self.answer(query, root, scanned) == answer, "\(place)")
        let shown = try rows(query, root, .all, indexed)
        #expect(try rows(query, root, .view(SavedView()), indexed) == shown, "\(place)")
        #expect(try rows(query, root, .levels(1), scanned) == shown, "\(place)")
        if root == nil { try checkFirstMatches(of: query, indexed, place) }
        let all = Set(try hits(query, root, indexed).rows.map { key($0.row) })
        #expect(shown.matches.isSubset(of: all), "\(place)")
        // What is found by itself and not by the names of departments above is in the tree, as it was
        // typed; in a part of it unless that is the title of another place.
        guard root == nil, !query.contains(" "), !query.hasPrefix("dept:") else { continue }
        let own = try hits(query, root, indexed, allowsErrors: false).rows.filter { row in
          row.reading == nil && row.reasons.contains { $0.field != "dept" }
        }
        #expect(shown.matches.isSuperset(of: own.map { key($0.row) }), "\(place)")
      }
    }
  }
}
