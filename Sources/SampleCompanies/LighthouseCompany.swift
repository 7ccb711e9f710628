import DirectoryModel

/// Fernlicht & Daughters, makers of lighthouses and telescopes since 1874: some 200 people who do
/// not exist, in 25 departments on four levels.
///
/// People speak some thirty languages; about one in ten helps out in another department.
struct LighthouseCompany: Sendable {
  /// A department and whom it takes.
  struct Department: Decodable, Sendable {
    let id: String
    let parent: String?
    let name: String
    let description: String?
    let size: Int
    /// Title of the first one; the others take turns with the rest.
    let titles: [String]
    /// Those that its people have names in; `everyone` stands for all by their weight.
    let languages: [String]
    let phone: FictionalPhone
  }

  /// The user whose name is set; everybody else's is drawn from the languages.
  ///
  /// The first four are for the documentation to look for, the last two for scripts that the draw
  /// left out.
  struct NamedPerson: Decodable, Sendable {
    /// Among all people.
    let place: Int
    let given: NameVocabulary.Part
    let family: NameVocabulary.Part
    let order: NameVocabulary.Order
  }

  /// What people do beside their work.
  struct Duty: Decodable, Sendable {
    let department: String
    let title: String
  }

  /// The content of `Words/lighthouse.json`.
  private struct Plan: Decodable, Sendable {
    let domain: String
    let named: [NamedPerson]
    let duties: [Duty]
    let departments: [Department]
  }

  struct Person: Sendable {
    let id: String
    let department: String
    let name: String
    let title: String
    let phone: String
    let sortOrder: Int
    /// The id of the head of the department, or of the one above; `nil` for the head of all.
    let manager: String?

    var isHead: Bool { sortOrder == 0 }
  }

  struct Membership: Sendable {
    let user: String
    let department: String
    let title: String
    let sortOrder: Int
  }

  private static let plan: Plan = EmbeddedWords.decode("lighthouse.json")

  let people: [Person]
  let memberships: [Membership]

  init() {
    people = Self.makePeople()
    memberships = Self.makeMemberships(of: people)
  }

  func write(
    to files: inout SampleFiles,
    withFields hasFields: Bool
  ) throws(DirectoryError) {
    for (index, department) in Self.plan.departments.enumerated() {
      try files.departments.append(
        [
          department.id, department.parent ?? "", department.name, department.description ?? "",
          String(10 * index),
        ] + (hasFields ? [SampleFields.costCentre(index)] : [])
      )
    }
    for (index, person) in people.enumerated() {
      var random = SplitMix64(seed: 1_874, stream: 1, index: index)
      let fields =
        [person.isHead ? "true" : ""] + SampleFields.values(&random) + [person.manager ?? ""]
      try files.users.append(
        [
          person.id, person.department, person.name, person.title,
          "\(person.id)@\(Self.plan.domain)", person.phone, String(person.sortOrder),
        ] + (hasFields ? fields : [])
      )
    }
    for membership in memberships {
      try files.memberships.append(
        [
          membership.user, membership.department, membership.title, String(membership.sortOrder),
        ]
      )
    }
  }
}

extension LighthouseCompany {
  private static func makePeople() -> [Person] {
    let named = Dictionary(uniqueKeysWithValues: plan.named.map { ($0.place, $0.name) })
    var random = SplitMix64(seed: 1_874)
    var taken = Set(named.values.map(\.address))
    var people: [Person] = []
    var heads: [String: String] = [:]
    for department in plan.departments {
      let stocks = Languages.all.common(department.languages)
      let headAbove = department.parent.flatMap { heads[$0] }
      for place in 0..<department.size {
        let name = named[people.count] ?? newName(from: stocks, besides: &taken, &random)
        if place == 0 { heads[department.id] = name.address }
        people.append(
          Person(
            id: name.address,
            department: department.id,
            name: name.full,
            title: department.title(at: place),
            phone: random.oneIn(6) ? "" : department.phone.number(people.count),
            sortOrder: place == 0 ? 0 : 10,
            manager: place == 0 ? headAbove : heads[department.id]
          )
        )
      }
    }
    return people
  }

  /// A name whose address no one has yet.
  private static func newName(
    from stocks: [NameVocabulary],
    besides taken: inout Set<String>,
    _ random: inout SplitMix64
  ) -> SampleName {
    while true {
      let name = SampleName.draw(from: stocks, &random)
      if taken.insert(name.address).inserted { return name }
    }
  }

  /// Every eleventh person has a further department, every 44th two.
  private static func makeMemberships(of people: [Person]) -> [Membership] {
    let duties = plan.duties
    return people.indices.filter { $0 % 11 == 5 }.flatMap { index in
      let first = index / 11 % duties.count
      let places = index % 44 == 5 ? [first, (first + 1) % duties.count] : [first]
      return places.compactMap { (place) -> Membership? in
        let duty = duties[place]
        guard duty.department != people[index].department else { return nil }
        return Membership(
          user: people[index].id,
          department: duty.department,
          title: duty.title,
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

extension LighthouseCompany.NamedPerson {
  var name: SampleName { SampleName(given, family, order) }
}
