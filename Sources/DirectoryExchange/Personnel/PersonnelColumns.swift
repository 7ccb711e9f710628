import DirectoryModel

/// The templates of a mapping, bound to the columns of one file.
struct PersonnelColumns {
  enum Part {
    case text([UInt8])
    case position(Int)
  }

  typealias Value = [Part]

  /// The templates of values, by what they are for; those of departments have several.
  private(set) var values: [PersonnelMapping.Target: [Value]] = [:]
  /// Fields of a record.
  let count: Int
  /// The headings as they stand in the file.
  let headings: [String]
  /// Positions that some template reads.
  private(set) var used: Set<Int> = []

  /// The column of the people's names in an LDAP directory, read or not: managers may be named so.
  let distinguishedName: Int?

  /// Positions of columns whose cells are merged, from the top down.
  private(set) var filled: [Int] = []
  /// Positions of the columns that lead to other files, and those files' places among the tables.
  private(set) var joins: [(position: Int, table: Int)] = []

  /// - Parameters:
  ///   - record: The headings.
  ///   - mapping: What the columns are.
  ///   - tables: Other files, whose columns follow those of the list.
  /// - Throws: What the headings lack.
  init(
    _ record: CSVRecord,
    _ mapping: PersonnelMapping,
    _ tables: [JoinedTable] = []
  ) throws(Fault) {
    headings = record.headings.map(\.text)
    count = record.count
    distinguishedName = headings.firstIndex {
      ["distinguishedname", "distinguished name", "dn"].contains(Heading($0).key)
    }
    var places: [String: [Int]] = [:]
    for (position, heading) in headings.enumerated() {
      places[Heading(heading).key, default: []].append(position)
    }
    func position(of heading: String) throws(Fault) -> Int {
      let found = places[Heading(heading).key] ?? []
      guard let position = found.first else { throw .missing(heading, headings) }
      guard found.count == 1 else { throw .repeated(heading) }
      return position
    }
    for heading in mapping.filled { filled.append(try position(of: heading)) }
    let own = Set(places.keys)
    var next = count
    for (index, table) in tables.enumerated() {
      joins.append((try position(of: table.join.column), index))
      for heading in table.headings {
        // `{Dept > Name}` where the list has a Name too.
        var keys = [Heading("\(table.join.column) > \(heading)").key]
        if !own.contains(Heading(heading).key) { keys.append(Heading(heading).key) }
        for key in keys { places[key, default: []].append(next) }
        next += 1
      }
    }
    used = Set(filled + joins.map(\.position))
    for (target, template) in mapping.columns.sorted(by: { $0.key.key < $1.key.key }) {
      if let text = template.onlyText, places[Heading(text).key] != nil {
        throw .withoutBraces(target.key, text)
      }
      var levels: [Value] = []
      for level in template.levels {
        var value: Value = []
        for part in level {
          switch part {
          case .text(let text): value.append(.text(text))
          case .column(let heading):
            let place = try position(of: heading)
            used.insert(place)
            value.append(.position(place))
          }
        }
        levels.append(value)
      }
      values[target] = levels
    }
  }

  /// Headings of columns that no template reads and that have a heading.
  var unused: [String] {
    headings.indices.filter { !used.contains($0) && !Heading(headings[$0]).key.isEmpty }
      .map { headings[$0] }
  }

  /// Whether a row has the headings once more, as lists have them that were printed in pages.
  func isRepeated(_ record: CSVRecord) -> Bool {
    record.count == count
      && headings.indices.allSatisfy { record[$0].elementsEqual(headings[$0].utf8) }
  }

  /// The positions that make up a value.
  func positions(of target: PersonnelMapping.Target) -> Set<Int> {
    Set(
      (values[target] ?? []).joined().compactMap {
        if case .position(let place) = $0 { place } else { nil }
      }
    )
  }

  /// A value of a row: empty where none of its columns has anything, whatever text stands between.
  static func text(_ value: Value, _ record: CSVRecord) -> [UInt8] {
    var text: [UInt8] = []
    var hasColumn = false
    var hasText = false
    for part in value {
      switch part {
      case .text(let literal): text += literal
      case .position(let position):
        hasColumn = true
        // A row as it stands in the list is without the columns of other files.
        if position < record.count, CellText.append(record[position], to: &text) { hasText = true }
      }
    }
    guard hasText || !hasColumn else { return [] }
    if value.count == 1 { return text }
    var trimmed: [UInt8] = []
    text.withUnsafeBytes { _ = CellText.append($0, to: &trimmed) }
    return trimmed
  }

  enum Fault: Error {
    case missing(String, [String])
    case repeated(String)
    case withoutBraces(String, String)

    var isMissing: Bool { if case .missing = self { true } else { false } }

    var reason: String {
      switch self {
      case .missing(let heading, let headings):
        let most = 20
        let shown = headings.filter { !Heading($0).key.isEmpty }.prefix(most)
          .map(QuotedValue.string).joined(separator: ", ")
        let further = headings.count > most ? " and \(headings.count - most) more" : ""
        return
          "has no column \(QuotedValue.string(heading)), which the mapping names; its columns are "
          + shown + further
      case .repeated(let heading):
        return "has several columns \(QuotedValue.string(heading)), which the mapping names"
      case .withoutBraces(let key, let heading):
        let template = ColumnTemplate.text(of: heading)
        return
          "has a column \(QuotedValue.string(heading)), but the mapping gives everybody that text as "
          + "\(key); write \(key)=\(QuotedValue.path(template))"
      }
    }
  }
}
