import DirectoryModel

/// Reads vCards as departments and people.
///
/// | in a card | becomes |
/// | --- | --- |
/// | `KIND:group`, `KIND:org`, or Apple's of version 3.0 | a department; otherwise the card is a person |
/// | `X-STAFFBOOK-ID`, else `UID`, else the mail address, else the name | the id |
/// | `FN`, else the parts of `N`, else the mail address | the name |
/// | `X-STAFFBOOK-DEPARTMENT`, else `ORG` | the departments of a person; a way of names in `ORG` makes departments, whose ids are the way itself |
/// | `MEMBER` of another's group | a further department of that person |
/// | `TITLE`, `EMAIL`, `TEL`, `NOTE` | title, mail address, phone, a department's description |
///
/// Of several mail addresses or phones the preferred one is taken, else one for work. The file is
/// read twice: first for groups, since their members may come before them.
struct VCardReader {
  private let file: InputFile
  private let home: DepartmentID?
  private var rows: ListRowMaker
  private var groups = VCardGroups()
  /// Ids of the departments made of `ORG`.
  private var made: Set<[UInt8]> = []
  private var reading = ListReading()
  private var unnamed = 0
  private var leftovers = Leftovers()
  /// Members of groups whose cards came.
  private var members: Set<[UInt8]> = []

  init(_ file: InputFile, home: DepartmentID?) {
    self.file = file
    self.home = home
    rows = ListRowMaker(file: file.name)
  }

  /// Calls `body` with every row, and collects what is wrong.
  mutating func read(
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(DirectoryError) -> ListReading {
    try groups.read(file)
    made = groups.ways
    var cards = try VCardCards(file)
    var count = 0
    while let card = cards.next(&problems) {
      count += 1
      do throws(VCardFault) {
        if try card.isGroup() {
          try takeGroup(card, &problems, body)
        } else {
          try takePerson(card, &problems, body)
        }
      } catch {
        problems.add(InputProblem(file: file.name, line: card.line, reason: error.reason))
        reading.isComplete = false
      }
    }
    if cards.faultCount > 0 { reading.isComplete = false }
    if count == 0, cards.faultCount == 0 {
      problems.add(InputProblem(file: file.name, reason: "has no card"))
      reading.isComplete = false
    }
    warn(&problems)
    reading.absent = rows.absent
    return reading
  }

  private func warn(_ problems: inout ProblemList) {
    func warn(_ reason: String) {
      problems.warn(InputProblem(file: file.name, reason: reason))
    }
    if unnamed > 0 {
      warn(
        "cards without UID: \(unnamed); their ids are mail address or name, and who changes "
          + "it becomes somebody else"
      )
    }
    let strangers = groups.memberCount - members.count
    if strangers > 0 {
      warn("left out members of groups who are no people of this file: \(strangers)")
    }
    if let warning = leftovers.warning { warn(warning) }
  }

  private mutating func finish(
    _ line: Int,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) {
    if rows.finish(line: line, &problems, body) {
      reading.rowCount += 1
    } else {
      reading.isComplete = false
    }
  }
}

extension VCardReader {
  private mutating func takeGroup(
    _ card: VCardCard,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(VCardFault) {
    leftovers.add(contentsOf: card.leftOut)
    for property in [VCardProperty.email, VCardProperty.telephone] {
      leftovers.add(property, card.all(property).count)
    }
    let name = try card.name() ?? []
    var parent = try card.own(VCardProperty.parent)
    if try card.own(VCardProperty.id) == nil, var way = try card.ways().first?.names {
      if way.last == name { way.removeLast() }
      parent = makeDepartments(way, card.line, &problems, body)
    }
    rows.begin()
    rows.set(.kind, "department")
    rows.set(.id, try VCardGroups.id(of: card))
    if let parent { rows.set(.parent, parent) }
    rows.set(.name, name)
    if let note = try card.text(VCardProperty.note) { rows.set(.description, note) }
    if let order = card.all(VCardProperty.order).first { rows.set(.sortOrder, try order.text()) }
    finish(card.line, &problems, body)
  }

  private mutating func takePerson(
    _ card: VCardCard,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(VCardFault) {
    let email = try card.preferred(VCardProperty.email)
    let phone = try card.preferred(VCardProperty.telephone)
    let name = try card.name() ?? email ?? []
    count(leftoversOf: card)
    let uid = try card.identifier()
    if uid == nil { unnamed += 1 }
    let id = uid ?? email ?? name
    let places = try places(of: card, &problems, body)
    guard !places.isEmpty else {
      let shown = name.withUnsafeBytes { QuotedValue.text($0) }
      throw VCardFault(
        reason: "\(shown) has no ORG and is in no group, and so in no department; name one with "
          + "--into"
      )
    }
    for place in places {
      rows.begin()
      rows.set(.kind, "user")
      rows.set(.id, id)
      rows.set(.parent, place.department)
      rows.set(.name, name)
      if let title = place.title { rows.set(.title, title) }
      if let email { rows.set(.email, email) }
      if let phone { rows.set(.phone, phone) }
      if let order = place.order { rows.set(.sortOrder, order) }
      if let isPrimary = place.isPrimary { rows.set(.primary, isPrimary ? "true" : "false") }
      finish(card.line, &problems, body)
    }
  }

  private mutating func count(leftoversOf person: VCardCard) {
    leftovers.add(contentsOf: person.leftOut)
    leftovers.add(VCardProperty.note, person.all(VCardProperty.note).count)
    for name in [VCardProperty.email, VCardProperty.telephone] {
      leftovers.add("further \(name)", person.furtherCount(name))
    }
    if let uid = person.all(VCardProperty.uid).first, !groups.departments(of: person).isEmpty {
      members.insert(VCardCard.comparedUID(uid.value))
    }
  }

  private struct Place {
    var department: [UInt8]
    var title: [UInt8]?
    var order: [UInt8]?
    /// `nil` where the card does not tell.
    var isPrimary: Bool?
  }

  /// The person's departments, the main one first.
  private mutating func places(
    of card: VCardCard,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(VCardFault) -> [Place] {
    var places: [Place] = []
    var known: Set<[UInt8]> = []
    func append(_ place: Place) {
      if known.insert(place.department).inserted { places.append(place) }
    }
    let titles = card.firstByGroup(VCardProperty.title)
    // The title of a group of properties, else the one that belongs to none.
    func title(_ group: String) throws(VCardFault) -> [UInt8]? {
      guard let title = titles[group] ?? titles[""] else { return nil }
      let text = VCardText.text(of: try title.text(), isOld: card.isOld)
      return text.isEmpty ? nil : text
    }
    let own = card.all(VCardProperty.department)
    let orders = card.firstByGroup(VCardProperty.order)
    var main = try card.own(VCardProperty.main)
    if main == nil, let first = own.first { main = try first.id() }
    for property in own {
      let department = try property.id()
      append(
        Place(
          department: department,
          title: try title(property.group),
          order: try orders[property.group]?.text(),
          isPrimary: department == main
        )
      )
    }
    guard own.isEmpty else { return places }
    for way in try card.ways() {
      guard let department = makeDepartments(way.names, card.line, &problems, body) else {
        continue
      }
      append(Place(department: department, title: try title(way.group)))
    }
    let firstTitle = places.isEmpty ? try title("") : nil
    for group in groups.departments(of: card) {
      append(Place(department: group, title: places.isEmpty ? firstTitle : nil))
    }
    if places.isEmpty, let home {
      append(Place(department: Array(home.rawValue.utf8), title: firstTitle))
    }
    return places
  }

  /// Hands on the departments of a way that no card stands for, once each.
  ///
  /// - Returns: The id of the last one; `nil` for no way.
  private mutating func makeDepartments(
    _ way: [[UInt8]],
    _ line: Int,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) -> [UInt8]? {
    var parent: [UInt8]?
    for (index, name) in way.enumerated() {
      let id = VCardGroups.id(ofWay: way[...index])
      if made.insert(id).inserted {
        rows.begin()
        rows.set(.kind, "department")
        rows.set(.id, id)
        if let parent { rows.set(.parent, parent) }
        rows.set(.name, name)
        finish(line, &problems, body)
      }
      parent = id
    }
    return parent
  }
}
