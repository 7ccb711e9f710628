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
    static let leads = Target("leads")

    static let all =
      [id, name, department, departmentID, title] + Field.contacts.map { Target($0) }
      + [sortOrder, primary, leads]

    private init(_ key: String) { self.key = key }
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

  /// An entry of a mapping, as somebody wrote it.
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
  package private(set) var encoding: String?
  package private(set) var separator: String?
  package private(set) var sheet: String?
  /// What the list is as a source; its name is empty where the mapping gives none.
  private var owner = ListSource(name: "")
  private var formerDepartment: DepartmentID?
  private var formerDays = 90

  /// Keys that are no values of people.
  static let settings = [
    "levels", "several", "people", "dates", "headings", "encoding", "separator", "sheet",
    "source", "match", "doubts", "edited", "limit", "former", "former_days",
  ]

  /// Takes entries in their order; a later one of the same key takes the place of an earlier one.
  ///
  /// - Throws: `.usage` with the entry's place.
  package init(_ entries: [Entry]) throws(DirectoryError) {
    for entry in entries {
      if Self.settings.contains(entry.key) {
        try set(entry)
      } else {
        try setColumn(entry)
      }
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
    guard let target = Target(key: entry.key) else {
      throw Self.refusal(
        entry,
        "there is no such key",
        "keys are \(Target.all.map(\.key).joined(separator: ", ")), the names of declared fields, "
          + "and the settings \(Self.settings.joined(separator: ", "))"
      )
    }
    do throws(ColumnTemplate.Fault) {
      let hasLevels = target == .department || target == .departmentID
      let template = try ColumnTemplate(entry.value, hasLevels: hasLevels)
      guard template.onlyText == nil || target != .id else { throw .empty }
      columns[target] = template
    } catch {
      throw Self.refusal(
        entry,
        "\(QuotedValue.string(entry.value)) is no template: \(error.reason)",
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
    case "former": formerDepartment = DepartmentID(entry.value)
    case "former_days":
      guard let days = Int(entry.value), (1...10_000).contains(days) else {
        throw Self.refusal(entry, "\(QuotedValue.string(entry.value)) is not a number of days")
      }
      formerDays = days
    default: sheet = entry.value
    }
  }

  private static func sign(_ entry: Entry) throws(DirectoryError) -> [UInt8] {
    let sign = Array(entry.value.utf8)
    guard (1...8).contains(sign.count) else {
      throw refusal(entry, "a sign of 1 to 8 bytes is expected, such as / or ;")
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
    try entry.value.split { $0 == "," || $0 == " " }.map { word throws(DirectoryError) in
      if let key = ListSource.Key(rawValue: String(word)) { return key }
      throw refusal(
        entry,
        "\(QuotedValue.string(String(word))) is not \(ListSource.Key.allCases.map(\.rawValue).joined(separator: " or "))"
      )
    }
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
    source.former = formerDepartment.map { ListSource.Former(department: $0, days: formerDays) }
    source.home = home
    source.values = Set(
      columns.keys.compactMap { target in
        switch target {
        case .id, .primary: nil
        case .departmentID: Target.department.key
        default: target.key
        }
      }
    ).sorted()
    return source
  }

  /// Throws unless every field that is mapped is declared.
  package func requireFields(_ declared: [Field]) throws(DirectoryError) {
    let known = Set(Target.all + declared.of(.user).map { Target($0) })
    let missing = columns.keys.filter { !known.contains($0) }.map(\.key).sorted()
    guard !missing.isEmpty else { return }
    let what = missing.count == 1 ? "the field" : "the fields"
    throw DirectoryError(
      .usage,
      "cannot import: the mapping names \(what) \(missing.joined(separator: ", ")), which "
        + (missing.count == 1 ? "is" : "are") + " not declared",
      advice: "run: \(.run(["field", "add"] + missing))"
    )
  }
}
