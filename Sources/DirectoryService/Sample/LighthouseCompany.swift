import DirectoryModel
import SystemPackage

/// Fernlicht & Daughters, makers of lighthouses and telescopes since 1874: some 200 people who do
/// not exist, in 25 departments on four levels.
///
/// People speak some thirty languages; about one in ten helps out in another department.
package struct LighthouseCompany: Sendable {
  /// A department and whom it takes.
  struct Department: Sendable {
    let id: String
    let parent: String
    let name: String
    let description: String
    let size: Int
    /// Title of the first one; the others take turns with the rest.
    let titles: [String]
    let stocks: [NameStock]
    let phone: FictionalPhone
  }

  struct Person: Sendable {
    let id: String
    let department: String
    let name: String
    let title: String
    let phone: String
    let sortOrder: Int
  }

  struct Membership: Sendable {
    let user: String
    let department: String
    let title: String
    let sortOrder: Int
  }

  static let domain = "fernlicht.example"

  let people: [Person]
  let memberships: [Membership]

  init() {
    people = Self.makePeople()
    memberships = Self.makeMemberships(of: people)
  }

  /// Writes `departments.csv`, `users.csv` and `memberships.csv`.
  ///
  /// - Throws: `.cannotWrite` where a file exists and is not to be replaced, or the system
  ///   refuses; then the folder keeps the files that it had.
  package func write(to folder: FilePath, replacing: Bool = false) throws(DirectoryError) {
    var files = try SampleFiles(in: folder, replacing: replacing)
    try write(to: &files)
    try files.finish()
  }

  func write(to files: inout SampleFiles) throws(DirectoryError) {
    for (index, department) in Self.departments.enumerated() {
      try files.departments.append(
        department.id,
        department.parent,
        department.name,
        department.description,
        String(10 * index)
      )
    }
    for person in people {
      try files.users.append(
        person.id,
        person.department,
        person.name,
        person.title,
        "\(person.id)@\(Self.domain)",
        person.phone,
        String(person.sortOrder)
      )
    }
    for membership in memberships {
      try files.memberships.append(
        membership.user,
        membership.department,
        membership.title,
        String(membership.sortOrder)
      )
    }
  }
}

extension LighthouseCompany {
  /// Those whose names are set, by their place among all people.
  ///
  /// The first four are for the documentation to look for, the last two for scripts that the draw
  /// left out. Everybody else is drawn from the stocks.
  private static let named = [
    0: name("Marit", "marit", "Fernlicht", "fernlicht", .givenFirst),
    1: name("Zoë", "zoe", "Fernlicht", "fernlicht", .givenFirst),
    2: name("Łukasz", "lukasz", "Zając", "zajac", .givenFirst),
    3: name("伟", "wei", "张", "zhang", .familyFirst(separator: "")),
    207: name("Լուսինե", "lusine", "Փարոսյան", "parosyan", .givenFirst),
    208: name("கவிதா", "kavitha", "மணி", "mani", .givenFirst),
  ]

  private static func name(
    _ given: String,
    _ givenASCII: String,
    _ family: String,
    _ familyASCII: String,
    _ order: NameStock.Order
  ) -> SampleName {
    SampleName(
      NameStock.Part(native: given, ascii: givenASCII),
      NameStock.Part(native: family, ascii: familyASCII),
      order
    )
  }

  private static func makePeople() -> [Person] {
    var random = SplitMix64(seed: 1_874)
    var taken = Set(named.values.map(\.address))
    var people: [Person] = []
    for department in departments {
      for place in 0..<department.size {
        let name =
          named[people.count] ?? newName(for: department, besides: &taken, &random)
        people.append(
          Person(
            id: name.address,
            department: department.id,
            name: name.full,
            title: department.title(at: place),
            phone: random.oneIn(6) ? "" : department.phone.number(people.count),
            sortOrder: place == 0 ? 0 : 10
          )
        )
      }
    }
    return people
  }

  /// A name whose address nobody has yet.
  private static func newName(
    for department: Department,
    besides taken: inout Set<String>,
    _ random: inout SplitMix64
  ) -> SampleName {
    while true {
      let name = SampleName.draw(from: department.stocks, &random)
      if taken.insert(name.address).inserted { return name }
    }
  }

  /// What people do beside their work.
  private static let duties = [
    ("canteen", "Soup committee"), ("control", "Field tester"), ("service", "On-call engineer"),
    ("catalogue", "Reviewer"), ("fresnel", "Advisor"), ("europe", "Trade fair crew"),
    ("night-watch", "Volunteer"),
  ]

  /// Every eleventh person has a further department, every 44th two.
  private static func makeMemberships(of people: [Person]) -> [Membership] {
    people.indices.filter { $0 % 11 == 5 }.flatMap { index in
      let first = index / 11 % duties.count
      let places = index % 44 == 5 ? [first, (first + 1) % duties.count] : [first]
      return places.compactMap { (place) -> Membership? in
        let (department, title) = duties[place]
        guard department != people[index].department else { return nil }
        return Membership(
          user: people[index].id,
          department: department,
          title: title,
          sortOrder: 20
        )
      }
    }
  }
}

extension LighthouseCompany.Department {
  func title(at place: Int) -> String {
    place == 0 || titles.count == 1 ? titles[0] : titles[1 + (place - 1) % (titles.count - 1)]
  }
}
