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
/// Of several mail addresses or phones the preferred one is taken, else one for work. Declared fields
/// have the properties of the catalogue (`VCardFields`) and `X-STAFFBOOK-FIELD`. All files of the
/// address book are read twice: first for groups, since their members may come before them.
///
///     for file in files { try reader.learnGroups(of: file) }
///     for file in files { _ = try reader.read(file, &problems) { … } }
///     reader.warn(&problems)
struct VCardReader {
  private let home: DepartmentID?
  private let fieldsOfPeople: VCardFields
  private let fieldsOfDepartments: VCardFields
  /// The one that is read.
  private var file = ""
  private var fileCount = 0
  private var rows: ListRowMaker
  private var groups = VCardGroups()
  /// Ids of the departments made of `ORG`.
  private var made: Set<[UInt8]> = []
  private var reading = ListReading()
  private var unnamed = 0
  private var leftovers = Leftovers()
  /// Members of groups whose cards came.
  private var members: Set<[UInt8]> = []

  init(_ options: ListOptions) {
    home = options.home
    fieldsOfPeople = VCardFields(options.fields, of: .user)
    fieldsOfDepartments = VCardFields(options.fields, of: .department)
    rows = ListRowMaker(file: "", fields: options.fields)
  }

  /// Columns that no card of any file had.
  var absent: ListAbsence { rows.absent }

  /// Looks for groups, in every file before the first is read.
  mutating func learnGroups(of file: InputFile) throws(DirectoryError) {
    try groups.read(
      file,
      withPeople: fieldsOfPeople.namesPeople || fieldsOfDepartments.namesPeople
    )
    made = groups.ways
  }

  /// Calls `body` with every row of a file, and collects what is wrong.
  ///
  /// - Returns: What the file came to, but for what is absent.
  mutating func read(
    _ file: InputFile,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(DirectoryError) -> ListReading {
    self.file = file.name
    rows.file = file.name
    fileCount += 1
    reading = ListReading()
    let properties = fieldsOfPeople.properties.union(fieldsOfDepartments.properties)
    var cards = try VCardCards(file, fields: properties)
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
        problems.add(
          InputProblem(
            file: self.file,
            line: card.line,
            reason: error.reason,
            advice: error.advice
          )
        )
        reading.isComplete = false
      }
    }
    if cards.faultCount > 0 { reading.isComplete = false }
    if count == 0, cards.faultCount == 0 {
      problems.add(InputProblem(file: self.file, reason: "has no card"))
      reading.isComplete = false
    }
    return reading
  }

  /// Says what is odd about all that was read.
  func warn(_ problems: inout ProblemList) {
    let place = fileCount == 1 ? file : "\(fileCount) files of vCards"
    func warn(_ reason: String) { problems.warn(InputProblem(file: place, reason: reason)) }
    if unnamed > 0 {
      warn(
        "cards without UID: \(unnamed); their ids are made from the mail address or name, "
          + "and change when it changes"
      )
    }
    let strangers = groups.memberCount - members.count
    if strangers > 0 {
      warn(
        "left out members of groups who are not in "
          + "\(fileCount == 1 ? "this file" : "these files"): \(strangers)"
      )
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
    _ whole: VCardCard,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(VCardFault) {
    var card = whole
    let values = try VCardReadValues(
      takingFrom: &card,
      fieldsOfDepartments,
      people: groups.people
    )
    leftovers.add(contentsOf: card.leftOut + values.leftOut)
    let ofPeople = fieldsOfPeople.properties.subtracting(VCardCard.wanted)
    for property in ofPeople.union(VCardProperty.contacts.all) {
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
    for (name, values) in values.values { rows.set(field: name, values) }
    finish(card.line, &problems, body)
  }

  private mutating func takePerson(
    _ whole: VCardCard,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(VCardFault) {
    var card = whole
    var values = try VCardReadValues(takingFrom: &card, fieldsOfPeople, people: groups.people)
    var contacts = ContactValues<[UInt8]?>(repeating: nil)
    for field in Field.contacts {
      let property = VCardProperty.contacts[field]
      let (first, others) = try card.preferred(property)
      contacts[field] = first
      if let place = fieldsOfPeople.place(takingRestOf: field) {
        values.take(others, by: place)
      } else {
        leftovers.add("additional \(property)", others.count)
      }
    }
    let name = try whole.name() ?? contacts[.email] ?? []
    leftovers.add(contentsOf: values.leftOut)
    count(leftoversOf: card)
    let uid = try card.identifier()
    if uid == nil { unnamed += 1 }
    let id = uid ?? contacts[.email] ?? name
    let places = try places(of: card, &problems, body)
    guard !places.isEmpty else {
      let shown = name.withUnsafeBytes { QuotedValue.text($0) }
      throw VCardFault(
        reason: "\(shown) has no ORG and is in no group, and therefore in no department",
        advice: "name one with \(.home)"
      )
    }
    for place in places {
      rows.begin()
      rows.set(.kind, "user")
      rows.set(.id, id)
      rows.set(.parent, place.department)
      rows.set(.name, name)
      if let title = place.title { rows.set(.title, title) }
      for field in Field.contacts {
        if let value = contacts[field] { rows.set(.contact(field), value) }
      }
      if let order = place.order { rows.set(.sortOrder, order) }
      if let isPrimary = place.isPrimary { rows.set(.primary, isPrimary ? "true" : "false") }
      if place.leads { rows.set(.leads, "true") }
      for (name, values) in values.values { rows.set(field: name, values) }
      finish(card.line, &problems, body)
    }
  }

  private mutating func count(leftoversOf person: VCardCard) {
    leftovers.add(contentsOf: person.leftOut)
    leftovers.add(VCardProperty.note, person.all(VCardProperty.note).count)
    let others = fieldsOfDepartments.properties.subtracting(fieldsOfPeople.properties)
    for name in others.subtracting(VCardCard.wanted) {
      leftovers.add(name, person.all(name).count)
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
    var leads = false
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
    let leads = card.firstByGroup(VCardProperty.leads)
    var main = try card.own(VCardProperty.main)
    if main == nil, let first = own.first { main = try first.id() }
    for property in own {
      let department = try property.id()
      append(
        Place(
          department: department,
          title: try title(property.group),
          order: try orders[property.group]?.text(),
          isPrimary: department == main,
          leads: leads[property.group].map { $0.value.elementsEqual("true".utf8) } ?? false
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
        finish(line, &problems) { row in
          guard case .department(var department) = row else { return }
          department.isImplied = true
          body(.department(department))
        }
      }
      parent = id
    }
    return parent
  }
}
