import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import TestSupport
import Testing

@testable import DirectoryReading

/// A random half of a company's nodes, and two fields that are hidden.
private struct HalfSight {
  let company: MarkedCompany
  let whole: Directory
  private(set) var hiddenDepartments: Set<DepartmentID> = []
  private(set) var hiddenPlaces: Set<String> = []
  private(set) var hiddenOfUsers: Set<String>
  private(set) var hiddenOfDepartments: Set<String>

  static func place(_ user: UserID, _ department: DepartmentID) -> String {
    "\(user) in \(department)"
  }

  init(using generator: inout SeededGenerator) throws {
    company = try MarkedCompany(using: &generator)
    whole = try Directory(company.snapshot(), for: .everything)
    let fields = [
      "title", "email", "phone", "mobile", "manager", "note", "languages", "team", "description",
      "site", "host",
    ]
    let hidden = Set(fields.shuffled(using: &generator).prefix(2))
    let ofDepartments: Set<String> = ["description", "site", "host"]
    hiddenOfUsers = hidden.subtracting(ofDepartments)
    hiddenOfDepartments = hidden.intersection(ofDepartments)
    repeat { hideNodes(using: &generator) } while try !isAboutHalf
  }

  private mutating func hideNodes(using generator: inout SeededGenerator) {
    hiddenDepartments = []
    hiddenPlaces = []
    for department in company.departments.dropFirst()
    where Int.random(in: 0..<7, using: &generator) == 0 {
      hiddenDepartments.insert(department.id)
    }
    for membership in company.memberships where Int.random(in: 0..<10, using: &generator) < 4 {
      hiddenPlaces.insert(Self.place(membership.user, membership.department))
    }
  }

  func hides(_ membership: MembershipRecord) -> Bool {
    hiddenPlaces.contains(Self.place(membership.user, membership.department))
  }

  mutating func show(_ membership: MembershipRecord) {
    hiddenPlaces.remove(Self.place(membership.user, membership.department))
  }

  mutating func showFields() {
    hiddenOfUsers = []
    hiddenOfDepartments = []
  }

  private var isAboutHalf: Bool {
    get throws {
      let visible = try visible()
      let count = visible.departments.count + visible.memberships.count
      return (0.35...0.65).contains(Double(count) / Double(whole.tree.count))
    }
  }

  /// Hides fields alone.
  private var ofFields: Sight {
    var sight = Sight.everything
    func shown(_ kind: RecordKind, _ hidden: Set<String>) -> Sight.FieldSets {
      Sight.FieldSets(.only(Set(kind.shownFields(company.fields)).subtracting(hidden)))
    }
    sight.departmentFields = shown(.department, hiddenOfDepartments)
    sight.personFields = shown(.user, hiddenOfUsers)
    return sight
  }

  var sight: Sight {
    var sight = ofFields
    for id in hiddenDepartments { sight.departments[id] = .nothing }
    for membership in company.memberships where hides(membership) {
      let place = MembershipKey(user: membership.user, department: membership.department)
      sight.places[place] = false
    }
    return sight
  }

  /// A company of which nothing else was ever there.
  func visible() throws -> MarkedCompany {
    var company = company
    var isThere: Set<DepartmentID> = []
    // Parents come first.
    company.departments.removeAll { department in
      let isHidden =
        hiddenDepartments.contains(department.id)
        || !(department.parent.map(isThere.contains) ?? true)
      if !isHidden { isThere.insert(department.id) }
      return isHidden
    }
    company.memberships.removeAll {
      !isThere.contains($0.department) || hiddenPlaces.contains(Self.place($0.user, $0.department))
    }
    let placed = Set(company.memberships.map(\.user))
    company.users.removeAll { !placed.contains($0.id) }
    let first = try firstPlaces(company.memberships)
    for index in company.users.indices {
      let user = company.users[index]
      let places = company.memberships.filter { $0.user == user.id }.map(\.department)
      if !places.contains(user.primaryDepartment), let main = first[user.id] {
        company.users[index].primaryDepartment = main
      }
      company.users[index].fields = left(of: user.fields, .user, placed)
      for field in Field.contacts where hiddenOfUsers.contains(field.name) {
        company.users[index].contacts[field] = ""
      }
    }
    for index in company.memberships.indices where hiddenOfUsers.contains("title") {
      company.memberships[index].title = ""
    }
    for index in company.departments.indices {
      let values = company.departments[index].fields
      company.departments[index].fields = left(of: values, .department, placed)
      if hiddenOfDepartments.contains("description") { company.departments[index].description = "" }
    }
    return company
  }

  /// The first visible department of each person in the order of the tree.
  private func firstPlaces(
    _ memberships: [MembershipRecord]
  ) throws -> [UserID: DepartmentID] {
    let visible = Set(memberships.map { Self.place($0.user, $0.department) })
    var first: [UserID: DepartmentID] = [:]
    for row in try whole.rows(of: TreeRequest(opening: .all)) {
      guard row.row.kind == .user, let department = row.row.parent else { continue }
      let user = UserID(row.row.id)
      if first[user] == nil, visible.contains(Self.place(user, department)) {
        first[user] = department
      }
    }
    return first
  }

  private func left(
    of values: FieldValues,
    _ owner: RecordKind,
    _ placed: Set<UserID>
  ) -> FieldValues {
    let hidden = owner == .user ? hiddenOfUsers : hiddenOfDepartments
    var left: [String: FieldValues.Value] = [:]
    for (name, value) in values.values ?? [:] where !hidden.contains(name) {
      guard company.fields.contains(where: { $0.name == name && $0.kind == .person }) else {
        left[name] = value
        continue
      }
      let there = value.texts.filter { placed.contains(UserID($0)) }
      if there.isEmpty { continue }
      if case .several = value { left[name] = .several(there) } else { left[name] = .one(there[0]) }
    }
    return FieldValues(left)
  }

  /// A directory of the visible records alone, made as every directory is made; hidden fields have no
  /// values in it, and are known to be hidden.
  func reference(_ visible: MarkedCompany) throws -> Directory {
    try Directory(visible.snapshot(), for: ofFields)
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
    return (names, words)
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
        membership.department == department.id && half.hides(membership)
      }
      guard let hidden else { continue }
      careless.show(hidden)
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
    sight.departments[DepartmentID("nowhere")] = .nothing
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
    for number in stride(from: 1, to: 4_000, by: 2) { sight.people[UserID("u\(number)")] = false }
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
