import DirectoryExchange
import DirectoryModel
import SampleCompanies
import SystemPackage
import TestSupport
import Testing

/// A company's three files, read back.
private struct SampleReading {
  struct Department {
    var parent: String
    var name: String
    var sortOrder: Int64
  }

  var departments: [String: Department] = [:]
  var departmentOrder: [String] = []
  /// Primary department by user.
  var users: [String: String] = [:]
  var names: [String] = []
  var addresses: [String] = []
  var phones: [String] = []
  var memberships: [(user: String, department: String)] = []
  var problems = ProblemList()

  init(_ folder: FilePath) throws {
    let files = try InputSet([folder.string]).members.map { try $0.open() }
    try readDepartments(files[0])
    try readUsers(files[1])
    var further = try DirectoryFileReader(files[2], .memberships)
    var found: [(user: String, department: String)] = []
    further.forEachRow(&problems) { row in
      guard case .membership(let row) = row else { return }
      found.append((text(row.user), text(row.department)))
    }
    memberships = found
  }

  private mutating func readDepartments(_ file: InputFile) throws {
    var reader = try DirectoryFileReader(file, .departments, fields: SampleFields.declared)
    var found: [(String, Department)] = []
    reader.forEachRow(&problems) { row in
      guard case .department(let row) = row else { return }
      found.append(
        (
          text(row.id),
          Department(parent: text(row.parent), name: text(row.name), sortOrder: row.sortOrder)
        )
      )
    }
    departmentOrder = found.map(\.0)
    departments = Dictionary(found) { first, _ in first }
  }

  private mutating func readUsers(_ file: InputFile) throws {
    var reader = try DirectoryFileReader(file, .users, fields: SampleFields.declared)
    var found: [(id: String, department: String, values: [String])] = []
    reader.forEachRow(&problems) { row in
      guard case .person(let row) = row else { return }
      found.append(
        (text(row.id), text(row.department), ([row.name] + row.contacts.all).map(text))
      )
    }
    users = Dictionary(found.map { ($0.id, $0.department) }) { first, _ in first }
    names = found.map { $0.values[0] }
    addresses = found.map { $0.values[1] }
    phones = found.map { $0.values[2] }
  }

  /// Departments from a root down to this one; `nil` on a ring or an unknown parent.
  func level(of department: String) -> Int? {
    var level = 0
    var id = department
    while let found = departments[id], level <= departments.count {
      if found.parent.isEmpty { return level }
      id = found.parent
      level += 1
    }
    return nil
  }

  var levels: [Int?] { departmentOrder.map(level) }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(decoding: bytes, as: UTF8.self)
}

private func contents(_ folder: FilePath) throws -> [[UInt8]] {
  try ["departments.csv", "users.csv", "memberships.csv"].map { name in
    let file = try FileDescriptor.open(folder.appending(name), .readOnly)
    return try file.closeAfter {
      let size = try file.seek(offset: 0, from: .end)
      return try [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
        count = try file.read(
          fromAbsoluteOffset: 0,
          into: UnsafeMutableRawBufferPointer(buffer)
        )
      }
    }
  }
}

/// What must hold of every sample.
private func expectSound(_ sample: SampleReading, people: Int, departments: Int) {
  #expect(sample.problems.problems == [] && sample.problems.warnings == [])
  #expect(sample.departmentOrder.count == departments && sample.departments.count == departments)
  #expect(sample.names.count == people && sample.users.count == people)
  #expect(sample.departments.values.count { $0.parent.isEmpty } == 1)
  #expect(!sample.levels.contains(nil))
  #expect(sample.users.values.allSatisfy { sample.departments[$0] != nil })
  let pairs = sample.memberships.map { "\($0.user) \($0.department)" }
  #expect(Set(pairs).count == pairs.count)
  for membership in sample.memberships {
    #expect(sample.departments[membership.department] != nil)
    let primary = sample.users[membership.user]
    #expect(primary != nil && primary != membership.department)
  }
  let addresses = sample.addresses.filter { !$0.isEmpty }
  #expect(Set(addresses).count == addresses.count)
  #expect(addresses.allSatisfy { $0.hasSuffix("@fernlicht.example") })
  #expect(sample.phones.allSatisfy { $0.isEmpty || isFictional($0) })
}

/// Whether a number lies in a range that a regulator set aside for fiction.
private func isFictional(_ phone: String) -> Bool {
  let ranges: [(prefix: String, digits: Int)] = [
    ("+161755501", 2), ("+131255501", 2), ("+141555501", 2), ("+442079460", 3),
    ("+493023125", 3), ("+3319900", 4), ("+468465004", 2), ("+447700900", 3),
  ]
  let dialled = phone.filter { $0 != " " }
  return ranges.contains {
    dialled.hasPrefix($0.prefix) && dialled.count == $0.prefix.count + $0.digits
      && dialled.dropFirst().allSatisfy(\.isNumber)
  }
}

/// The last columns of `users.csv`, in which nothing is in quotes.
private struct PersonValues {
  let id: String
  let isLead: Bool
  let mobile: String
  let languages: [String]
  let joined: String
  let manager: String

  init?(_ line: Substring) {
    let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard cells.count >= 13 else { return nil }
    let last = Array(cells.suffix(6))
    (id, isLead, mobile, joined, manager) =
      (cells[0], last[0] == "true", last[1], last[4], last[5])
    languages = last[3].split(separator: ";").map(String.init)
  }

  static func all(in folder: FilePath) throws -> [PersonValues] {
    let text = String(decoding: try contents(folder)[1], as: UTF8.self)
    return text.split(separator: "\r\n").dropFirst().compactMap { PersonValues($0) }
  }
}

/// What must hold of the fields of every sample.
private func expectSoundFields(_ people: [PersonValues]) {
  let managers = Dictionary(uniqueKeysWithValues: people.map { ($0.id, $0.manager) })
  #expect(people.count { $0.manager.isEmpty } == 1)
  for person in people {
    var (above, steps) = (person.manager, 0)
    while let next = managers[above], steps <= people.count { (above, steps) = (next, steps + 1) }
    #expect(above.isEmpty && steps <= 7, "\(person)")
    #expect(person.mobile.isEmpty || isFictional(person.mobile), "\(person)")
    #expect(Set(person.languages).count == person.languages.count, "\(person)")
    #expect(FieldKind.date.accepts(Array(person.joined.utf8)), "\(person)")
  }
  #expect(people.contains { $0.languages.count > 1 } && people.contains { $0.mobile.isEmpty })
  let leads = Set(people.filter(\.isLead).map(\.id))
  #expect(people.allSatisfy { $0.manager.isEmpty || leads.contains($0.manager) })
}

@Suite("The sample company")
struct BuiltInSampleTests {
  @Test func `has fields that are sound, or none`() async throws {
    try await withTemporaryDirectory { folder in
      for company in [
        SampleCompany.builtIn, SampleCompany.generated(people: 800, departments: 60, seed: 4),
      ] {
        try company.write(to: folder, replacing: true)
        expectSoundFields(try PersonValues.all(in: folder))
        try company.write(to: folder, replacing: true, withFields: false)
        let headers = try contents(folder).map {
          String(decoding: $0.prefix { $0 != 13 }, as: UTF8.self)
        }
        #expect(
          headers == [
            "id,parent_id,name,description,sort_order",
            "id,department_id,name,title,email,phone,sort_order",
            "user_id,department_id,title,sort_order",
          ]
        )
      }
    }
  }

  @Test func `it is sound, and of the size that the manual says`() async throws {
    try await withTemporaryDirectory { folder in
      try SampleCompany.builtIn.write(to: folder)
      let sample = try SampleReading(folder)
      expectSound(sample, people: 209, departments: 25)
      #expect(Set(sample.levels) == [0, 1, 2, 3])
      let furtherPerPerson = Dictionary(grouping: sample.memberships, by: \.user).mapValues(\.count)
      #expect(furtherPerPerson.count >= 15)
      #expect(furtherPerPerson.values.contains(2))
      let populated = Set(sample.users.values).union(sample.memberships.map(\.department))
      #expect(sample.departmentOrder.filter { !populated.contains($0) } == ["moon"])
      #expect(Set(sample.names).count == sample.names.count)
    }
  }

  @Test func `names come in many scripts`() async throws {
    let blocks: [(String, ClosedRange<UInt32>)] = [
      ("Latin with marks", 0xC0...0x24F), ("Greek", 0x370...0x3FF), ("Cyrillic", 0x400...0x4FF),
      ("Armenian", 0x530...0x58F), ("Hebrew", 0x590...0x5FF), ("Arabic", 0x600...0x6FF),
      ("Devanagari", 0x900...0x97F), ("Bengali", 0x980...0x9FF), ("Tamil", 0xB80...0xBFF),
      ("Thai", 0xE00...0xE7F), ("Georgian", 0x10A0...0x10FF), ("Ethiopic", 0x1200...0x137F),
      ("Vietnamese", 0x1EA0...0x1EFF), ("Hiragana", 0x3040...0x309F), ("Han", 0x4E00...0x9FFF),
      ("Hangul", 0xAC00...0xD7A3),
    ]
    try await withTemporaryDirectory { folder in
      try SampleCompany.builtIn.write(to: folder)
      let scalars = try SampleReading(folder).names.joined().unicodeScalars
      for (name, range) in blocks {
        #expect(scalars.contains { range.contains($0.value) }, "no one has a name in \(name)")
      }
    }
  }

  @Test func `it comes out the same each time`() async throws {
    try await withTemporaryDirectory { folder in
      try SampleCompany.builtIn.write(to: folder)
      let first = try contents(folder)
      try SampleCompany.builtIn.write(to: folder, replacing: true)
      #expect(try contents(folder) == first)
    }
  }
}

@Suite("Companies of any size")
struct GeneratedSampleTests {
  @Test(arguments: [
    (0, 1), (1, 1), (40, 1), (5, 2), (60, 3), (10, 40), (1_000, 25), (5_000, 300), (300, 5_000),
  ])
  func `they are sound at every size`(people: Int, departments: Int) async throws {
    try await withTemporaryDirectory { folder in
      try SampleCompany.generated(people: people, departments: departments, seed: 7).write(
        to: folder
      )
      expectSound(try SampleReading(folder), people: people, departments: departments)
    }
  }

  @Test func `fifty thousand departments lie on seven levels with uneven numbers of children`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try SampleCompany.generated(people: 0, departments: 50_000, seed: 1).write(to: folder)
      let sample = try SampleReading(folder)
      #expect(Set(sample.levels) == Set(0...6))
      let children = Dictionary(grouping: sample.departments.values, by: \.parent)
        .mapValues(\.count)
      #expect(Set(children.values).count >= 10)
    }
  }

  @Test func `one person in ten is in a further department and some in two`() async throws {
    try await withTemporaryDirectory { folder in
      try SampleCompany.generated(people: 5_000, departments: 100, seed: 3).write(to: folder)
      let sample = try SampleReading(folder)
      let counts = Dictionary(grouping: sample.memberships, by: \.user).mapValues(\.count)
      #expect((400...600).contains(counts.count))
      #expect((20...90).contains(counts.values.count { $0 == 2 }))
      #expect(counts.values.allSatisfy { $0 <= 2 })
    }
  }

  @Test func `a seed makes one company and another seed another`() async throws {
    try await withTemporaryDirectory { folder in
      func files(_ seed: UInt64) throws -> [[UInt8]] {
        try SampleCompany.generated(people: 300, departments: 30, seed: seed).write(
          to: folder,
          replacing: true
        )
        return try contents(folder)
      }
      let one = try files(1)
      #expect(try files(1) == one)
      let two = try files(2)
      #expect(zip(one, two).allSatisfy { $0 != $1 })
    }
  }

  @Test(arguments: [(-1, 1), (1, 0), (1, -5), (Int.max, 1), (1, Int.max)])
  func `impossible numbers are refused and nothing is written`(
    people: Int,
    departments: Int
  ) async throws {
    try await withTemporaryDirectory { folder in
      let target = folder.appending("company")
      do throws(DirectoryError) {
        try SampleCompany.generated(people: people, departments: departments, seed: 1).write(
          to: target
        )
        Issue.record("it was written")
      } catch {
        #expect(error.kind == .usage)
      }
      #expect(throws: Errno.noSuchFileOrDirectory) { try target.stat() }
    }
  }
}

@Suite("Writing a sample")
struct WritingSampleTests {
  @Test func `existing files stay unless they may be replaced`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("memberships.csv")
      let old = try FileDescriptor.open(
        path,
        .writeOnly,
        options: .create,
        permissions: .ownerReadWrite
      )
      try old.closeAfter { _ = try old.writeAll("mine".utf8) }
      do throws(DirectoryError) {
        try SampleCompany.builtIn.write(to: folder)
        Issue.record("it was written")
      } catch {
        #expect(error.kind == .cannotWrite)
        #expect(error.message.contains("memberships.csv") && error.advice != nil)
      }
      let left = try await runProgram("ls", ["-A", folder.string])
      #expect(left.stdout == "memberships.csv\n")
      try SampleCompany.builtIn.write(to: folder, replacing: true)
      let all = try await runProgram("ls", ["-A", folder.string])
      #expect(all.stdout == "departments.csv\nmemberships.csv\nusers.csv\n")
    }
  }

  @Test func `the folder is made, and files follow the umask`() async throws {
    try await withTemporaryDirectory { folder in
      let ordinary = folder.appending("ordinary")
      let file = try FileDescriptor.open(
        ordinary,
        .writeOnly,
        options: .create,
        permissions: FilePermissions(rawValue: 0o666)
      )
      try file.close()
      let company = folder.appending("company")
      try SampleCompany.builtIn.write(to: company)
      let expected = try ordinary.stat().permissions
      #expect(try company.appending("users.csv").stat().permissions == expected)
    }
  }

  @Test func `a folder that cannot be made is named`() async throws {
    let path = FilePath("/dev/null/company")
    do throws(DirectoryError) {
      try SampleCompany.builtIn.write(to: path)
      Issue.record("it was written")
    } catch {
      #expect(error.kind == .cannotWrite && error.message.contains("/dev/null/company"))
    }
  }
}
