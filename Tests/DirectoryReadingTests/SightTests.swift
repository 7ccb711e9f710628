import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import TestSupport
import Testing

@testable import DirectoryReading
@testable import VisibilityModel

/// Rules that hide about half of a company's nodes, and two fields.
private struct HalfSight {
  let company: MarkedCompany
  let whole: Directory
  private(set) var rules = VisibilityRules([])
  private(set) var ofFields: [VisibilityRule] = []

  init(using generator: inout SeededGenerator) throws {
    company = try MarkedCompany(using: &generator)
    whole = try Directory(company.snapshot(), for: .everything)
    let fields = [
      "title", "email", "phone", "mobile", "manager", "note", "languages", "team", "description",
      "site", "host",
    ]
    let hidden = Array(fields.shuffled(using: &generator).prefix(2))
    ofFields = [
      VisibilityRule(.show, fields: ["badge", "cost"], .everything, .everybody),
      VisibilityRule(.hide, fields: hidden, .everything, .everybody),
    ]
    repeat { hideNodes(using: &generator) } while try !isAboutHalf
  }

  private mutating func hideNodes(using generator: inout SeededGenerator) {
    rules.rules = ofFields
    for department in company.departments.dropFirst()
    where Int.random(in: 0..<7, using: &generator) == 0 {
      rules.rules.append(VisibilityRule(.hide, .department(department.id), .everybody))
    }
    for user in company.users where Int.random(in: 0..<10, using: &generator) < 4 {
      rules.rules.append(VisibilityRule(.hide, .person(user.id), .everybody))
    }
    rules.rules.append(.base)
  }

  mutating func show(_ user: UserID) { rules.rules.removeAll { $0.targets == .person(user) } }

  mutating func showFields() { rules.rules.removeAll { !$0.fields.isEmpty } }

  private var isAboutHalf: Bool {
    get throws {
      let model = SlowSight(rules, viewer, company)
      let count =
        company.departments.count { model.showing($0.id) != .nothing }
        + company.memberships.count { model.shows($0) }
      return (0.35...0.65).contains(Double(count) / Double(whole.tree.count))
    }
  }

  private var viewer: Viewer { .person(company.users[0].id) }

  private func sight(_ rules: VisibilityRules) throws -> Sight {
    try rules.sight(of: viewer, in: whole.snapshot)
  }

  var sight: Sight { get throws { try sight(rules) } }

  /// A company of which nothing else was ever there.
  func visible() throws -> MarkedCompany {
    var visible = try SlowSight(rules, viewer, company).visible()
    visible.fields = company.fields
    return visible
  }

  /// A directory of the visible records alone, made as every directory is made; hidden fields have no
  /// values in it, and are known to be hidden.
  func reference(_ visible: MarkedCompany) throws -> Directory {
    try Directory(visible.snapshot(), for: sight(VisibilityRules(ofFields + [.base])))
  }

  /// Texts of which none may be seen.
  func hiddenTexts(_ visible: MarkedCompany) -> [String] {
    func texts(_ company: MarkedCompany) -> Set<String> {
      var texts: Set<String> = []
      for user in company.users { texts.formUnion(company.texts(of: user)) }
      for department in company.departments { texts.formUnion(company.texts(of: department)) }
      for membership in company.memberships { texts.insert(membership.title) }
      return texts
    }
    return Array(texts(company).subtracting(texts(visible)))
  }
}

@Suite("What a sight shows of a directory")
struct SightTests {
  @Test(arguments: newSeeds(2))
  func `nothing that is hidden gets out of any question`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let half = try HalfSight(using: &generator)
    let visible = try half.visible()
    let seen = try Directory(half.company.snapshot(), for: half.sight)
    let reference = try half.reference(visible)

    let asked = try questions(half, visible, using: &generator)
    let open = half.company.departments.shuffled(using: &generator).prefix(12).map(\.id)
    func transcript(_ directory: Directory) throws -> [ReadingTranscript.Entry] {
      try ReadingTranscript(directory, names: asked.names, words: asked.words, open: Array(open))
        .entries
    }
    let (answers, wanted) = (try transcript(seen), try transcript(reference))
    #expect(answers.count == wanted.count)
    for (answer, expected) in zip(answers, wanted) {
      #expect(answer.question == expected.question, "seed \(seed)")
      #expect(answer.answer == expected.answer, "seed \(seed): \(answer.question)")
    }

    // Seen by everybody each of them does get out, so that finding none means something.
    let markers = Self.words(of: half.hiddenTexts(visible))
    let everything = Self.words(of: try transcript(half.whole).map(\.answer))
    let unasked = answers.filter { markers.isDisjoint(with: Self.words(of: [$0.question])) }
    let shown = Self.words(of: unasked.map(\.answer))
    #expect(shown.count > 500)
    #expect(markers.subtracting(everything).isEmpty, "seed \(seed): never shown")
    #expect(markers.isDisjoint(with: shown), "seed \(seed): \(markers.intersection(shown))")
  }

  @Test(arguments: newSeeds(3))
  func `rules of any kind give the answers of a directory of what they show`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let rules = try VisibilityRules(forDeviceOf: company, using: &generator)
    let model = SlowSight(rules, .device("lobby"), company)
    let reference = try model.reference()
    let names = company.users.shuffled(using: &generator).prefix(6).flatMap {
      [$0.id.rawValue, $0.name]
    }
    let words =
      company.users.shuffled(using: &generator).prefix(4).flatMap(company.texts)
      + company.departments.shuffled(using: &generator).prefix(4).flatMap(company.texts)
    func answers(
      _ company: MarkedCompany,
      _ rules: VisibilityRules
    ) throws -> [ReadingTranscript.Entry] {
      let snapshot = try company.snapshot()
      let sight = try rules.sight(of: model.viewer, in: snapshot)
      let open = model.company.departments.prefix(9).map(\.id)
      return try ReadingTranscript(
        Directory(snapshot, for: sight),
        names: names,
        words: words,
        open: Array(open)
      ).entries
    }
    let own = try answers(company, rules)
    let wanted = try answers(reference.company, reference.rules)
    #expect(own.map(\.question) == wanted.map(\.question))
    for (answer, expected) in zip(own, wanted) where answer.answer != expected.answer {
      Issue.record("seed \(seed): \(answer.question): \(answer.answer) is not \(expected.answer)")
    }
  }

  /// The words of eight bytes and more.
  private static func words(of texts: [String]) -> Set<String> {
    var words: Set<String> = []
    for text in texts {
      let parts = text.utf8.split { byte in
        byte < 0x80 && !(0x30...0x39).contains(byte) && !(0x61...0x7A).contains(byte | 0x20)
      }
      for part in parts where part.count >= 8 { words.insert(String(part) ?? "") }
    }
    return words
  }

  /// Names and queries, of what is there, of what is hidden, and of nothing.
  private func questions(
    _ half: HalfSight,
    _ visible: MarkedCompany,
    using generator: inout SeededGenerator
  ) throws -> (names: [String], words: [String]) {
    let hiddenUsers = half.company.users.filter { user in
      !visible.users.contains { $0.id == user.id }
    }
    let hiddenDepartments = half.company.departments.filter { department in
      !visible.departments.contains { $0.id == department.id }
    }
    var names = ["nobody", "id:", "Nobody/Nowhere"]
    var words = [
      "is:lead", "-is:lead", "has:email", "has:mobile", "-has:note", "has:manager", "030",
      "example",
      "u", "d-", "email:example", "title:a", "dept:b", "in:nowhere a",
    ]
    for users in [visible.users, hiddenUsers] {
      for user in users.shuffled(using: &generator).prefix(2) {
        names += [user.id.rawValue, user.name, String(user.name.dropFirst())]
        words += half.company.texts(of: user)
        words += [
          user.name.split(separator: " ").map { $0.dropLast() }.joined(separator: " "),
          "manager:\(user.id)", "team:\(user.id)", "reports:\(user.id)", "-\(user.name) u",
          "email:\(user.contacts[.email].prefix(6))", "phone:\(user.contacts[.phone].suffix(6))",
          String(user.name.reversed()),
        ]
      }
    }
    for departments in [visible.departments, hiddenDepartments] {
      for department in departments.shuffled(using: &generator).prefix(2) {
        let path = try half.whole.path(
          through: #require(try half.whole.node(of: department.id))
        )
        names += [
          department.id.rawValue, department.name, String(department.name.dropLast(2)),
          DepartmentName.path(path),
        ]
        words += half.company.texts(of: department)
        words += [
          "in:\(department.id) a", "-in:\(department.id) a", "dept:\(department.name.prefix(5))",
          "site:\(department.fields.values?["site"]?.texts.first ?? "")",
        ]
      }
    }
    for membership in half.company.memberships.shuffled(using: &generator).prefix(6) {
      words += [membership.title, "title:\(membership.title)"]
    }
    return (names, Array(words.shuffled(using: &generator).prefix(rounds(40, thorough: .max))))
  }

  /// What the questions are worth.
  @Test func `a single place or field that gets out is noticed`() throws {
    var generator = SeededGenerator(seed: 3)
    let half = try HalfSight(using: &generator)
    func answers(_ half: HalfSight) throws -> [String] {
      let directory = try Directory(half.company.snapshot(), for: half.sight)
      return try ReadingTranscript(directory, names: [], words: [], open: []).entries.map(\.answer)
    }
    let wanted = try answers(half)
    #expect(try answers(half) == wanted)
    let visible = try half.visible()
    for department in visible.departments.prefix(3) {
      var careless = half
      let hidden = half.company.memberships.first { membership in
        membership.department == department.id
          && !visible.users.contains { $0.id == membership.user }
      }
      guard let hidden else { continue }
      careless.show(hidden.user)
      #expect(try answers(careless) != wanted, "\(hidden)")
    }
    var careless = half
    careless.showFields()
    #expect(try answers(careless) != wanted)
  }

  @Test func `everything is the snapshot as it is`() throws {
    var generator = SeededGenerator(seed: 1)
    let snapshot = try MarkedCompany(using: &generator).snapshot()
    #expect(try Directory(snapshot, for: .everything).checksum == snapshot.checksum)
    #expect(try Directory(snapshot, for: Self.everyPerson).userCount == 110)
  }

  /// Everything, and something that is not there hidden.
  private static var everyPerson: Sight {
    var sight = Sight.everything
    sight.places.insert(Sight.Places(.department(DepartmentID("nowhere")), .hidden), at: 0)
    return sight
  }

  @Test func `who may see nothing sees an empty directory`() throws {
    var generator = SeededGenerator(seed: 2)
    let snapshot = try MarkedCompany(using: &generator).snapshot()
    let directory = try Directory(snapshot, for: .nothing)
    #expect(directory.isEmpty && directory.userCount == 0 && directory.departmentCount == 0)
    #expect(try directory.search("a", in: nil, limit: nil).total.isZero)
    try directory.forEachRow(of: TreeRequest(opening: .all)) { _ in Issue.record("a row") }
  }

  @Test func `what has no place is in everything alone`() throws {
    var company = Company()
    try company.department("a")
    try company.department("orphan", under: "nowhere")
    try company.user("u", in: "a")
    try company.user("stray", in: "gone")
    let snapshot = try company.snapshot()
    #expect(try Directory(snapshot, for: .everything).unplacedCount > 0)
    let seen = try Directory(snapshot, for: Self.everyPerson)
    #expect(seen.unplacedCount == 0 && seen.departmentCount == 1 && seen.userCount == 1)
  }

  /// Not even the time of a look-up tells a hidden id from one that never was: it looks among the same
  /// records.
  @Test func `what is looked up in is the same as if a hidden id had never been`() throws {
    func company(of numbers: some Sequence<Int>) throws -> DirectorySnapshot {
      var company = Company()
      try company.department("a")
      for number in numbers { try company.user("u\(number)", in: "a") }
      return try company.snapshot()
    }
    var sight = Sight.everything
    for number in stride(from: 1, to: 4_000, by: 2) {
      sight.places.insert(Sight.Places(.person(UserID("u\(number)")), .hidden), at: 0)
    }
    let seen = try Directory(company(of: 0..<4_000), for: sight)
    let alone = try Directory(company(of: stride(from: 0, to: 4_000, by: 2)), for: .everything)
    #expect(seen.tree.count == alone.tree.count && seen.membershipCount == alone.membershipCount)
    func ids(_ directory: Directory) throws -> [String] {
      try (0..<directory.userCount).map { try directory.users.ids[$0] }
    }
    #expect(try ids(seen) == ids(alone))
    for name in ["id:u1", "id:x1"] { #expect(try seen.named(DepartmentName(name)).nodes.isEmpty) }
  }
}
