import Seeds

/// An invented company, month after month: people join, leave, come back, marry and move; departments
/// are renamed, split and merged.
///
/// A seed determines it. What it is in a month is what a directory must be after the month's list.
package struct InventedCompany: Sendable {
  package struct Person: Sendable {
    /// The same as long as the company knows the person.
    package var key: Int
    package var given: String
    package var family: String
    package var title: String
    package var unit: Int
    package var isThere = true
    /// The month in which he or she left last.
    package var left: Int?
    package var joined: Int

    package var name: String { "\(given) \(family)" }
    package var email: String { "\(given).\(family)@lumen.example".lowercased() }
  }

  package struct Unit: Sendable {
    package var code: String
    package var name: String
    package var division: Int
    package var isThere = true
  }

  /// From 1.
  package private(set) var month = 1
  /// Everybody who ever was there.
  package private(set) var people: [Person] = []
  package private(set) var units: [Unit] = []
  package let divisions = ["Optics", "Towers", "Signals", "Keepers", "Software", "Finance"]
  private var random: SeededGenerator
  private var names: Set<String> = []
  /// Keys of people who came back.
  package private(set) var returned: Set<Int> = []

  package init(people count: Int, seed: UInt64) {
    random = SeededGenerator(seed: seed)
    for (division, name) in divisions.enumerated() {
      for (number, kind) in ["North", "South", "Works", "Service", "Planning"].enumerated() {
        units.append(
          Unit(code: "\(division + 1)0\(number)", name: "\(name) \(kind)", division: division)
        )
      }
    }
    for _ in 0..<count { hire(in: 1) }
  }

  // MARK: What there is

  package var present: [Person] { people.filter(\.isThere) }

  /// Who left in this month.
  package var leavers: [Person] { people.filter { !$0.isThere && $0.left == month } }

  /// The first of a unit leads it.
  package func manager(of person: Person) -> Person? {
    let head = people.first { $0.isThere && $0.unit == person.unit }
    return head?.key == person.key ? nil : head
  }

  package func path(of person: Person) -> String {
    let unit = units[person.unit]
    return "\(divisions[unit.division])/\(unit.name)"
  }

  /// A line for each person: name, department, title, address and manager.
  package var truth: [String] {
    let heads = Dictionary(grouping: present, by: \.unit).mapValues { $0[0] }
    return present.map { person in
      let head = heads[person.unit]
      let manager = head?.key == person.key ? "" : head?.name ?? ""
      return [person.name, path(of: person), person.title, person.email, manager]
        .joined(separator: "|")
    }.sorted()
  }

  // MARK: What happens

  /// Goes on to the next month.
  package mutating func advance() {
    month += 1
    let share = max(1, present.count / 70)
    for _ in 0..<share { leave() }
    for _ in 0..<share { hire(in: month) }
    if let back = people.firstIndex(where: { !$0.isThere && ($0.left ?? month) < month - 1 }) {
      people[back].isThere = true
      people[back].left = nil
      returned.insert(people[back].key)
      people[back].unit = openUnit()
    }
    for _ in 0..<max(1, share / 3) { marry(anyone()) }
    for _ in 0..<share { people[anyone()].unit = openUnit() }
    for _ in 0..<share { people[anyone()].title = Self.titles.randomElement(using: &random) ?? "" }
    switch month {
    case 4: units[3].name = "Optics Care"
    case 6: split(7)
    case 8: merge(12, into: 11)
    default: break
    }
  }

  private mutating func hire(in month: Int) {
    people.append(
      Person(
        key: people.count + 1,
        given: Self.given.randomElement(using: &random) ?? "",
        family: "",
        title: Self.titles.randomElement(using: &random) ?? "",
        unit: openUnit(),
        joined: month
      )
    )
    marry(people.count - 1)
  }

  /// Gives a person a family name that makes a name that no one else has.
  private mutating func marry(_ index: Int) {
    repeat {
      let beginning = Self.beginnings.randomElement(using: &random) ?? ""
      people[index].family = beginning + (Self.ends.randomElement(using: &random) ?? "")
    } while !names.insert(people[index].name).inserted
  }

  private mutating func leave() {
    let index = anyone()
    people[index].isThere = false
    people[index].left = month
  }

  private mutating func anyone() -> Int {
    while true {
      let index = Int.random(in: people.indices, using: &random)
      if people[index].isThere { return index }
    }
  }

  private mutating func openUnit() -> Int {
    while true {
      let index = Int.random(in: units.indices, using: &random)
      if units[index].isThere { return index }
    }
  }

  /// Half of a unit's people get a unit of their own.
  private mutating func split(_ unit: Int) {
    var half = units[unit]
    half.code += "9"
    half.name += " Two"
    units.append(half)
    for index in people.indices where people[index].unit == unit && people[index].key % 2 == 0 {
      people[index].unit = units.count - 1
    }
  }

  private mutating func merge(_ unit: Int, into other: Int) {
    units[unit].isThere = false
    for index in people.indices where people[index].unit == unit { people[index].unit = other }
  }

  private static let given = [
    "Ada", "Bo", "Carla", "Dag", "Edda", "Frida", "Gustav", "Hanna", "Ivar", "Jonas", "Kaja",
    "Jörg", "Zoë", "Åse", "Lotte", "Malte", "Nora", "Olga", "Per", "Runa", "Signe", "Tilda", "Ulf",
    "Vera", "Wim",
  ]
  private static let beginnings = [
    "Ahl", "Berg", "Dahl", "Ek", "Fors", "Gran", "Hag", "Lind", "Lund", "Mal", "Nord", "Ost",
    "Palm", "Ros", "Sand", "Stein", "Tall", "Vik", "West", "Wall", "Kron", "Blom", "Hell", "Sjo",
  ]
  private static let ends = [
    "berg", "man", "gren", "qvist", "strand", "stedt", "holm", "by", "ner", "vall", "mark", "dal",
    "lund", "strom", "sten", "haug", "skog", "vang", "ridge", "field",
  ]
  private static let titles = ["Engineer", "Keeper", "Planner", "Accountant", "Glazier", "Advisor"]
}
