import DirectoryModel

/// Reads lists as programs for personnel write them, a person a row, by a mapping.
///
/// Departments are made of what people have as theirs: their ids are their paths (`PathText`), as those
/// made of a vCard's `ORG`, or what the mapping says, so that the next list of the same company changes
/// only what changed. A person in several rows has several departments, of which the first is the
/// primary one unless the mapping says otherwise. All files of an import are one list.
///
///     for file in files { try reader.learn(file) }
///     for file in files { _ = try reader.read(file) }
struct PersonnelReader {
  private typealias Target = PersonnelMapping.Target

  let mapping: PersonnelMapping
  let home: [UInt8]?
  /// The declared fields that the mapping names.
  private let fields: [Field]
  /// Names of the mapped fields of departments that name people.
  private let departmentFieldsOfPeople: Set<String>
  let rows: ListRowBuilder
  var departments = PersonnelDepartments()
  private var people = PeopleIndex()
  /// Files that the list is joined with.
  private var tables: [JoinedTable] = []
  private let completion = RowCompletion()
  /// Hashes of the ids that came, since only a person's first row is that of the primary
  /// department.
  private var seen: Set<UInt64> = []
  private var lost: LeadingZeroCheck
  private var doubts: PersonnelWarnings
  private var omitted: OmittedRows
  private var statuses: StatusWords
  /// Of the day on which the list is read, as `2026-03-01`.
  private let today: [UInt8]
  /// Whether fields cannot have got into other columns by a separator too many.
  private var isSheet = false

  init(_ sink: ListSink, _ mapping: PersonnelMapping, _ options: ListOptions) {
    self.mapping = mapping
    home = options.home.map { Array($0.rawValue.utf8) }
    today = Array(options.today.utf8)
    fields = options.fields.of(.user).filter { mapping.columns[Target($0)] != nil }
    departmentFieldsOfPeople = Set(
      options.fields.of(.department).filter { $0.kind == .person }.map(\.name)
    ).intersection(mapping.departmentColumns.keys)
    rows = ListRowBuilder(sink, fields: options.fields)
    let keepsAll = rows.keepsWarnings
    lost = LeadingZeroCheck(keepsAll: keepsAll)
    doubts = PersonnelWarnings(keepsAll: keepsAll)
    omitted = OmittedRows(keepsAll: keepsAll)
    statuses = StatusWords(keepsAll: keepsAll)
  }

  /// Whether fields of people or departments name people.
  private var looksPeopleUp: Bool {
    fields.contains { $0.kind == .person } || !departmentFieldsOfPeople.isEmpty
  }

  /// Takes a file that the list is joined with, before the first list is learned.
  mutating func join(_ file: InputFile) throws(DirectoryError) {
    guard case .joined(let place) = try PersonnelFile(file, mapping) else { return }
    rows.start(file)
    var table = JoinedTable(mapping.joins[place], of: file)
    var reader = try CSVReader(file)
    while let item = reader.next() {
      switch item {
      case .record(let record):
        if let reason = table.take(record) { rows.refuse(reason, line: record.line) }
      case .problem(let problem): rows.report(problem, in: file)
      }
    }
    tables.append(table)
  }

  /// Throws where a join has no file.
  func requireTables() throws(DirectoryError) {
    guard let missing = mapping.joins.first(where: { join in !tables.contains { $0.join == join } })
    else { return }
    throw DirectoryError(
      .noInput,
      "cannot import: none of the files has the column \(QuotedValue.string(missing.other)), which "
        + "the mapping joins with \(QuotedValue.string(missing.column))",
      advice: "also name the file that has it"
    )
  }

  /// Learns whom a file names and how it writes departments, before the first is read; what is wrong
  /// with it is told then.
  mutating func learn(_ file: InputFile) throws(DirectoryError) {
    guard try PersonnelFile(file, mapping) == .people,
      looksPeopleUp || mapping.columns[.department].map({ $0.onlyText == nil }) == true
    else { return }
    let completion = RowCompletion()
    try forEachRecord(of: file, mapping, isTold: false) { reader, record, columns in
      guard record.count >= columns.count else { return }
      completion.complete(record, columns, reader.tables) { row in
        if reader.looksPeopleUp {
          reader.learnPerson(row, columns)
        }
        reader.learnDepartments(row, columns)
      }
    }
  }

  private mutating func learnPerson(_ row: CSVRecord, _ columns: PersonnelColumns) {
    let name = Self.text(columns.values[.name], row)
    let distinguishedName = columns.distinguishedName.map {
      PersonnelColumns.text([.position($0)], row)
    }
    people.add(
      PeopleIndex.Person(
        id: Self.text(columns.values[.id], row),
        name: mapping.people == .name ? written(name: name) : name,
        address: Self.text(columns.values[Target(.email)], row),
        number: Self.text(columns.values[.employeeNumber], row),
        distinguishedName: distinguishedName ?? []
      )
    )
  }

  /// A name as it is to be written, where the mapping says so.
  private func written(name text: [UInt8]) -> [UInt8] {
    guard mapping.names == .split else { return text }
    return Array(ParsedName(String(decoding: text, as: UTF8.self)).whole.utf8)
  }

  /// Reads every row of a file.
  ///
  /// - Returns: What the file came to, but for what is absent.
  mutating func read(_ file: InputFile) throws(DirectoryError) -> ListReport {
    rows.start(file)
    isSheet = file.traits.isSheet
    switch try PersonnelFile(file, mapping) {
    case .people: try readPeople(file)
    case .departments: try readDepartments(file)
    // It has been read.
    case .joined: break
    }
    return rows.reading
  }

  private mutating func readPeople(_ file: InputFile) throws(DirectoryError) {
    lost = LeadingZeroCheck(keepsAll: rows.keepsWarnings)
    var damage = SpreadsheetDamage(keepsAll: rows.keepsWarnings)
    var headings: [String] = []
    try forEachRecord(of: file, mapping, isTold: true) { reader, record, columns in
      headings = columns.headings
      damage.look(
        at: record,
        ids: [],
        only: columns.used,
        refused: columns.positions(of: .id)
      )
      reader.take(record, columns)
    }
    for (summary, all) in damage.warnings({ QuotedValue.string(headings[$0]) }) {
      rows.warn(summary, of: all)
    }
    lost.warn(rows)
    completion.warn(rows, tables)
    doubts.warn(rows)
    omitted.warn(rows)
    statuses.warn(rows)
  }

  static func text(_ values: [PersonnelColumns.Value]?, _ record: CSVRecord) -> [UInt8] {
    values.map { PersonnelColumns.text($0[0], record) } ?? []
  }
}

extension PersonnelReader {
  /// Calls `body` with each row below the headings, which are the first line that has the columns of
  /// the mapping.
  ///
  /// - Parameters:
  ///   - file: The list.
  ///   - mapping: Which columns there are.
  ///   - isTold: Whether what is wrong is told.
  ///   - body: Gets the row, borrowed for the time of the call.
  /// - Throws: `.badData`, and what reading the file says.
  private mutating func forEachRecord(
    of file: InputFile,
    _ mapping: PersonnelMapping,
    isTold: Bool,
    _ body: (inout PersonnelReader, CSVRecord, PersonnelColumns) -> Void
  ) throws(DirectoryError) {
    var reader = try CSVReader(file)
    let rows = isTold ? self.rows : nil
    let start = mapping.headingLine ?? 0
    var columns: PersonnelColumns?
    // Why the first line is not the headings; lines of titles may stand above them.
    var fault: (line: Int, reason: String)?
    var tried = 0
    search: while let item = reader.next() {
      switch item {
      case .problem(let problem):
        // What stands above the headings need not be a table.
        if columns == nil, let line = problem.line, line < start || fault != nil { continue }
        rows?.report(problem, in: file)
      case .record(let record):
        if record.line < start { continue }
        if let columns {
          if columns.isRepeated(record) {
            rows?.warn("repeats the headings, and is left out", line: record.line)
          } else {
            body(&self, record, columns)
          }
          continue
        }
        do throws(PersonnelColumns.Fault) {
          let found = try PersonnelColumns(record, mapping, mapping.joins.isEmpty ? [] : tables)
          if let fault { rows?.warn("ignored the lines above the headings", line: fault.line) }
          if let rows { Self.tellUnused(found, record.line, rows) }
          columns = found
        } catch {
          tried += 1
          if fault == nil { fault = (record.line, error.reason) }
          guard error.isMissing, mapping.headingLine == nil, tried < PersonnelFile.mostHeadings
          else { break search }
        }
      }
    }
    guard columns == nil, let rows, rows.isComplete else { return }
    if let fault { return rows.refuse(fault.reason, line: fault.line) }
    let isThere = mapping.headingLine.map { "has no headings from line \($0) on" }
    rows.refuse(isThere ?? "is empty and has no headings", line: nil)
  }

  private static func tellUnused(_ columns: PersonnelColumns, _ line: Int, _ rows: ListRowBuilder) {
    let unused = columns.unused
    guard !unused.isEmpty else { return }
    let shown = unused.prefix(10).map(QuotedValue.string).joined(separator: ", ")
    let further = unused.count > 10 ? " and \(unused.count - 10) more" : ""
    let what = unused.count == 1 ? "the column" : "the columns"
    rows.warn("left out \(what) \(shown)\(further), which the mapping does not name", line: line)
  }

  /// A row without what is wrong with it as a whole.
  private mutating func take(_ record: CSVRecord, _ columns: PersonnelColumns) {
    let line = record.line
    if let omission = NoteRow.kind(of: record, columns) {
      return omitted.note(omission, record)
    }
    let further = (columns.count..<max(columns.count, record.count)).first { !record[$0].isEmpty }
    if let further, isSheet {
      rows.warn("column \(further + 1) has a value and no heading, and is left out", line: line)
    }
    if record.count < columns.count || further != nil && !isSheet,
      let fault = record.lengthFault(headings: columns.count)
    {
      let isFooter = record.count < columns.count && record.isEnded
      return rows.refuse(fault + (isFooter ? "; if it is a footer, remove it" : ""), line: line)
    }
    completion.complete(record, columns, tables) { takeWhole($0, columns) }
  }

  /// A row with everything that belongs to it.
  private mutating func takeWhole(_ record: CSVRecord, _ columns: PersonnelColumns) {
    for (place, condition) in mapping.conditions.enumerated()
    where !condition.isMet(by: Self.text(columns.values[.condition(place)], record)) {
      return omit(.condition, record, columns)
    }
    let line = record.line
    let id = Self.text(columns.values[.id], record)
    guard !id.withUnsafeBytes({ SpreadsheetDamage.isShortened($0) }) else {
      return rows.refuse(
        "id \(QuotedValue.text(id)) is a number that a spreadsheet has shortened; export the list "
          + "again with the column as text",
        line: line,
        id: id
      )
    }
    lost.look(id: id, line: line)
    do throws(PersonnelListError) {
      if try hasLeft(record, columns) { return takeLeaver(id, record, columns) }
      if try startsLater(record, columns) { return omit(.notBegun, record, columns) }
      try takePerson(id, record, columns)
    } catch {
      rows.refuse(error.reason, line: line, id: id)
    }
  }
}

extension PersonnelReader {
  /// Leaves out a person's row, and notes the number and the name.
  private mutating func omit(
    _ kind: OmittedRows.Kind,
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) {
    omitted.note(
      kind,
      record,
      id: Self.text(columns.values[.id], record),
      name: written(name: Self.text(columns.values[.name], record))
    )
  }

  /// Whether a row says that the person has left: a date in the past, yes, or a word for it.
  ///
  /// A day of leaving is the last day: who leaves today is still there, which is told. So is a word that
  /// is known neither for people who have left nor for those who are there.
  private mutating func hasLeft(
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) throws(PersonnelListError) -> Bool {
    let value = Self.text(columns.values[.left], record)
    if value.isEmpty { return false }
    if let leaving = mapping.leaving { return leaving.isMet(by: value) }
    if let date = try date(value, of: .left) {
      if date == today {
        let written = written(name: Self.text(columns.values[.name], record))
        let id = Self.text(columns.values[.id], record)
        doubts.note(.leavesToday, QuotedValue.text(written), id, record.line)
      }
      return date.lexicographicallyPrecedes(today)
    }
    if let truth = BooleanText.value(of: value) { return truth }
    if LeaverWords.contains(value) { return true }
    if Self.isNoValue(value) { return false }
    statuses.look(at: value, Self.text(columns.values[.id], record), record.line)
    return false
  }

  private func startsLater(
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) throws(PersonnelListError) -> Bool {
    let value = Self.text(columns.values[.starts], record)
    return try date(value, of: .starts).map { today.lexicographicallyPrecedes($0) } ?? false
  }

  /// `nil` for a text that is not a date.
  private func date(
    _ value: [UInt8],
    of target: PersonnelMapping.Target
  ) throws(PersonnelListError) -> [UInt8]? {
    try date(value, "\(target.key) \(QuotedValue.text(value))")
  }

  /// - Parameters:
  ///   - value: The text.
  ///   - shown: What it is, for messages.
  /// - Returns: The date as ISO 8601 has it, or `nil` for a text that is not a date.
  /// - Throws: Where the day, the month or the century cannot be told.
  private func date(
    _ value: [UInt8],
    _ shown: @autoclosure () -> String
  ) throws(PersonnelListError) -> [UInt8]? {
    switch DateText(value, mapping.dates, from: mapping.firstYear) {
    case .date(let date): return date
    case .unknown: return nil
    case .contradictory:
      let dates = mapping.dates?.rawValue ?? ""
      throw PersonnelListError(reason: "\(shown()) contradicts the mapping's dates: \(dates)")
    case .ambiguous:
      throw PersonnelListError(
        reason: "\(shown()) is ambiguous between day and month; add dates: day first, or "
          + "dates: month first, to the mapping"
      )
    case .shortYear:
      throw PersonnelListError(
        reason: "\(shown()) has a year of two digits; add years: 1950, or another first of the "
          + "hundred years that are meant, to the mapping"
      )
    }
  }

  /// Hands on who has left: enough to find their record.
  private mutating func takeLeaver(
    _ id: [UInt8],
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) {
    omit(.left, record, columns)
    let isLead = BooleanText.value(of: Self.text(columns.values[.leads], record)) == true
    let written = written(name: Self.text(columns.values[.name], record))
    if isLead { doubts.note(.leadLeft, QuotedValue.text(written), id, record.line) }
    rows.begin(.user, id: id, parent: nil, name: written)
    for contact in Field.contacts {
      rows.set(.contact(contact), Self.text(columns.values[Target(contact)], record))
    }
    rows.finish(line: record.line, hasLeft: true)
  }

  /// Reads a file of departments, which has each in a row.
  private mutating func readDepartments(_ file: InputFile) throws(DirectoryError) {
    let mapping = mapping.ofDepartments
    let names = rows.fieldNames(of: .department).filter {
      mapping.columns[Target($0)] != nil
    }
    try forEachRecord(of: file, mapping, isTold: true) { reader, record, columns in
      func text(_ target: Target) -> [UInt8] {
        Self.text(columns.values[target], record)
      }
      if let omission = NoteRow.kind(of: record, columns) {
        return reader.omitted.note(omission, record)
      }
      let rows = reader.rows
      if let fault = record.lengthFault(headings: columns.count) {
        return rows.refuse(fault, line: record.line)
      }
      let (id, parent) = (text(.id), text(.department))
      // Some programs have the topmost department above itself.
      rows.begin(.department, id: id, parent: parent == id ? nil : parent, name: text(.name))
      rows.set(.description, text(Target(TableColumn.description.name)))
      rows.set(.sortOrder, text(.sortOrder))
      for name in names {
        var value: [UInt8]? = text(Target(name))
        if reader.departmentFieldsOfPeople.contains(name), let named = value, !named.isEmpty {
          value = Self.isNoValue(named) ? nil : reader.person(named, name, id, record.line)
        }
        rows.set(field: name, value.map { [$0] } ?? [])
      }
      rows.finish(line: record.line)
    }
    omitted.warn(rows)
  }
}

/// Why a row is left out.
struct PersonnelListError: Error {
  var reason: String
}

extension PersonnelReader {
  private mutating func takePerson(
    _ id: [UInt8],
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) throws(PersonnelListError) {
    func text(_ target: Target) -> [UInt8] {
      Self.text(columns.values[target], record)
    }
    func truth(_ target: Target) throws(PersonnelListError) -> Bool {
      let value = text(target)
      if let truth = BooleanText.value(of: value) { return truth }
      throw PersonnelListError(
        reason: "\(target.key) \(QuotedValue.text(value)) is neither yes nor no"
      )
    }
    var places = try departmentIDs(record, columns)
    if places.isEmpty, let home { places = [home] }
    let isPrimary =
      columns.values[.primary] != nil
      ? try truth(.primary) : seen.insert(id.withUnsafeBytes { XXHash64.digest($0) }).inserted
    let leads = try truth(.leads)
    let title = text(.title)
    let parts =
      mapping.names == .split ? ParsedName(String(decoding: text(.name), as: UTF8.self)) : nil
    let name = parts.map { Array($0.whole.utf8) } ?? text(.name)
    let line = record.line
    rows.begin(.user, id: id, parent: places.first, name: name)
    doubts.look(at: name, of: "name", .text, id, line)
    doubts.look(at: title, of: "title", .text, id, line)
    for place in places { doubts.look(name: name, in: place, id, line) }
    rows.set(.title, title)
    rows.set(.primary, isPrimary)
    rows.set(.sortOrder, text(.sortOrder))
    if leads { rows.set(.leads, true) }
    for contact in Field.contacts {
      let value = text(Target(contact))
      if Self.isNoValue(value) { continue }
      rows.set(.contact(contact), value)
      doubts.look(at: value, of: contact.name, contact.kind, id, line)
      if contact.kind == .phone {
        lost.look(phone: value, of: contact.name, id: id, line: line)
      }
    }
    for field in fields {
      let values = try values(of: field, text(Target(field)), id, record.line)
      for value in values { doubts.look(at: value, of: field.name, field.kind, id, line) }
      if field.name == "manager", values.contains(id) {
        doubts.note(.ownManager, QuotedValue.text(name), id, line)
      }
      rows.set(field: field.name, values)
    }
    if let parts { setParts(parts, id, line) }
    guard rows.finish(line: line) else { return }
    for place in places.dropFirst() {
      rows.handMembership(
        line: line,
        user: id,
        department: place,
        title: title,
        leads: leads
      )
    }
  }

  /// Sets the fields that hold parts of the name, unless a column is mapped to them.
  private mutating func setParts(_ parts: ParsedName, _ id: [UInt8], _ line: Int) {
    for (field, part) in [
      ("given_name", parts.given), ("family_name", parts.family), ("name_prefix", parts.prefix),
      ("name_suffix", parts.suffix),
    ] where mapping.columns[Target(field)] == nil && !part.isEmpty {
      if rows.hasField(field) {
        rows.set(field: field, [Array(part.utf8)])
      } else if field.hasPrefix("name_") {
        doubts.note(.namePart, QuotedValue.string(part), id, line)
      }
    }
  }

  /// What lists have in place of an address, a number, a date or a person that there is not; the last
  /// one is SuccessFactors' own.
  private static let noValues = [
    "-", "--", "–", "—", "n/a", "#n/a", "k.a.", "k. a.", "无", "なし", "no_manager",
  ].map { Array($0.utf8) }

  private static func isNoValue(_ value: [UInt8]) -> Bool {
    guard value.count <= 10 else { return false }
    let lower = value.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return noValues.contains(lower)
  }

  private mutating func values(
    of field: Field,
    _ value: [UInt8],
    _ id: [UInt8],
    _ line: Int
  ) throws(PersonnelListError) -> [[UInt8]] {
    let sign = mapping.several.isEmpty ? [UInt8(ascii: ";")] : mapping.several
    var values =
      field.isMultiple ? CellText.parts(of: value, by: sign) : value.isEmpty ? [] : [value]
    if field.kind != .text { values.removeAll { Self.isNoValue($0) } }
    switch field.kind {
    case .phone:
      for value in values { lost.look(phone: value, of: field.name, id: id, line: line) }
    case .date:
      for index in values.indices {
        let shown = "\(field.name) \(QuotedValue.text(values[index]))"
        if let date = try date(values[index], shown) { values[index] = date }
      }
    case .person: return values.compactMap { person($0, field.name, id, line) }
    case .text, .email, .url: break
    }
    return values
  }

  /// The id of a person whom a field names; a text that several people of the list fit is told and left
  /// out, and one that nobody fits is looked up in the directory.
  private func person(_ value: [UInt8], _ field: String, _ id: [UInt8], _ line: Int) -> [UInt8]? {
    let reason: String
    switch people.look(for: value) {
    case .id(let found), .number(let found): return found
    case .none where mapping.people == .id: return value
    case .none:
      if let unlisted = UnlistedPerson.value(value) { return unlisted }
      reason = "matches no \(mapping.people.rawValue) in the files"
    case .several:
      let key = mapping.people == .email ? "email" : "name"
      reason = "is the \(key) of several people"
    }
    let shown = QuotedValue.text(value)
    rows.warn("\(field) \(shown) \(reason), and is left out", line: line, id: id)
    return nil
  }
}
