import DirectoryTestSupport
import Seeds
import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules
import Testing

/// Which records hold every word as a substring of a folded field, as one would write it first.
private struct NaiveSubstrings {
  let records: DirectoryRecords

  func people(_ words: [String]) -> Set<String> {
    Set(
      (0..<records.users.count).compactMap { row in
        let user = records.users[row]
        let own = (0..<records.memberships.count).map { records.memberships[$0] }
          .filter { $0.user == user.id }
        let fields =
          [user.name, user.id.rawValue, user.contacts[.email]] + own.map(\.title)
          + own.flatMap { path($0.department) }
        return matches(words, fields) ? user.id.rawValue : nil
      }
    )
  }

  func departments(_ words: [String]) -> Set<String> {
    Set(
      (0..<records.departments.count).compactMap { row in
        let department = records.departments[row]
        let fields = [department.id.rawValue] + path(department.id)
        return matches(words, fields) ? department.id.rawValue : nil
      }
    )
  }

  /// The names of a department and of all above.
  private func path(_ id: DepartmentID) -> [String] {
    let all = (0..<records.departments.count).map { records.departments[$0] }
    guard let own = all.first(where: { $0.id == id }) else { return [] }
    return [own.name] + (own.parent.map { path($0) } ?? [])
  }

  private func matches(_ words: [String], _ fields: [String]) -> Bool {
    let folded = fields.map { Array(Folding.fold($0).utf8) }
    return words.allSatisfy { word in
      folded.contains { naivelyContains($0, Array(Folding.fold(word).utf8)) }
    }
  }
}

@Suite("Searching random directories")
struct SubstringModelTests {
  /// The hits of a query of phrases, which are found letter for letter.
  private func literal(
    _ text: String,
    _ engine: SearchEngine,
    _ company: Company
  ) throws -> (people: Set<String>, departments: Set<String>) {
    let hits = try engine.search(SearchRequest(SearchQuery(text))).hits
    return (
      Set(
        hits.filter { !$0.isDepartment }.map { company.records.users[$0.row].id.rawValue }
      ),
      Set(
        hits.filter(\.isDepartment).map { company.records.departments[$0.row].id.rawValue }
      )
    )
  }

  @Test(arguments: newSeeds(15))
  func `substring hits are those of a naive search`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try RandomCompany.make(using: &generator)
    let naive = NaiveSubstrings(records: company.records)
    let engine = try company.engines().index
    for _ in 0..<30 {
      let words = (0..<Int.random(in: 1...2, using: &generator)).flatMap { _ in
        Folding.fold(RandomCompany.word(company, using: &generator)).unicodeScalars
          .split(separator: " ").map { String($0) }
      }.filter { word in
        // Signs of the language, and digits, which also find telephone numbers.
        !word.unicodeScalars.contains { "\":".unicodeScalars.contains($0) }
          && word.unicodeScalars.first != "-"
          && word.unicodeScalars.contains { $0.properties.isAlphabetic }
      }
      guard !words.isEmpty else { continue }
      let text = words.map { "\"\($0)\"" }.joined(separator: " ")
      let found = try literal(text, engine, company)
      // What stands across a blank that another script writes without is found beside.
      #expect(found.people.isSuperset(of: naive.people(words)), "seed \(seed), “\(text)”")
      #expect(found.departments.isSuperset(of: naive.departments(words)), "seed \(seed), “\(text)”")
      if words.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) {
        #expect(found.people == naive.people(words), "seed \(seed), “\(text)”")
        #expect(found.departments == naive.departments(words), "seed \(seed), “\(text)”")
      }
    }
  }

  @Test(arguments: newSeeds(10))
  func `every substring of a folded name finds it`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try RandomCompany.make(using: &generator, people: 12)
    let engine = try company.engines().index
    for row in 0..<company.records.users.count {
      let scalars = Array(Folding.fold(company.records.users[row].name).unicodeScalars)
      guard !scalars.isEmpty else { continue }
      for _ in 0..<6 {
        let start = Int.random(in: scalars.indices, using: &generator)
        let end = Int.random(in: start..<scalars.count, using: &generator) + 1
        // A mark without its letter folds otherwise: what follows it may then be an accent.
        switch scalars[start].properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: continue
        default: break
        }
        let part = String(String.UnicodeScalarView(scalars[start..<end]))
        let quoted =
          "\"" + part.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
        let query = SearchQuery("name:" + quoted)
        guard let term = query.terms.first, term.isPhrase else { continue }
        let hits = try engine.search(SearchRequest(query)).hits
        #expect(
          hits.contains { !$0.isDepartment && $0.row == row },
          "seed \(seed), “\(part)” of “\(company.records.users[row].name)”"
        )
      }
    }
  }

  @Test(arguments: newSeeds(10))
  func `exclusion and restriction are filtering afterwards`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try RandomCompany.make(using: &generator)
    let engine = try company.engines().index
    func rows(_ text: String) throws -> [SearchHit] {
      try engine.search(SearchRequest(SearchQuery(text))).hits
    }
    func isPlain(_ word: String) -> Bool {
      !word.isEmpty
        && word.unicodeScalars.allSatisfy {
          $0.properties.isAlphabetic && !$0.properties.isWhitespace
        }
        && !Folding.fold(word).contains(" ") && !Folding.fold(word).isEmpty
    }
    for _ in 0..<30 {
      let wanted = RandomCompany.word(company, using: &generator)
      let unwanted = RandomCompany.word(company, using: &generator)
      guard isPlain(wanted), isPlain(unwanted) else { continue }
      let all = try rows(wanted)
      let excluded = try rows("\"\(unwanted)\"").map { [$0.isDepartment ? 1 : 0, $0.row] }
      let expected = all.filter { !excluded.contains([$0.isDepartment ? 1 : 0, $0.row]) }
      let found = try rows("\(wanted) -\(unwanted)")
      let context: Comment = "seed \(seed), \(wanted) -\(unwanted)"
      #expect(
        !found.contains { excluded.contains([$0.isDepartment ? 1 : 0, $0.row]) },
        context
      )
      // Where the exclusion leaves no such name, a tier may be tried that was not needed without it;
      // initials are not tried beside an exclusion.
      let tiers = Set(all.map(\.tier))
      if !tiers.contains(.initials), tiers.isSuperset(of: found.map(\.tier)) {
        #expect(found == expected, context)
      }
      let named = try rows("name:\(wanted)")
      // A record may be found better by something else than its name, which then counts only here, and a
      // tier for want of names is not tried.
      let tiersOfNames = Set(named.map(\.tier))
      let inName = all.filter {
        !$0.rank.isOutsideName && (named.isEmpty || tiersOfNames.contains($0.tier))
      }
      #expect(Set(named.map(\.node)).isSuperset(of: inName.map(\.node)), "seed \(seed), \(wanted)")
    }
  }
}
