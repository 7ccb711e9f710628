import Seeds
import DirectoryModel
import DirectoryStore
import TestSupport
import Testing

/// What an import should do, written down as plainly as possible.
private struct CompanyModel: Equatable {
  struct Person: Equatable {
    var primary: String
    var name: String
    var email: String
  }

  struct Place: Hashable {
    var user: String
    var department: String
  }

  struct Post: Equatable {
    var title: String
    var sortOrder: Int64
  }

  /// Without the id, so that rows compare by content.
  var departments: [String: ImportFiles.Department] = [:]
  var users: [String: Person] = [:]
  var memberships: [Place: Post] = [:]

  func problemCount(of files: ImportFiles, replace: Bool) -> Int {
    let known = replace ? CompanyModel() : self
    let ids = Set(files.departments.map(\.id)).union(known.departments.keys)
    let people = Set(files.users.map(\.id)).union(known.users.keys)
    let places = files.memberships.map { Place(user: $0.user, department: $0.department) }
    var count = repeated(files.departments.map(\.id)) + repeated(files.users.map(\.id))
    count += repeated(places)
    count += files.departments.filter { !$0.parent.isEmpty && !ids.contains($0.parent) }.count
    count += files.users.filter { !ids.contains($0.department) }.count
    for place in places {
      if !people.contains(place.user) { count += 1 }
      if !ids.contains(place.department) { count += 1 }
      let staged = files.users.filter { $0.id == place.user }
      let primaries = staged.isEmpty ? [known.users[place.user]?.primary] : staged.map(\.department)
      if primaries.contains(place.department) { count += 1 }
    }
    return count + rings(files, known)
  }

  private func repeated<Key: Hashable>(_ keys: [Key]) -> Int { keys.count - Set(keys).count }

  private func rings(_ files: ImportFiles, _ known: CompanyModel) -> Int {
    var parents = known.departments.mapValues(\.parent)
    var seen: Set<String> = []
    for row in files.departments where seen.insert(row.id).inserted { parents[row.id] = row.parent }
    var rings: Set<Set<String>> = []
    for start in parents.keys {
      var members: [String] = []
      var node = start
      while let parent = parents[node], !members.contains(node) {
        members.append(node)
        node = parent
      }
      if node == start, members.contains(start) { rings.insert(Set(members)) }
    }
    return rings.count
  }

  mutating func apply(_ files: ImportFiles, replace: Bool) -> ChangeTotals {
    let before = self
    if replace { self = CompanyModel() }
    for row in files.departments {
      departments[row.id] = row
      departments[row.id]?.id = ""
    }
    for row in files.users {
      if !replace, let primary = before.users[row.id]?.primary, primary != row.department,
        !files.memberships.contains(where: { $0.user == row.id && $0.department == primary })
      {
        memberships[Place(user: row.id, department: primary)] = nil
      }
      users[row.id] = Person(primary: row.department, name: row.name, email: row.email)
      memberships[Place(user: row.id, department: row.department)] = Post(
        title: row.title,
        sortOrder: row.sortOrder
      )
    }
    for row in files.memberships {
      memberships[Place(user: row.user, department: row.department)] = Post(
        title: row.title,
        sortOrder: row.sortOrder
      )
    }
    return summary(files, before)
  }

  private func summary(_ files: ImportFiles, _ before: CompanyModel) -> ChangeTotals {
    var summary = ChangeTotals()
    summary.departments = counts(before.departments, departments, Set(files.departments.map(\.id)))
    {
      $0.parent != $1.parent
    }
    summary.users = counts(before.people, people, Set(files.users.map(\.id))) {
      $0.person.primary != $1.person.primary
    }
    let rows =
      files.users.map { Place(user: $0.id, department: $0.department) }
      + files.memberships.map { Place(user: $0.user, department: $0.department) }
    summary.memberships = counts(before.memberships, memberships, Set(rows)) { _, _ in false }
    return summary
  }

  /// A person with all that the person's memberships say.
  private struct Portrait: Equatable {
    var person: Person
    var posts: [String: Post]
  }

  private var people: [String: Portrait] {
    var people = users.mapValues { Portrait(person: $0, posts: [:]) }
    for (place, post) in memberships { people[place.user]?.posts[place.department] = post }
    return people
  }

  private func counts<Key: Hashable, Row: Equatable>(
    _ before: [Key: Row],
    _ after: [Key: Row],
    _ named: Set<Key>,
    _ moves: (Row, Row) -> Bool
  ) -> ChangeCounts {
    var counts = ChangeCounts()
    for (key, row) in after {
      guard let old = before[key] else {
        counts.added += 1
        continue
      }
      if moves(old, row) {
        counts.moved += 1
      } else if old != row {
        counts.changed += 1
      } else if named.contains(key) {
        counts.unchanged += 1
      }
    }
    counts.removed = before.keys.filter { after[$0] == nil }.count
    return counts
  }

  init() {}

  init(_ records: DirectoryRecords) {
    for row in 0..<records.departments.count {
      let record = records.departments[row]
      departments[record.id.rawValue] = ImportFiles.Department(
        id: "",
        parent: record.parent?.rawValue ?? "",
        name: record.name,
        description: record.description,
        sortOrder: record.sortOrder
      )
    }
    for row in 0..<records.users.count {
      let record = records.users[row]
      users[record.id.rawValue] = Person(
        primary: record.primaryDepartment.rawValue,
        name: record.name,
        email: record.contacts[.email]
      )
    }
    for row in 0..<records.memberships.count {
      let record = records.memberships[row]
      let place = Place(user: record.user.rawValue, department: record.department.rawValue)
      memberships[place] = Post(title: record.title, sortOrder: record.sortOrder)
    }
  }
}

/// Small files that often fit what is there, and often do not.
private struct FilesMaker {
  var random: SeededGenerator
  /// Whether rows may contradict each other.
  var isCareless = false

  mutating func makeFiles(after model: CompanyModel, replace: Bool) -> ImportFiles {
    var files = ImportFiles()
    let all = isCareless ? 6 : 12
    var departments = Set((0..<number(all)).map { _ in "d\(number(10))" }).sorted()
    if isCareless, chance(3) { departments += departments.prefix(1) }
    for id in departments { files.departments.append(makeDepartment(id, departments, model)) }
    let known = departments + (replace ? [] : Array(model.departments.keys))
    for id in ids("u", 12) {
      guard let department = reference(to: known, "d") else { break }
      files.users.append(
        .init(
          id: id,
          department: department,
          name: "n\(number(3))",
          title: "t\(number(3))",
          email: "e\(number(2))",
          sortOrder: Int64(number(3))
        )
      )
    }
    let people = files.users.map(\.id) + (replace ? [] : Array(model.users.keys))
    addMemberships(&files, people, known, model)
    return files
  }

  private mutating func makeDepartment(
    _ id: String,
    _ staged: [String],
    _ model: CompanyModel
  ) -> ImportFiles.Department {
    // Careful files point to smaller ids only, which can be no ring with each other; with what
    // is stored they still can.
    let parents = isCareless ? staged + ["d77"] : staged.filter { $0 < id }
    let parent = chance(3) ? "" : parents.randomElement(using: &random) ?? ""
    return .init(
      id: id,
      parent: parent,
      name: "n\(number(3))",
      description: "x\(number(2))",
      sortOrder: Int64(number(2))
    )
  }

  private mutating func addMemberships(
    _ files: inout ImportFiles,
    _ people: [String],
    _ departments: [String],
    _ model: CompanyModel
  ) {
    var seen: Set<[String]> = []
    for _ in 0..<number(8) {
      guard let user = reference(to: people, "u"), let department = reference(to: departments, "d")
      else { break }
      let primary = files.users.first { $0.id == user }?.department ?? model.users[user]?.primary
      guard isCareless || (seen.insert([user, department]).inserted && primary != department)
      else { continue }
      files.memberships.append(
        .init(
          user: user,
          department: department,
          title: "t\(number(3))",
          sortOrder: Int64(number(3))
        )
      )
    }
  }

  private mutating func ids(_ prefix: String, _ most: Int) -> [String] {
    let ids = (0..<number(most)).map { _ in "\(prefix)\(number(15))" }
    return isCareless ? ids : Set(ids).sorted()
  }

  private mutating func reference(to known: [String], _ prefix: String) -> String? {
    if isCareless, chance(8) { return "\(prefix)99" }
    return known.sorted().randomElement(using: &random)
  }

  private mutating func number(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
  private mutating func chance(_ oneIn: Int) -> Bool { number(oneIn) == 0 }
}

@Suite("Random imports")
struct ImportModelTests {
  @Test func `do what the plain model does`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var maker = FilesMaker(random: SeededGenerator(seed: seed))
    var model = CompanyModel()
    var (done, refused) = (0, 0)
    let count = rounds(30, thorough: 100)
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      for round in 0..<count {
        let comment: Comment = "seed \(seed), round \(round)"
        maker.isCareless = round % 3 == 2
        let replace = round % 5 == 4
        let files = maker.makeFiles(after: model, replace: replace)
        let problems = model.problemCount(of: files, replace: replace)
        let before = model
        let marks = try await rowMarks(sql)
        switch try await importFiles(files, replace: replace, limit: 1_000, conninfo) {
        case .refused(let listed, let total):
          refused += 1
          #expect(total == problems, comment)
          #expect(listed.count == total, comment)
        case .done(let summary):
          done += 1
          #expect(problems == 0, comment)
          #expect(summary == model.apply(files, replace: replace), comment)
        }
        let records = try await DirectoryRepository(conninfo: conninfo).load().records
        #expect(CompanyModel(records) == model, comment)
        if model == before { #expect(try await rowMarks(sql) == marks, comment) }
      }
    }
    // Otherwise the files were of one sort only.
    let outcome: Comment = "seed \(seed): \(done) done, \(refused) refused"
    #expect(done > count / 5 && refused > count / 7, outcome)
  }

  private func rowMarks(_ sql: SQLSession) async throws -> [[String]] {
    try await sql.rows(
      """
      select id, '', changed_in from staffbook.departments
        union all select id, '', changed_in from staffbook.users
        union all select user_id, department_id, changed_in from staffbook.memberships
        order by 1, 2, 3
      """
    )
  }
}
