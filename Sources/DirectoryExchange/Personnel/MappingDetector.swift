import DirectoryModel
import TextRules

/// Guesses a mapping from the headings and the first values of a personnel list.
package struct MappingDetector {
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
  /// - Parameters:
  ///   - file: The list.
  ///   - today: The caller's day, as `2026-03-01`.
  /// - Throws: `.badData` where nothing in it looks like headings.
  package init(of file: InputFile, today: String = "") throws(DirectoryError) {
    try findHeadings(file)
    try readValues(file)
    if headingLine > 1 {
      add("headings", [], "\(headingLine)", "the line that contains the headings")
    }
    suggestID()
    suggestName()
    suggestDepartment()
    for key in ["title"] + Field.contacts.map(\.name) { suggest(key, field: false) }
    for field in KnownField.usual where !["given_name", "family_name"].contains(field.name) {
      suggest(field.name, field: true)
    }
    suggestPeople()
    suggestDates()
    suggestNames()
    suggestRows(today: Array(today.utf8))
    result.unused = headings.indices.filter { !used.contains($0) && !headings[$0].isEmpty }
      .map { QuotedValue.string(headings[$0]) }
  }
}

extension MappingDetector {
  private static func forEachRecord(
    of file: InputFile,
    _ fail: (CSVProblem) -> Void = { _ in },
    _ body: (CSVRecord) -> Bool
  ) throws(DirectoryError) {
    var reader = try CSVReader(file)
    while let item = reader.next() {
      switch item {
      case .record(let record): if !body(record) { return }
      case .problem(let problem): if !problem.isWarning { fail(problem) }
      }
    }
  }

  private static func texts(_ record: CSVRecord) -> [String] {
    record.texts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first line that is nearly as rich in known headings as the richest, or the one below if that has
  /// no fewer.
  ///
  /// Some programs write technical names above the headings. Others repeat the headings on each page,
  /// and those must not be taken for the first.
  private mutating func findHeadings(_ file: InputFile) throws(DirectoryError) {
    var rows: [(line: Int, texts: [String], known: Int)] = []
    try Self.forEachRecord(of: file) { record in
      let texts = Self.texts(record)
      rows.append((record.line, texts, Set(texts.compactMap { Heading($0).meanings.first }).count))
      return rows.count < Self.mostHeadings
    }
    let most = rows.map(\.known).max() ?? 0
    guard most > 0, var place = rows.firstIndex(where: { 5 * $0.known >= 3 * most }) else {
      throw DirectoryError(
        .badData,
        "cannot suggest a mapping for \(QuotedValue.path(file.name)): none of its first lines has "
          + "known headings",
        advice: "map the columns by hand, as in name={Heading}"
      )
    }
    if place + 1 < rows.count, rows[place + 1].known >= rows[place].known,
      rows[place + 1].texts != rows[place].texts
    {
      place += 1
    }
    headingLine = rows[place].line
    headings = rows[place].texts
    var counts: [String: Int] = [:]
    for heading in headings { counts[Heading(heading).key, default: 0] += 1 }
    for (position, heading) in headings.enumerated() {
      guard let key = Heading(heading).meanings.first else { continue }
      if counts[Heading(heading).key] != 1 {
        let gap = "the heading \(QuotedValue.string(heading)) appears over several columns"
        if !result.gaps.contains(gap) { result.gaps.append(gap) }
      } else if found[key] == nil {
        found[key] = position
      }
    }
    if found["id"] == nil { found["id"] = found["number"] }
    columns = Array(repeating: ColumnValues(), count: headings.count)
  }

  private mutating func readValues(_ file: InputFile) throws(DirectoryError) {
    var columns = columns
    var rows = 0
    let (line, headings) = (headingLine, headings)
    var problem: CSVProblem?
    try Self.forEachRecord(of: file) {
      problem = problem ?? $0
    } _: { record in
      guard record.line > line, Self.texts(record) != headings else { return true }
      for position in 0..<min(record.count, columns.count) {
        columns[position].take(record[position])
      }
      rows += 1
      return rows < Self.mostRows
    }
    self.columns = columns
    result.rowCount = rows
    if let problem {
      result.gaps.append("line \(problem.line ?? 1): \(problem.description)")
    }
  }
}

extension MappingDetector {
  private func template(_ position: Int) -> String { ColumnTemplate.text(of: headings[position]) }

  private func shown(_ position: Int) -> String {
    let value = QuotedValue.text(columns[position].first)
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
      ("id", "the number of each person"), (Field.email.name, "the email address"),
    ] {
      guard let position = found[key] else { continue }
      let column = columns[position]
      guard column.count == result.rowCount else {
        result.gaps.append(
          "\(QuotedValue.string(headings[position])) is empty in \(result.rowCount - column.count) of the "
            + "first \(result.rowCount) rows, and cannot be the id"
        )
        continue
      }
      let repeats = column.distinct.count < min(column.count, 2_000)
      add(
        "id",
        [],
        template(position),
        "\(why), \(shown(position))"
          + (repeats ? "; some occur in several rows, which become several departments" : "")
      )
      if key == "id" { used.insert(position) }
      return
    }
    result.gaps.append("no column looks like an id that everybody has: add the key id")
  }

  private mutating func suggestName() {
    if let given = found["given_name"], let family = found["family_name"] ?? shortName {
      let isIdeographic = 2 * columns[family].ideographic > columns[family].count
      let value =
        isIdeographic
        ? template(family) + template(given) : template(given) + " " + template(family)
      add("name", [given, family], value, "made of two columns")
      if let whole = found["name"] { used.insert(whole) }
      return
    }
    guard let position = found["name"] ?? found["family_name"] ?? found["given_name"] else {
      result.gaps.append("no column looks like a name: add the key name")
      return
    }
    add("name", [position], template(position), shown(position))
    if found["name"] == nil {
      let part = found["family_name"] == nil ? "given" : "family"
      result.gaps.append("\(QuotedValue.string(headings[position])) contains only \(part) names")
    }
  }

  /// The column `Name` where it stands beside that of given names and has family names.
  private var shortName: Int? {
    guard let position = found["name"] else { return nil }
    let names = columns[position].distinct
    return 2 * names.count(where: { $0.contains(0x20) }) < names.count ? position : nil
  }

  private mutating func suggestDepartment() {
    let levels = ["company", "business_unit", "division", "department", "team", "section"]
      .compactMap { found[$0] }
    defer { suggest("department_id", field: false) }
    guard !levels.isEmpty else {
      if found["department_id"] != nil {
        result.gaps.append(
          "departments have codes and no names: import a file of departments too, and map its columns "
            + "as departments.id, departments.name and departments.parent_id"
        )
        return
      }
      result.gaps.append("no column looks like a department: add the key department")
      return
    }
    if let path = levels.first(where: { isPath($0, amid: levels) }), let sign = levelSign(of: path)
    {
      add(
        "department",
        levels,
        template(path),
        "a path, \(shown(path))" + (levels.count == 1 ? "" : "; it contains the other levels")
      )
      add(
        "levels",
        [],
        sign,
        "occurs in \(columns[path].count(of: sign)) of \(columns[path].count) values"
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

  /// Whether a column has paths, which hold what the other columns of levels have; otherwise a slash is
  /// part of a department's name.
  private func isPath(_ position: Int, amid levels: [Int]) -> Bool {
    guard let sign = levelSign(of: position) else { return false }
    var parts: Set<[UInt8]> = []
    for path in columns[position].distinct {
      parts.formUnion(CellText.parts(of: path, by: Array(sign.utf8)))
    }
    return levels.allSatisfy { level in
      let names = columns[level].distinct
      return level == position || 2 * names.intersection(parts).count > names.count
    }
  }

  private func levelSign(of position: Int) -> String? {
    let column = columns[position]
    return ColumnValues.levelSigns.first { 3 * column.count(of: $0) > column.count }
  }

  private mutating func suggestSeveral(_ position: Int) {
    let column = columns[position]
    guard let sign = ColumnValues.listSigns.dropLast().first(where: { column.count(of: $0) > 0 })
    else { return }
    add(
      "several",
      [],
      sign,
      "occurs in \(column.count(of: sign)) of \(column.count) values, between departments"
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
      (key, reason) = ("email", "managers are given as email addresses")
    } else if column.count > 0, 2 * column.distinct.intersection(ids).count >= column.distinct.count
    {
      (key, reason) = ("id", "managers are given as ids")
    } else {
      (key, reason) = ("name", "managers are not given as ids, and are treated as names")
    }
    add("people", [], key, reason)
  }

  private mutating func suggestDates() {
    var dates = (dayFirst: 0, monthFirst: 0, ambiguous: 0, short: 0)
    for name in result.fields where KnownField.usual(name)?.kind == .date {
      guard let position = found[name] else { continue }
      dates.dayFirst += columns[position].dates.dayFirst
      dates.monthFirst += columns[position].dates.monthFirst
      dates.ambiguous += columns[position].dates.ambiguous
      dates.short += columns[position].dates.short
    }
    if dates.dayFirst > 0, dates.monthFirst == 0 {
      add(
        "dates",
        [],
        "day first",
        "as in \(dates.dayFirst) of the dates, which cannot be read otherwise"
      )
    } else if dates.monthFirst > 0, dates.dayFirst == 0 {
      add(
        "dates",
        [],
        "month first",
        "as in \(dates.monthFirst) of the dates, which cannot be read otherwise"
      )
    } else if dates.ambiguous > 0 {
      result.gaps.append(
        "dates are ambiguous between day and month: add dates: day first, or month first"
      )
    }
    if dates.short > 0 {
      result.gaps.append(
        "dates have years of two digits: add years: and the first of the hundred years that are meant, "
          + "such as 1950"
      )
    }
  }
}

extension MappingDetector {
  /// Whether names have titles, capitals or commas that are to go.
  private mutating func suggestNames() {
    guard let position = found["name"], found["given_name"] == nil else { return }
    let names = columns[position].distinct
    let others = names.filter { name in
      !Array(ParsedName(String(decoding: name, as: UTF8.self)).whole.utf8).elementsEqual(name)
    }
    guard let first = others.min(by: { $0.lexicographicallyPrecedes($1) }),
      2 * others.count > names.count
    else { return }
    add("names", [], "split", "the names are written like \(QuotedValue.text(first))")
  }

  /// Which rows are of people who have left, begin later, or are not to be read.
  private mutating func suggestRows(today: [UInt8]) {
    for key in ["left", "status", "employment"]
    where !result.lines.contains(where: { $0.key == "left" }) {
      guard let position = found[key] else { continue }
      let values = columns[position].distinct
      let tells = values.contains {
        LeaverWords.contains($0) || key == "status" && Self.isActive($0)
      }
      if key == "left" || tells {
        let value = template(position)
        add("left", [position], value, "says who has left, " + shown(position))
      }
    }
    if let position = found["joined"],
      let later = columns[position].distinct.first(where: { isLater($0, than: today) })
    {
      add(
        "starts",
        [],
        template(position),
        "withholds people until their first day, such as \(QuotedValue.text(later))"
      )
    }
    if let position = found["disabled"],
      let yes = columns[position].distinct.first(where: { BooleanText.value(of: $0) == true })
    {
      add(
        "where",
        [position],
        "\(template(position)) != \(String(decoding: yes, as: UTF8.self))",
        "leaves out disabled accounts"
      )
    }
  }

  private func isLater(_ value: [UInt8], than today: [UInt8]) -> Bool {
    let order = result.lines.first { $0.key == "dates" }
      .flatMap { PersonnelMapping.DateOrder(rawValue: $0.value) }
    guard !today.isEmpty, case .date(let date) = DateText(value, order) else { return false }
    return today.lexicographicallyPrecedes(date)
  }

  private static func isActive(_ value: [UInt8]) -> Bool {
    [
      "active", "aktiv", "actif", "activo", "activa", "attivo", "ativo", "actief", "aktywny",
      "активен", "работает", "在职", "在籍", "재직", "재직중", "正常",
    ].contains(Folding.fold(String(decoding: value, as: UTF8.self)))
  }
}
