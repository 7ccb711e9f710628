import DirectoryModel

/// Guesses a mapping from the headings and the first values of a personnel list.
package struct MappingGuess {
  package private(set) var result = SuggestedMapping()

  /// Rows that are looked at.
  private static let mostRows = 2_000
  /// Rows among which the headings are sought.
  private static let mostHeadings = 30

  private var headings: [String] = []
  private var headingLine = 1
  private var columns: [ColumnValues] = []
  /// Positions by what the catalogue takes their headings for; the first of a kind.
  private var found: [String: Int] = [:]
  private var used: Set<Int> = []

  /// Looks at a file.
  ///
  /// - Throws: `.badData` where nothing in it looks like headings.
  package init(of file: InputFile) throws(DirectoryError) {
    try findHeadings(file)
    try readValues(file)
    if headingLine > 1 {
      result.lines.append(
        SuggestedMapping.Line(
          key: "headings",
          value: "\(headingLine)",
          reason: "the line of the headings"
        )
      )
    }
    suggestID()
    suggestName()
    suggestDepartment()
    for key in ["title"] + ContactField.keys { suggest(key, field: false) }
    for field in KnownField.usual where !["given_name", "family_name"].contains(field.name) {
      suggest(field.name, field: true)
    }
    suggestPeople()
    suggestDates()
    result.unused = headings.indices.filter { !used.contains($0) && !headings[$0].isEmpty }
      .map { QuotedValue.string(headings[$0]) }
  }
}

extension MappingGuess {
  private static func forEachRecord(
    of file: InputFile,
    _ body: (CSVRecord) -> Bool
  ) throws(DirectoryError) {
    try file.rewind()
    var reader = CSVReader(reading: file.descriptor, countsRows: file.traits.isSheet)
    while let item = reader.next() {
      guard case .record(let record) = item, !record.isEmpty else { continue }
      guard body(record) else { return }
    }
  }

  private static func texts(_ record: CSVRecord) -> [String] {
    (0..<record.count).map { position in
      var text: [UInt8] = []
      CellText.append(record[position], to: &text)
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// Of lines that are nearly as rich in known headings as the richest, the last: some programs write
  /// technical names above the headings.
  private mutating func findHeadings(_ file: InputFile) throws(DirectoryError) {
    let words = HeadingWords()
    var rows: [(line: Int, texts: [String], known: Int)] = []
    try Self.forEachRecord(of: file) { record in
      let texts = Self.texts(record)
      rows.append((record.line, texts, Set(texts.compactMap { words.key(of: $0) }).count))
      return rows.count < Self.mostHeadings
    }
    let most = rows.map(\.known).max() ?? 0
    guard most > 0, let row = rows.last(where: { 5 * $0.known >= 3 * most }) else {
      throw DirectoryError(
        .badData,
        "cannot suggest a mapping for \(QuotedValue.path(file.name)): none of its first lines has "
          + "headings that are known",
        advice: "map the columns by hand, as in name={Heading}"
      )
    }
    headingLine = row.line
    headings = row.texts
    var counts: [String: Int] = [:]
    for heading in headings { counts[PersonnelColumns.key(heading), default: 0] += 1 }
    for (position, heading) in headings.enumerated() {
      guard let key = words.key(of: heading) else { continue }
      if counts[PersonnelColumns.key(heading)] != 1 {
        result.gaps.append("the heading \(QuotedValue.string(heading)) stands over several columns")
      } else if found[key] == nil {
        found[key] = position
      }
    }
    columns = Array(repeating: ColumnValues(), count: headings.count)
  }

  private mutating func readValues(_ file: InputFile) throws(DirectoryError) {
    var columns = columns
    var rows = 0
    let line = headingLine
    try Self.forEachRecord(of: file) { record in
      guard record.line > line else { return true }
      for position in 0..<min(record.count, columns.count) {
        columns[position].take(record[position])
      }
      rows += 1
      return rows < Self.mostRows
    }
    self.columns = columns
    result.rowCount = rows
  }
}

extension MappingGuess {
  private func template(_ position: Int) -> String { ColumnTemplate.text(of: headings[position]) }

  private func shown(_ position: Int) -> String {
    let value = columns[position].first.withUnsafeBytes { QuotedValue.text($0) }
    return columns[position].count == 0 ? "no value in the first rows" : "such as \(value)"
  }

  private mutating func add(_ key: String, _ positions: [Int], _ value: String, _ reason: String) {
    result.lines.append(SuggestedMapping.Line(key: key, value: value, reason: reason))
    used.formUnion(positions)
  }

  private mutating func suggest(_ key: String, field: Bool) {
    guard let position = found[key], !used.contains(position) else { return }
    add(key, [position], template(position), shown(position))
    if field { result.fields.append(key) }
  }

  /// A number is better than an address, which changes with the name; both must be there for everyone.
  private mutating func suggestID() {
    for (key, why) in [
      ("id", "a number of its own"), (ContactField.address.key, "the mail address"),
    ] {
      guard let position = found[key] else { continue }
      let column = columns[position]
      guard column.count == result.rowCount else {
        result.gaps.append(
          "\(QuotedValue.string(headings[position])) is empty in \(result.rowCount - column.count) of the "
            + "first \(result.rowCount) rows, so that it can be no id"
        )
        continue
      }
      let repeats = column.distinct.count < min(column.count, 2_000)
      result.lines.append(
        SuggestedMapping.Line(
          key: "id",
          value: template(position),
          reason: "\(why), \(shown(position))"
            + (repeats ? "; some stand in several rows, which become several departments" : "")
        )
      )
      if key == "id" { used.insert(position) }
      return
    }
    result.gaps.append("no column looks like an id that everybody has: add the key id")
  }

  private mutating func suggestName() {
    if let given = found["given_name"], let family = found["family_name"] {
      let isIdeographic = 2 * columns[family].ideographic > columns[family].count
      let value =
        isIdeographic
        ? template(family) + template(given) : template(given) + " " + template(family)
      add("name", [given, family], value, "made of two columns, \(shown(given))")
      if let whole = found["name"] { used.insert(whole) }
      return
    }
    guard let position = found["name"] ?? found["family_name"] ?? found["given_name"] else {
      result.gaps.append("no column looks like a name: add the key name")
      return
    }
    add("name", [position], template(position), shown(position))
  }

  private mutating func suggestDepartment() {
    let levels = ["company", "business_unit", "division", "department", "team"]
      .compactMap { found[$0] }
    guard !levels.isEmpty else {
      result.gaps.append("no column looks like a department: add the key department")
      return
    }
    if let path = levels.first(where: { levelSign(of: $0) != nil }), let sign = levelSign(of: path)
    {
      add("department", [path], template(path), "a path, \(shown(path))")
      result.lines.append(
        SuggestedMapping.Line(
          key: "levels",
          value: sign,
          reason: "stands in \(columns[path].count(of: sign)) of \(columns[path].count) values"
        )
      )
      suggestSeveral(path)
      return
    }
    add(
      "department",
      levels,
      levels.map(template).joined(separator: "/"),
      levels.count == 1
        ? shown(levels[0]) : "a column for each level, from the top down; empty ones are left out"
    )
    if levels.count == 1 { suggestSeveral(levels[0]) }
  }

  private func levelSign(of position: Int) -> String? {
    let column = columns[position]
    return ColumnValues.levelSigns.first { 3 * column.count(of: $0) > column.count }
  }

  private mutating func suggestSeveral(_ position: Int) {
    let column = columns[position]
    guard let sign = ColumnValues.listSigns.dropLast().first(where: { column.count(of: $0) > 0 })
    else { return }
    result.lines.append(
      SuggestedMapping.Line(
        key: "several",
        value: sign,
        reason: "stands in \(column.count(of: sign)) of \(column.count) values, between departments"
      )
    )
  }

  /// How managers are named: by what the column shares with.
  private mutating func suggestPeople() {
    guard let position = found["manager"], used.contains(position) else { return }
    let column = columns[position]
    let key: String
    let reason: String
    let ids = found["id"].map { columns[$0].distinct } ?? []
    if 2 * column.emails > column.count {
      (key, reason) = ("email", "the managers are mail addresses")
    } else if column.count > 0, 2 * column.distinct.intersection(ids).count >= column.distinct.count
    {
      (key, reason) = ("id", "the managers are ids of others")
    } else {
      (key, reason) = ("name", "the managers are no ids of others, and so names")
    }
    result.lines.append(SuggestedMapping.Line(key: "people", value: key, reason: reason))
  }

  private mutating func suggestDates() {
    var dates = (dayFirst: 0, monthFirst: 0, ambiguous: 0)
    for name in result.fields where KnownField.usual(name)?.kind == .date {
      guard let position = found[name] else { continue }
      dates.dayFirst += columns[position].dates.dayFirst
      dates.monthFirst += columns[position].dates.monthFirst
      dates.ambiguous += columns[position].dates.ambiguous
    }
    if dates.dayFirst > 0, dates.monthFirst == 0 {
      result.lines.append(
        SuggestedMapping.Line(
          key: "dates",
          value: "day first",
          reason: "\(dates.dayFirst) can only be so"
        )
      )
    } else if dates.monthFirst > 0, dates.dayFirst == 0 {
      result.lines.append(
        SuggestedMapping.Line(
          key: "dates",
          value: "month first",
          reason: "\(dates.monthFirst) can only be so"
        )
      )
    } else if dates.ambiguous > 0 {
      result.gaps.append(
        "dates do not tell the day from the month: add dates: day first, or month first"
      )
    }
  }
}
