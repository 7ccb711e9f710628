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

  /// Keys that are no values of people.
  static let settings = [
    "levels", "several", "people", "dates", "headings", "encoding", "separator", "sheet",
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
