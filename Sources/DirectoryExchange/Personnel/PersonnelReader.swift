import DirectoryModel

/// Reads lists as programs for personnel write them, a person a row, by a mapping.
///
/// Departments are made of what people have as theirs: their ids are their paths (`PathText`), as those
/// made of a vCard's `ORG`, or what the mapping says, so that the next list of the same company changes
/// only what changed. A person in several rows has several departments, of which the first is the main
/// one unless the mapping says otherwise. All files of an import are one list.
///
///     for file in files { try reader.learnPeople(of: file) }
///     for file in files { _ = try reader.read(file) }
struct PersonnelReader {
  private typealias Target = PersonnelMapping.Target

  let mapping: PersonnelMapping
  let home: [UInt8]?
  /// The declared fields that the mapping names.
  private let fields: [Field]
  let rows: ListRowMaker
  var departments = PersonnelDepartments()
  private var people = PeopleIndex()
  /// Hashes of the ids that came, since only a person's first row is that of the main department.
  private var seen: Set<UInt64> = []
  private var lost = LostZeros()
  /// Whether fields cannot have got into other columns by a separator too many.
  private var isSheet = false

  init(_ sink: ListSink, _ mapping: PersonnelMapping, _ options: ListOptions) {
    self.mapping = mapping
    home = options.home.map { Array($0.rawValue.utf8) }
    fields = options.fields.of(.user).filter { mapping.columns[Target($0)] != nil }
    rows = ListRowMaker(sink, fields: options.fields)
  }

  /// Whether fields name people by something that has to be looked up.
  private var looksPeopleUp: Bool {
    mapping.people != .id && fields.contains { $0.kind == .person }
  }

  /// Learns whom a file names, before the first is read; what is wrong with it is told then.
  mutating func learnPeople(of file: InputFile) throws(DirectoryError) {
    guard looksPeopleUp else { return }
    let key = mapping.people == .name ? Target.name : Target(.email)
    try Self.forEachRecord(of: file, mapping, nil) { record, columns in
      guard record.count >= columns.count else { return }
      people.add(
        Self.text(columns.values[key], record),
        id: Self.text(columns.values[.id], record)
      )
    }
  }

  /// Reads every row of a file.
  ///
  /// - Returns: What the file came to, but for what is absent.
  mutating func read(_ file: InputFile) throws(DirectoryError) -> ListReading {
    rows.start(file)
    isSheet = file.traits.isSheet
    lost = LostZeros()
    var damage = CellDamage()
    var headings: [String] = []
    try Self.forEachRecord(of: file, mapping, rows) { record, columns in
      headings = columns.headings
      damage.look(at: record, ids: [], only: columns.used)
      take(record, columns)
    }
    for (line, reason) in damage.warnings({ QuotedValue.string(headings[$0]) }) {
      rows.warn(reason, line: line)
    }
    lost.warn(rows)
    return rows.reading
  }

  static func text(_ values: [PersonnelColumns.Value]?, _ record: CSVRecord) -> [UInt8] {
    values.map { PersonnelColumns.text($0[0], record) } ?? []
  }
}

extension PersonnelReader {
  /// Calls `body` with each row below the headings.
  ///
  /// - Parameters:
  ///   - file: The list.
  ///   - mapping: Which columns there are.
  ///   - rows: Gets what is wrong, if it is to be told.
  ///   - body: Gets the row, borrowed for the time of the call.
  /// - Throws: `.badData`, and what reading the file says.
  private static func forEachRecord(
    of file: InputFile,
    _ mapping: PersonnelMapping,
    _ rows: ListRowMaker?,
    _ body: (CSVRecord, PersonnelColumns) -> Void
  ) throws(DirectoryError) {
    var reader = try CSVReader(file)
    let start = mapping.headingLine ?? 0
    var columns: PersonnelColumns?
    while let item = reader.next() {
      switch item {
      case .warning(let warning): rows?.warn(warning.description, line: warning.line)
      case .problem(let problem):
        // What stands above the headings need not be a table.
        if columns == nil, let line = problem.line, line < start { continue }
        rows?.refuse(problem, in: file)
      case .record(let record):
        if record.isEmpty || record.line < start { continue }
        if let columns {
          if columns.isRepeated(record) {
            rows?.warn("repeats the headings, and is left out", line: record.line)
          } else {
            body(record, columns)
          }
        } else {
          do throws(PersonnelColumns.Fault) {
            let found = try PersonnelColumns(record, mapping)
            if let rows { tellUnused(found, record.line, rows) }
            columns = found
          } catch {
            rows?.refuse(error.reason, line: record.line)
            return
          }
        }
      }
    }
    if columns == nil, let rows, rows.isComplete {
      let isThere = mapping.headingLine.map { "has no headings from line \($0) on" }
      rows.refuse(isThere ?? "is empty and has no headings", line: nil)
    }
  }

  private static func tellUnused(_ columns: PersonnelColumns, _ line: Int, _ rows: ListRowMaker) {
    let unused = columns.unused
    guard !unused.isEmpty else { return }
    let shown = unused.prefix(10).map(QuotedValue.string).joined(separator: ", ")
    let further = unused.count > 10 ? " and \(unused.count - 10) more" : ""
    let what = unused.count == 1 ? "the column" : "the columns"
    rows.warn("left out \(what) \(shown)\(further), which the mapping does not name", line: line)
  }

  /// A row without what is wrong with it as a whole.
  private mutating func take(_ record: CSVRecord, _ columns: PersonnelColumns) {
    let (line, count) = (record.line, record.count)
    let further = (columns.count..<max(columns.count, count)).first { !record[$0].isEmpty }
    if let further, isSheet {
      rows.warn("column \(further + 1) has a value and no heading, and is left out", line: line)
    }
    guard count >= columns.count, further == nil || isSheet else {
      let reason =
        count > columns.count
        ? ""
        : record.isEnded
          ? "; if it is a footer, remove it"
          : "; the file ends in this line and may be truncated"
      return rows.refuse(
        "has \(count) field\(count == 1 ? "" : "s"), but there are \(columns.count) headings\(reason)",
        line: line
      )
    }
    let id = Self.text(columns.values[.id], record)
    guard !id.withUnsafeBytes({ CellDamage.isShortened($0) }) else {
      return rows.refuse(
        "id \(QuotedValue.text(id)) is a number that a spreadsheet has shortened; export the list "
          + "again with the column as text",
        line: line,
        id: id
      )
    }
    lost.look(id: id, line: line)
    do throws(PersonnelFault) {
      try takePerson(id, record, columns)
    } catch {
      rows.refuse(error.reason, line: line, id: id)
    }
  }
}

/// Why a row is left out.
struct PersonnelFault: Error {
  var reason: String
}

extension PersonnelReader {
  private mutating func takePerson(
    _ id: [UInt8],
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) throws(PersonnelFault) {
    func text(_ target: Target) -> [UInt8] {
      Self.text(columns.values[target], record)
    }
    func truth(_ target: Target) throws(PersonnelFault) -> Bool {
      let value = text(target)
      if let truth = WrittenTruth.value(of: value) { return truth }
      throw PersonnelFault(
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
    rows.begin(.user, id: id, parent: places.first, name: text(.name))
    rows.set(.title, title)
    rows.set(.primary, isPrimary)
    rows.set(.sortOrder, text(.sortOrder))
    if leads { rows.set(.leads, true) }
    for contact in Field.contacts {
      let value = text(Target(contact))
      if Self.isNoValue(value) { continue }
      rows.set(.contact(contact), value)
      if contact.kind == .phone {
        lost.look(phone: value, of: contact.name, id: id, line: record.line)
      }
    }
    for field in fields {
      let values = try values(of: field, text(Target(field)), id, record.line)
      rows.set(field: field.name, values)
    }
    guard rows.finish(line: record.line) else { return }
    for place in places.dropFirst() {
      rows.handMembership(
        line: record.line,
        user: id,
        department: place,
        title: title,
        leads: leads
      )
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
  ) throws(PersonnelFault) -> [[UInt8]] {
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
        switch WrittenDate(values[index], mapping.dates) {
        case .date(let date): values[index] = date
        case .unknown: break
        case .contradictory:
          let dates = mapping.dates?.rawValue ?? ""
          throw PersonnelFault(reason: "\(shown) contradicts the mapping's dates: \(dates)")
        case .ambiguous:
          throw PersonnelFault(
            reason: "\(shown) does not tell the day from the month; add dates: day first, or "
              + "dates: month first, to the mapping"
          )
        }
      }
    case .person where mapping.people != .id:
      return values.compactMap { person($0, field, id, line) }
    case .text, .email, .url, .person: break
    }
    return values
  }

  /// The id of somebody whom a field names; what cannot be found is told and left out.
  private func person(_ value: [UInt8], _ field: Field, _ id: [UInt8], _ line: Int) -> [UInt8]? {
    let reason: String
    switch people.look(for: value) {
    case .id(let found): return found
    case .nobody: reason = "is nobody's \(mapping.people.rawValue) in the files"
    case .several: reason = "is the \(mapping.people.rawValue) of several people"
    }
    let shown = QuotedValue.text(value)
    rows.warn("\(field.name) \(shown) \(reason), and is left out", line: line, id: id)
    return nil
  }
}
