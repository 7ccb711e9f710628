import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules

/// The people of a snapshot, as queries are made of them.
struct Directory {
  let tree: TreePart
  let departments: DepartmentPart
  let users: UserPart
  let contacts: ContactValues<TextColumn>
  let memberships: MembershipPart
  let leaves: LeafPart

  init(_ snapshot: DirectorySnapshot) throws {
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    users = try snapshot.users()
    contacts = try snapshot.contacts()
    memberships = try snapshot.memberships()
    leaves = try snapshot.leaves()
  }

  var count: Int { users.count }

  func person(_ row: Int) throws -> Person {
    let leaf = try leaves.nodes(of: row).first
    return Person(
      leaf: leaf,
      name: try users.names[row],
      title: try leaf.map { try memberships.titles[tree.record(of: $0)] } ?? "",
      address: try contacts[.email][row],
      phone: try contacts[.phone][row]
    )
  }

  /// The node of a department above a person, so many levels up; the root where there are fewer.
  func departmentAbove(_ person: Person, _ level: Int) throws -> Int {
    guard let leaf = person.leaf else { return 0 }
    let above = try tree.ancestors(of: leaf)
    return above.dropLast(level).last ?? above.first ?? 0
  }

  func departmentName(_ person: Person, _ level: Int) throws -> String {
    let node = try departmentAbove(person, level)
    return try departments.names[tree.departmentRecord(of: node)]
  }

  /// Everything of a person in one folded line, as a table's column for substring search would
  /// hold it: name, title, address, telephone.
  func foldedText(of row: Int) throws -> String {
    let person = try person(row)
    return Folding.fold("\(person.name) \(person.title) \(person.address) \(person.phone)")
  }
}

/// A person, as queries are made of one.
struct Person {
  var leaf: Int?
  var name: String
  var title: String
  var address: String
  var phone: String

  var words: [String] {
    let words = name.split(separator: " ").map(String.init)
    return words.isEmpty ? [name] : words
  }

  /// `given` and `family` of an address `given.family.17@…`.
  var addressWords: [String] {
    address.prefix { $0 != "@" }.split(separator: ".").prefix(2).map(String.init)
  }

  private var first: UInt32 { name.unicodeScalars.first?.value ?? 0 }

  var isHan: Bool { (0x4E00...0x9FFF).contains(first) && !name.contains(" ") && !address.isEmpty }

  var isEastAsian: Bool { first >= 0x3040 && first < 0x1_0000 }

  /// Neither Latin nor East Asian.
  var isOtherScript: Bool { first >= 0x370 && first < 0x1E00 && !address.isEmpty }
}
