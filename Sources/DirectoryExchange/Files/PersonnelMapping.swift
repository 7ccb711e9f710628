import DirectoryModel

/// How a personnel list becomes departments and people: which columns make which value.
///
/// Its keys are those of a mapping file; `init(_:)` holds all of them to the same rules.
package struct PersonnelMapping: Sendable {
  /// What a value of a person becomes: one of these, or the field of that name.
  struct Target: Hashable, Sendable {
    let key: String

    static let id = Target("id")
    static let name = Target("name")
    static let department = Target("department")
    static let departmentID = Target("department_id")
    static let title = Target("title")
    static let sortOrder = Target("sort_order")
    static let primary = Target("primary")
    static let employeeNumber = Target("employee_number")
    static let leads = Target("leads")
    /// Whether the person has left, and when he or she begins.
    static let left = Target("left")
    static let starts = Target("starts")

    static let all =
      [id, name, department, departmentID, title] + Field.contacts.map { Target($0) }
      + [sortOrder, primary, leads]

    /// Of `where`, by its place there.
    static func condition(_ place: Int) -> Target { Target("where \(place)") }

    /// Whether it tells which rows are read, and is not a value of the person.
    var isFilter: Bool { self == .left || self == .starts || key.hasPrefix("where ") }

    init(_ key: String) { self.key = key }
    init(_ field: Field) { key = field.name }

    init?(key: String) {
      guard Field.isWellFormed(key) else { return nil }
      self.key = key
    }
  }

  /// What a field that names people holds in the list.
  enum PersonKey: String, CaseIterable, Sendable {
    case id, email, name
  }

  /// What `03/04/2021` means.
  enum DateOrder: String, CaseIterable, Sendable {
    case dayFirst = "day first"
    case monthFirst = "month first"
  }

  /// How names are taken from the list.
  enum NameForm: String, CaseIterable, Sendable {
    case asWritten = "as written"
    case split
  }

  /// Columns that have the same values in the list and in another file.
  struct Join: Sendable, Equatable {
    var column: String
    var other: String
  }

  /// An entry of a mapping, as it was written.
  package struct Entry: Sendable {
    package var key: String
    package var value: String
    /// Where it stands, for messages: a file's line, or the option.
    package var place: String

    package init(key: String, value: String, place: String) {
      self.key = key
      self.value = value
      self.place = place
    }
  }

  private(set) var columns: [Target: ColumnTemplate] = [:]
  /// Parts the names of departments within a value.
  private(set) var levels: [UInt8] = []
  /// Parts several values within a cell.
  private(set) var several: [UInt8] = []
  private(set) var people = PersonKey.id
  private(set) var dates: DateOrder?
  /// The line of the headings.
  private(set) var headingLine: Int?
  /// The first of the hundred years that two digits stand for.
  private(set) var firstYear: Int?
  private(set) var names = NameForm.asWritten
  /// The templates of files of departments, by the names of their columns.
  private(set) var departmentColumns: [String: ColumnTemplate] = [:]
  private(set) var joins: [Join] = []
  /// Headings of columns whose cells are merged, from the top down.
  private(set) var filled: [String] = []
  /// Words that say of a person that he or she has left; without them, those of `LeaverWords`.
  private(set) var leaving: RowCondition?
  /// Only rows that meet all of them are read.
  private(set) var conditions: [RowCondition] = []
  /// The id of the department of people whom the list puts in none.
  package private(set) var home: String?
  package private(set) var encoding: String?
  package private(set) var separator: String?
  package private(set) var sheet: String?
  /// What the list is as a source; its name is empty where the mapping gives none.
  private var owner = ListSource(name: "")
  /// Names of values that may change for any number of people at once.
  package private(set) var changes: [String] = []
  /// Where the mapping has its keys, for messages.
  private var places: [String: String] = [:]
  private var formerDepartment: DepartmentID?
  private var formerDays = 90

  /// Keys that are not values of people.
  static let settings = [
    "levels", "several", "people", "dates", "years", "names", "where", "left", "join", "fill_down",
    "into", "headings", "encoding", "separator", "sheet",
    "source", "match", "doubts", "edited", "limit", "changes", "former", "former_days",
  ]

  /// Takes entries in their order; a later one of the same key takes the place of an earlier one.
  ///
  /// - Throws: `.usage` with the entry's place.
  package init(_ entries: [Entry]) throws(DirectoryError) {
    for entry in entries {
      places[entry.key] = entry.place
      if Self.settings.contains(entry.key) {
        try set(entry)
      } else {
        try setColumn(entry)
      }
    }
    for key in ["id", "name"]
    where !departmentColumns.isEmpty && departmentColumns[key] == nil {
      throw DirectoryError(
        .usage,
        "the mapping does not say what a department's \(key) is",
        advice: "map it to a column, as in departments.\(key)={Heading}"
      )
    }
    for target in [Target.id, .name] where columns[target] == nil {
      throw DirectoryError(
        .usage,
        "the mapping of the personnel list does not say what a person's \(target.key) is",
        advice: "map it to a column, as in \(target.key)={Heading}"
      )
    }
  }

  private mutating func setColumn(_ entry: Entry) throws(DirectoryError) {
    let prefix = "departments."
    if entry.key.hasPrefix(prefix) {
      let key = String(entry.key.dropFirst(prefix.count))
      guard Field.isWellFormed(key) else {
        throw Self.refusal(entry, "departments have no such value")
      }
      departmentColumns[key] = try Self.template(entry)
      return
    }
    guard let target = Target(key: entry.key) else {
      throw Self.refusal(
        entry,
        "there is no such key",
        "keys are \(Target.all.map(\.key).joined(separator: ", ")), starts, the names of declared "
          + "fields, the same of departments as in departments.name, and the settings "
          + Self.settings.joined(separator: ", ")
      )
    }
    columns[target] = try Self.template(
      entry,
      hasLevels: target == .department || target == .departmentID,
      needsColumn: target == .id
    )
  }

  private static func template(
    _ entry: Entry,
    hasLevels: Bool = false,
    needsColumn: Bool = false
  ) throws(DirectoryError) -> ColumnTemplate {
    do throws(ColumnTemplate.Fault) {
      let template = try ColumnTemplate(entry.value, hasLevels: hasLevels)
      guard template.onlyText == nil || !needsColumn else { throw .empty }
      return template
    } catch {
      throw refusal(
        entry,
        "\(QuotedValue.string(entry.value)) is not a valid template: \(error.reason)",
        "write headings in braces, such as {First Name} {Last Name}"
      )
    }
  }

  private mutating func set(_ entry: Entry) throws(DirectoryError) {
    switch entry.key {
    case "levels": levels = try Self.sign(entry)
    case "several": several = try Self.sign(entry)
    case "people": people = try Self.choice(entry)
    case "dates": dates = try Self.choice(entry)
    case "headings":
      guard let line = Int(entry.value), line > 0 else {
        throw Self.refusal(entry, "\(QuotedValue.string(entry.value)) is not a line's number")
      }
      headingLine = line
    case "years":
      guard let year = Int(entry.value), (1_800...2_100).contains(year) else {
        throw Self.refusal(
          entry,
          "\(QuotedValue.string(entry.value)) is not a year from 1800 to 2100",
          "give the first of the hundred years that two digits stand for, such as 1950"
        )
      }
      firstYear = year
    case "names": names = try Self.choice(entry)
    case "where":
      conditions = try Self.parts(entry).map { part throws(DirectoryError) in
        try Self.condition(part, entry)
      }
      for (place, condition) in conditions.enumerated() {
        columns[.condition(place)] = condition.template
      }
    case "left":
      let isBare = entry.value.hasSuffix("}")
      leaving = isBare ? nil : try Self.condition(entry.value, entry)
      if let leaving {
        columns[.left] = leaving.template
      } else {
        columns[.left] = try Self.template(entry)
      }
    case "join":
      joins = try Self.parts(entry).map { part throws(DirectoryError) in
        guard let headings = ColumnTemplate.headings(in: part), headings.count == 2 else {
          throw Self.refusal(
            entry,
            "\(QuotedValue.string(part)) does not name two columns",
            "name that of the list and that of the other file, as in {Cost Center} = {Code}"
          )
        }
        return Join(column: headings[0], other: headings[1])
      }
    case "fill_down":
      filled = ColumnTemplate.headings(in: entry.value) ?? []
      guard !filled.isEmpty else {
        throw Self.refusal(
          entry,
          "\(QuotedValue.string(entry.value)) names no column",
          "write headings in braces, such as {Division} {Department}"
        )
      }
    case "into": home = entry.value
    case "encoding": encoding = entry.value
    case "separator": separator = entry.value
    case "source": owner.name = try Self.name(entry)
    case "match": owner.keys = try Self.keys(entry)
    case "doubts": owner.doubts = try Self.choice(entry)
    case "edited": owner.edited = try Self.choice(entry)
    case "limit":
      guard let percent = Int(entry.value), (0...100).contains(percent) else {
        throw Self.refusal(entry, "\(QuotedValue.string(entry.value)) is not a percentage")
      }
      owner.limit = percent
    case "changes": changes = Self.words(entry)
    case "former": formerDepartment = DepartmentID(entry.value)
    case "former_days":
      guard let days = Int(entry.value) else {
        throw Self.refusal(entry, "\(QuotedValue.string(entry.value)) is not a number of days")
      }
      guard (1...10_000).contains(days) else {
        throw Self.refusal(entry, days < 1 ? "must be at least 1" : "must be at most 10000")
      }
      formerDays = days
    default: sheet = entry.value
    }
  }

  /// What semicolons outside of braces part.
  private static func parts(_ entry: Entry) -> [String] {
    var parts = [""]
    var depth = 0
    for sign in entry.value {
      if sign == "{" { depth += 1 }
      if sign == "}" { depth -= 1 }
      if sign == ";", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(sign) }
    }
    return parts
  }

  private static func condition(
    _ text: String,
    _ entry: Entry
  ) throws(DirectoryError) -> RowCondition {
    if let condition = RowCondition(text) { return condition }
    throw refusal(
      entry,
      "\(QuotedValue.string(text)) is not a condition",
      "write a heading in braces, = or !=, and values with commas between them, such as "
        + "{Status} = active, on leave"
    )
  }

  private static func sign(_ entry: Entry) throws(DirectoryError) -> [UInt8] {
    let sign = Array(entry.value.utf8)
    guard (1...8).contains(sign.count) else {
      throw refusal(entry, "a separator of 1 to 8 bytes is expected, such as / or ;")
    }
    return sign
  }

  private static func name(_ entry: Entry) throws(DirectoryError) -> String {
    guard (1...100).contains(entry.value.unicodeScalars.count),
      entry.value.utf8.allSatisfy({ $0 >= 0x20 })
    else { throw refusal(entry, "a name of 1 to 100 characters is expected, such as personnel") }
    return entry.value
  }

  private static func keys(_ entry: Entry) throws(DirectoryError) -> [ListSource.Key] {
    try words(entry).map { word throws(DirectoryError) in
      if let key = ListSource.Key(rawValue: word) { return key }
      throw refusal(
        entry,
        "\(QuotedValue.string(word)) is not \(ListSource.Key.allCases.map(\.rawValue).joined(separator: " or "))"
      )
    }
  }

  private static func words(_ entry: Entry) -> [String] {
    entry.value.split { $0 == "," || $0 == " " }.map(String.init)
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ entry: Entry
  ) throws(DirectoryError) -> Choice {
    if let choice = Choice(rawValue: entry.value) { return choice }
    let choices = Choice.allCases.map(\.rawValue).joined(separator: " or ")
    throw refusal(entry, "\(QuotedValue.string(entry.value)) is not \(choices)")
  }

  private static func refusal(
    _ entry: Entry,
    _ reason: String,
    _ advice: String? = nil
  ) -> DirectoryError {
    DirectoryError(
      .usage,
      "cannot use \(QuotedValue.path(entry.place)): \(QuotedValue.path(entry.key)): \(reason)",
      advice: advice
    )
  }
}

extension PersonnelMapping {
  /// The list as a source of records, `nil` where neither the mapping nor the caller names it.
  ///
  /// - Parameters:
  ///   - name: Its name where the mapping has none.
  ///   - home: Where new people go whom the list puts in no department.
  /// - Returns: The source.
  package func source(named name: String?, home: DepartmentID?) -> ListSource? {
    var source = owner
    if source.name.isEmpty { source.name = name ?? "" }
    guard !source.name.isEmpty else { return nil }
    source.former = formerDepartment.map {
      ListSource.LeaverRetention(department: $0, days: formerDays)
    }
    source.home = home
    source.values = Set(
      columns.keys.compactMap { target in
        switch target {
        case .id, .primary: nil
        case .departmentID: Target.department.key
        default: target.isFilter ? nil : target.key
        }
      }
    ).sorted()
    return source
  }

  /// The mapping of files of departments, in which `department` is the one above.
  var ofDepartments: PersonnelMapping {
    var mapping = self
    mapping.columns = [:]
    for (key, template) in departmentColumns {
      mapping.columns[key == TableColumn.parent.name ? .department : Target(key)] = template
    }
    (mapping.joins, mapping.filled, mapping.conditions) = ([], [], [])
    mapping.headingLine = nil
    return mapping
  }

  /// The headings of the columns that make up a value.
  ///
  /// - Parameters:
  ///   - value: A name as in `ListSource.values`.
  ///   - owner: Whose value it is.
  /// - Returns: Such as `Vorname` and `Nachname`; none where the mapping does not name the value.
  package func headings(of value: String, of owner: RecordKind = .user) -> [String] {
    let columns = owner == .department ? ofDepartments.columns : columns
    let target = Target(value)
    return columns[target]?.headings
      ?? (target == .department ? columns[.departmentID]?.headings : nil) ?? []
  }

  /// The template of a value of people as it is written; `nil` where it is not mapped.
  package func template(of value: String) -> String? { columns[Target(value)]?.text }

  /// Throws unless every field that is mapped is declared, and every value that may change is one.
  package func requireFields(_ declared: [Field]) throws(DirectoryError) {
    let values = Self.changeableValues(declared)
    for name in changes where !values.contains(name) {
      let nearest = EditDistance.nearest(to: name, among: values).map {
        "; did you mean \"\($0)\"?"
      }
      throw DirectoryError(
        .usage,
        "cannot use \(QuotedValue.path(places["changes"] ?? "the mapping")): changes: unknown field "
          + "\(QuotedValue.string(name))" + (nearest ?? "")
      )
    }
    try requireFields(columns, declared.of(.user).map(\.name), [])
    try requireFields(
      ofDepartments.columns,
      declared.of(.department).map(\.name) + [TableColumn.description.name],
      ["--of", "departments"]
    )
  }

  private func requireFields(
    _ columns: [Target: ColumnTemplate],
    _ names: [String],
    _ owner: [String]
  ) throws(DirectoryError) {
    let known = Set(Target.all + names.map { Target($0) })
    let missing = columns.keys.filter { !$0.isFilter && !known.contains($0) }.map(\.key).sorted()
    guard !missing.isEmpty else { return }
    try requireMeant(missing, owner, known)
    let what = missing.count == 1 ? "the field" : "the fields"
    throw DirectoryError(
      .usage,
      "cannot import: the mapping names \(what) \(missing.joined(separator: ", ")), which "
        + (missing.count == 1 ? "is" : "are") + " not declared",
      advice: "run: \(.run(["field", "add"] + owner + missing))"
    )
  }
}

extension PersonnelMapping {
  /// Names of values of people for which `changes` and the brake on changes exist.
  ///
  /// `matches` stands for doubtful matches that are taken for certain ones.
  package static func changeableValues(_ declared: [Field]) -> [String] {
    ["name", "department", "title"] + Field.contacts.map(\.name) + declared.of(.user).map(\.name)
      + ["matches"]
  }

  /// Throws where a key that is not declared is likely another one with a slip.
  private func requireMeant(
    _ missing: [String],
    _ owner: [String],
    _ known: Set<Target>
  ) throws(DirectoryError) {
    let isOfDepartments = !owner.isEmpty
    let usual = Set(isOfDepartments ? [] : KnownField.usual.map(\.name))
    let words = known.map(\.key).sorted() + (isOfDepartments ? [] : ["starts"] + Self.settings)
    for key in missing where !usual.contains(key) {
      let slips = { (word: String) in
        min(key.unicodeScalars.count, word.unicodeScalars.count) / 3
      }
      guard
        let meant = EditDistance.nearest(
          to: key,
          among: words.filter { word in
            EditDistance.between(
              Array(key.unicodeScalars),
              Array(word.unicodeScalars),
              atMost: slips(word)
            ) != nil
          }
        )
      else { continue }
      let written = (isOfDepartments ? "departments." : "") + key
      throw DirectoryError(
        .usage,
        "cannot use \(QuotedValue.path(places[written] ?? "the mapping")): unknown key "
          + "\(QuotedValue.string(written)); did you mean "
          + "\(QuotedValue.string((isOfDepartments ? "departments." : "") + meant))?",
        advice:
          "if it is a field of that name, declare it: \(.run(["field", "add"] + owner + [key]))"
      )
    }
  }
}
