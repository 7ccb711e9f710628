import DirectoryModel

/// Reads vCards as departments and people.
///
/// | in a card | becomes |
/// | --- | --- |
/// | `KIND:group`, `KIND:org`, or Apple's of version 3.0 | a department; otherwise the card is a person |
/// | `X-STAFFBOOK-ID`, else `UID`, else the mail address, else the name | the id |
/// | `FN`, else the parts of `N`, else a person's `ORG`, else the mail address | the name |
/// | `X-STAFFBOOK-DEPARTMENT`, else `ORG` | the departments of a person; a way of names in `ORG` makes departments, whose ids are the way itself |
/// | `MEMBER` of another's group | a further department of that person |
/// | `TITLE`, `EMAIL`, `TEL`, `NOTE` | title, mail address, phone, a department's description |
///
/// Of several mail addresses or phones the preferred one is taken, else one for work. Declared fields
/// have the properties of the catalogue (`VCardFields`) and `X-STAFFBOOK-FIELD`. All files of the
/// address book are read twice: first for groups, since their members may come before them.
///
///     for file in files { try reader.learnGroups(of: file) }
///     for file in files { _ = try reader.read(file) }
///     reader.warn()
struct VCardReader {
  private let home: DepartmentID?
  private let fieldsOfPeople: VCardFields
  private let fieldsOfDepartments: VCardFields
  private var fileCount = 0
  let rows: ListRowBuilder
  private var groups = VCardGroups()
  /// Ids of the departments made of `ORG`.
  private var made: Set<[UInt8]> = []
  private var unnamed = 0
  private var unsupported = UnsupportedFields()
  /// Members of groups whose cards came.
  private var members: Set<[UInt8]> = []

  init(_ sink: ListSink, _ options: ListOptions) {
    home = options.home
    fieldsOfPeople = VCardFields(options.fields, of: .user)
    fieldsOfDepartments = VCardFields(options.fields, of: .department)
    rows = ListRowBuilder(sink, fields: options.fields)
  }

  /// Looks for groups, in every file before the first is read.
  mutating func learnGroups(of file: InputFile) throws(DirectoryError) {
    try groups.read(
      file,
      withPeople: fieldsOfPeople.namesPeople || fieldsOfDepartments.namesPeople
    )
    made = groups.ways
  }

  /// Reads every row of a file.
  ///
  /// - Returns: What the file came to, but for what is absent.
  mutating func read(_ file: InputFile) throws(DirectoryError) -> ListReport {
    rows.start(file)
    fileCount += 1
    let properties = fieldsOfPeople.properties.union(fieldsOfDepartments.properties)
    var cards = try VCardCards(file, rows, fields: properties)
    var count = 0
    while let card = cards.next() {
      count += 1
      do throws(VCardError) {
        if card.isGroup { try takeGroup(card) } else { try takePerson(card) }
      } catch {
        rows.refuse(error.reason, line: card.line, advice: error.advice)
      }
    }
    if count == 0, rows.isComplete { rows.refuse("has no card", line: nil) }
    return rows.reading
  }

  /// Says what is odd about all that was read.
  func warn() {
    if fileCount != 1 { rows.file = "\(fileCount) files of vCards" }
    if unnamed > 0 {
      rows.warn(
        "cards without UID: \(unnamed); their ids are made from the mail address or name, "
          + "and change when it changes"
      )
    }
    let strangers = groups.memberCount - members.count
    if strangers > 0 {
      rows.warn(
        "left out members of groups who are not in "
          + "\(fileCount == 1 ? "this file" : "these files"): \(strangers)"
      )
    }
    if let warning = unsupported.warning { rows.warn(warning) }
  }
}

extension VCardReader {
  private mutating func takeGroup(_ whole: VCardCard) throws(VCardError) {
    var card = whole
    let values = try VCardReadValues(
      takingFrom: &card,
      fieldsOfDepartments,
      people: groups.people
    )
    unsupported.add(contentsOf: card.leftOut + values.leftOut)
    let ofPeople = fieldsOfPeople.properties.subtracting(VCardCard.wanted)
    for property in ofPeople.union(VCardProperty.contacts.all) {
      unsupported.add(property, card.all(property).count)
    }
    let name = try card.name() ?? []
    var parent = try card.own(VCardProperty.parent)
    if try card.own(VCardProperty.id) == nil, var way = try card.ways().first?.names {
      if way.last == name { way.removeLast() }
      parent = makeDepartments(way, card.line)
    }
    let id = try VCardGroups.id(of: card)
    rows.begin(.department, id: id, parent: parent, name: name)
    rows.set(.description, try card.text(VCardProperty.note))
    rows.set(.sortOrder, try card.all(VCardProperty.order).first?.text())
    rows.set(values.values)
    rows.finish(line: card.line)
  }

  private mutating func takePerson(_ whole: VCardCard) throws(VCardError) {
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
        unsupported.add("additional \(property)", others.count)
      }
    }
    let name = try whole.title(contacts[.email]) ?? []
    unsupported.add(contentsOf: values.leftOut)
    count(leftoversOf: card)
    let uid = try card.identifier()
    if uid == nil { unnamed += 1 }
    let id = uid ?? contacts[.email] ?? name
    let places = try places(of: card)
    guard !places.isEmpty else {
      let shown = QuotedValue.text(name)
      throw VCardError(
        reason: "\(shown) has no ORG and is in no group, and therefore in no department",
        advice: "name one with \(.home)"
      )
    }
    for place in places {
      rows.begin(.user, id: id, parent: place.department, name: name)
      rows.set(.title, place.title)
      for field in Field.contacts { rows.set(.contact(field), contacts[field]) }
      rows.set(.sortOrder, place.order)
      rows.set(.primary, place.isPrimary)
      if place.leads { rows.set(.leads, true) }
      rows.set(values.values)
      rows.finish(line: card.line)
    }
  }

  private mutating func count(leftoversOf person: VCardCard) {
    unsupported.add(contentsOf: person.leftOut)
    unsupported.add(VCardProperty.note, person.all(VCardProperty.note).count)
    let others = fieldsOfDepartments.properties.subtracting(fieldsOfPeople.properties)
    for name in others.subtracting(VCardCard.wanted) {
      unsupported.add(name, person.all(name).count)
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

  /// The person's departments, the primary one first.
  private mutating func places(of card: VCardCard) throws(VCardError) -> [Place] {
    var places: [Place] = []
    var known: Set<[UInt8]> = []
    func append(_ place: Place) {
      if known.insert(place.department).inserted { places.append(place) }
    }
    let titles = card.firstByGroup(VCardProperty.title)
    // The title of a group of properties, else the one that belongs to none.
    func title(_ group: String) throws(VCardError) -> [UInt8]? {
      guard let title = titles[group] ?? titles[""] else { return nil }
      let text = VCardText.text(of: try title.text(), isOld: card.isOld)
      return text.isEmpty ? nil : text
    }
    let own = card.all(VCardProperty.department)
    let orders = card.firstByGroup(VCardProperty.order)
    let leads = card.firstByGroup(VCardProperty.leads)
    var primary = try card.own(VCardProperty.primary)
    if primary == nil, let first = own.first { primary = try first.id() }
    for property in own {
      let department = try property.id()
      append(
        Place(
          department: department,
          title: try title(property.group),
          order: try orders[property.group]?.text(),
          isPrimary: department == primary,
          leads: leads[property.group].map { $0.value.elementsEqual("true".utf8) } ?? false
        )
      )
    }
    guard own.isEmpty else { return places }
    for way in try card.ways() {
      guard let department = makeDepartments(way.names, card.line) else { continue }
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
  private mutating func makeDepartments(_ way: [[UInt8]], _ line: Int) -> [UInt8]? {
    var parent: [UInt8]?
    for (index, name) in way.enumerated() {
      let id = VCardGroups.id(ofWay: way[...index])
      if made.insert(id).inserted {
        rows.begin(.department, id: id, parent: parent, name: name)
        rows.finish(line: line, isImplied: true)
      }
      parent = id
    }
    return parent
  }
}
