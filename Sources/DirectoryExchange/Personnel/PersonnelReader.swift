import DirectoryModel

/// Reads lists as programs for personnel write them, a person a row, by a mapping.
///
/// Departments are made of what people have as theirs: their ids are their paths (`PathText`), as those
/// made of a vCard's `ORG`, or what the mapping says, so that the next list of the same company changes
/// only what changed. A person in several rows has several departments, of which the first is the main
/// one unless the mapping says otherwise. All files of an import are one list.
///
///     for file in files { try reader.learnPeople(of: file) }
///     for file in files { _ = try reader.read(file, &problems) { … } }
struct PersonnelReader {
  private typealias Target = PersonnelMapping.Target

  let mapping: PersonnelMapping
  let home: [UInt8]?
  /// The declared fields that the mapping names.
  private let fields: [Field]
  var rows: ListRowMaker
  var departments = PersonnelDepartments()
  private var people = PeopleIndex()
  /// Hashes of the ids that came, since only a person's first row is that of the main department.
  private var seen: Set<UInt64> = []
  private var lost = LostZeros()
  /// Whether fields cannot have got into other columns by a separator too many.
  private var isSheet = false
  private(set) var reading = ListReading()

  init(_ mapping: PersonnelMapping, _ options: ListOptions) {
    self.mapping = mapping
    home = options.home.map { Array($0.rawValue.utf8) }
    fields = options.fields.of(.user).filter { mapping.columns[Target($0)] != nil }
    rows = ListRowMaker(file: "", fields: options.fields)
  }

  /// Columns that no row of any file had.
  var absent: ListAbsence { rows.absent }

  /// Whether fields name people by something that has to be looked up.
  private var looksPeopleUp: Bool {
    mapping.people != .id && fields.contains { $0.kind == .person }
  }

  /// Learns whom a file names, before the first is read; what is wrong with it is told then.
  mutating func learnPeople(of file: InputFile) throws(DirectoryError) {
    guard looksPeopleUp else { return }
    let key = mapping.people == .name ? Target.name : Target(.email)
    var ignored = ProblemList(limit: 0)
    _ = try Self.forEachRecord(of: file, mapping, &ignored) { record, columns, _ in
      guard record.count >= columns.count else { return }
      people.add(
        Self.text(columns.values[key], record),
        id: Self.text(columns.values[.id], record)
      )
    }
  }

  /// Calls `body` with every row of a file, and collects what is wrong.
  ///
  /// - Returns: What the file came to, but for what is absent.
  mutating func read(
    _ file: InputFile,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(DirectoryError) -> ListReading {
    reading = ListReading()
    rows.file = file.name
    isSheet = file.traits.isSheet
    lost = LostZeros()
    var damage = CellDamage()
    var headings: [String] = []
    let isWhole = try Self.forEachRecord(of: file, mapping, &problems) {
      record,
      columns,
      problems in
      headings = columns.headings
      damage.look(at: record, ids: [], only: columns.used)
      take(record, columns, &problems, body)
    }
    if !isWhole { reading.isComplete = false }
    for (line, reason) in damage.warnings({ QuotedValue.string(headings[$0]) }) {
      problems.warn(InputProblem(file: file.name, line: line, reason: reason))
    }
    lost.warn(file.name, &problems)
    return reading
  }

  static func text(_ values: [PersonnelColumns.Value]?, _ record: CSVRecord) -> [UInt8] {
    values.map { PersonnelColumns.text($0[0], record) } ?? []
  }
}

extension PersonnelReader {
  /// Calls `body` with each row below the headings.
  ///
  /// - Returns: Whether all of the file was handed on.
  private static func forEachRecord(
    of file: InputFile,
    _ mapping: PersonnelMapping,
    _ problems: inout ProblemList,
    _ body: (CSVRecord, PersonnelColumns, inout ProblemList) -> Void
  ) throws(DirectoryError) -> Bool {
    try file.rewind()
    var reader = CSVReader(reading: file.descriptor, countsRows: file.traits.isSheet)
    var columns: PersonnelColumns?
    var isWhole = true
    while let item = reader.next() {
      switch item {
      case .warning(let warning):
        problems.warn(
          InputProblem(file: file.name, line: warning.line, reason: warning.description)
        )
      case .problem(let problem):
        // What stands above the headings need not be a table.
        if columns == nil, let line = problem.line, line < mapping.headingLine ?? 0 { continue }
        problems.add(problem, in: file)
        isWhole = false
      case .record(let record):
        if record.isEmpty || record.line < mapping.headingLine ?? 0 { continue }
        if let columns {
          if columns.isRepeated(record) {
            problems.warn(
              InputProblem(
                file: file.name,
                line: record.line,
                reason: "repeats the headings, and is left out"
              )
            )
          } else {
            body(record, columns, &problems)
          }
        } else {
          do throws(PersonnelColumns.Fault) {
            let found = try PersonnelColumns(record, mapping)
            tellUnused(found, file, record.line, &problems)
            columns = found
          } catch {
            problems.add(InputProblem(file: file.name, line: record.line, reason: error.reason))
            return false
          }
        }
      }
    }
    if columns == nil, isWhole {
      let isThere = mapping.headingLine.map { "has no headings from line \($0) on" }
      problems.add(InputProblem(file: file.name, reason: isThere ?? "is empty and has no headings"))
      isWhole = false
    }
    return isWhole
  }

  private static func tellUnused(
    _ columns: PersonnelColumns,
    _ file: InputFile,
    _ line: Int,
    _ problems: inout ProblemList
  ) {
    let unused = columns.unused
    guard !unused.isEmpty else { return }
    let shown = unused.prefix(10).map(QuotedValue.string).joined(separator: ", ")
    let further = unused.count > 10 ? " and \(unused.count - 10) more" : ""
    let what = unused.count == 1 ? "the column" : "the columns"
    problems.warn(
      InputProblem(
        file: file.name,
        line: line,
        reason: "left out \(what) \(shown)\(further), which the mapping does not name"
      )
    )
  }

  /// A row without what is wrong with it as a whole.
  private mutating func take(
    _ record: CSVRecord,
    _ columns: PersonnelColumns,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) {
    let further = (columns.count..<max(columns.count, record.count)).first { !record[$0].isEmpty }
    if let further, isSheet {
      problems.warn(
        problem(record, [], "column \(further + 1) has a value and no heading, and is left out")
      )
    }
    guard record.count >= columns.count, further == nil || isSheet else {
      let isMaybeCut = !record.isEnded && record.count < columns.count
      refuse(
        record,
        [],
        "has \(record.count) field\(record.count == 1 ? "" : "s"), but there are \(columns.count) headings"
          + (isMaybeCut
            ? "; the file ends in this line and may be truncated"
            : record.count < columns.count ? "; if it is a footer, remove it" : ""),
        &problems
      )
      return
    }
    let id = Self.text(columns.values[.id], record)
    if id.withUnsafeBytes({ CellDamage.isShortened($0) }) {
      let shown = id.withUnsafeBytes { QuotedValue.text($0) }
      refuse(
        record,
        id,
        "id \(shown) is a number that a spreadsheet has shortened; export the list again with the "
          + "column as text",
        &problems
      )
      return
    }
    lost.look(id: id, line: record.line)
    takePerson(id, record, columns, &problems, body)
  }

  /// Notes that a row is not among those that were handed on.
  mutating func noteLeftOut() { reading.isComplete = false }

  mutating func refuse(
    _ record: CSVRecord,
    _ id: [UInt8],
    _ reason: String,
    _ problems: inout ProblemList
  ) {
    reading.isComplete = false
    problems.add(problem(record, id, reason))
  }

  private func problem(_ record: CSVRecord, _ id: [UInt8], _ reason: String) -> InputProblem {
    InputProblem(
      file: rows.file,
      line: record.line,
      id: (1...DirectoryLimits.idBytes).contains(id.count)
        ? String(decoding: id, as: UTF8.self) : nil,
      reason: reason
    )
  }
}

extension PersonnelReader {
  private mutating func takePerson(
    _ id: [UInt8],
    _ record: CSVRecord,
    _ columns: PersonnelColumns,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) {
    func text(_ target: Target) -> [UInt8] {
      Self.text(columns.values[target], record)
    }
    var places: [[UInt8]] = []
    do throws(PersonnelDepartments.Fault) {
      places = try departmentIDs(record, columns, &problems, body)
    } catch {
      refuse(record, id, error.reason, &problems)
      return
    }
    if places.isEmpty, let home { places = [home] }
    let isPrimary: Bool
    if columns.values[.primary] != nil {
      guard let truth = WrittenTruth.value(of: text(.primary)) else {
        return refuseTruth(.primary, text(.primary), record, id, &problems)
      }
      isPrimary = truth
    } else {
      isPrimary = seen.insert(id.withUnsafeBytes { XXHash64.digest($0) }).inserted
    }
    guard let leads = WrittenTruth.value(of: text(.leads)) else {
      return refuseTruth(.leads, text(.leads), record, id, &problems)
    }
    let title = text(.title)
    rows.begin()
    rows.set(.kind, "user")
    rows.set(.id, id)
    rows.set(.name, text(.name))
    rows.set(.title, title)
    if let place = places.first { rows.set(.parent, place) }
    rows.set(.primary, isPrimary ? "true" : "false")
    rows.set(.sortOrder, text(.sortOrder))
    if leads { rows.set(.leads, "true") }
    for contact in Field.contacts {
      var value = text(Target(contact))
      if Self.isNoValue(value) { value = [] }
      rows.set(.contact(contact), value)
      if contact.kind == .phone {
        lost.look(phone: value, of: contact.name, id: id, line: record.line)
      }
    }
    for field in fields {
      guard setField(field, text(Target(field)), id, record, &problems) else { return }
    }
    guard rows.finish(line: record.line, &problems, body) else {
      reading.isComplete = false
      return
    }
    reading.rowCount += 1
    for place in places.dropFirst() {
      rows.handMembership(
        line: record.line,
        user: id,
        department: place,
        title: title,
        leads: leads,
        &problems,
        body
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

  private mutating func refuseTruth(
    _ target: Target,
    _ value: [UInt8],
    _ record: CSVRecord,
    _ id: [UInt8],
    _ problems: inout ProblemList
  ) {
    let shown = value.withUnsafeBytes { QuotedValue.text($0) }
    refuse(record, id, "\(target.key) \(shown) is neither yes nor no", &problems)
  }

  /// - Returns: Whether the row may go on; otherwise it was refused.
  private mutating func setField(
    _ field: Field,
    _ value: [UInt8],
    _ id: [UInt8],
    _ record: CSVRecord,
    _ problems: inout ProblemList
  ) -> Bool {
    let sign = mapping.several.isEmpty ? [UInt8(ascii: ";")] : mapping.several
    var values =
      field.isMultiple ? CellText.parts(of: value, by: sign) : value.isEmpty ? [] : [value]
    if field.kind != .text { values.removeAll { Self.isNoValue($0) } }
    switch field.kind {
    case .phone:
      for value in values { lost.look(phone: value, of: field.name, id: id, line: record.line) }
    case .date:
      for index in values.indices {
        switch WrittenDate(values[index], mapping.dates) {
        case .date(let date): values[index] = date
        case .unknown: break
        case .contradictory:
          let shown = values[index].withUnsafeBytes { QuotedValue.text($0) }
          refuse(
            record,
            id,
            "\(field.name) \(shown) contradicts the mapping's dates: \(mapping.dates?.rawValue ?? "")",
            &problems
          )
          return false
        case .ambiguous:
          let shown = values[index].withUnsafeBytes { QuotedValue.text($0) }
          refuse(
            record,
            id,
            "\(field.name) \(shown) does not tell the day from the month; add dates: day first, or "
              + "dates: month first, to the mapping",
            &problems
          )
          return false
        }
      }
    case .person where mapping.people != .id:
      values = values.compactMap { person($0, field, id, record, &problems) }
    case .text, .email, .url, .person: break
    }
    rows.set(field: field.name, values)
    return true
  }

  /// The id of somebody whom a field names; what cannot be found is told and left out.
  private func person(
    _ value: [UInt8],
    _ field: Field,
    _ id: [UInt8],
    _ record: CSVRecord,
    _ problems: inout ProblemList
  ) -> [UInt8]? {
    let reason: String
    switch people.look(for: value) {
    case .id(let found): return found
    case .nobody: reason = "is nobody's \(mapping.people.rawValue) in the files"
    case .several: reason = "is the \(mapping.people.rawValue) of several people"
    }
    let shown = value.withUnsafeBytes { QuotedValue.text($0) }
    problems.warn(problem(record, id, "\(field.name) \(shown) \(reason), and is left out"))
    return nil
  }
}
