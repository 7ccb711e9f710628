import DirectoryModel

/// Makes rows of a list from values that come one by one, and holds them to the same rules as the
/// rows of a CSV file.
///
/// A value that appears in no row of the whole file counts as a column that the file does not have.
struct ListRowMaker {
  typealias Column = ListLayout.Column

  private let header: CSVHeader<Column>
  /// Places in `values` by the names of declared fields.
  private let places: [String: Int]
  /// Values of declared fields of the row.
  private var values: [[[UInt8]]]

  /// The file that rows stand in, for problems.
  var file: String
  private var text: [UInt8] = []
  private var fields: [CSVField]
  /// Columns of departments, and of people, that had a value in some row.
  private var seenOfDepartments: Set<Column> = []
  private var seenOfPeople: Set<Column> = []
  /// Names of declared fields that had a value in some row.
  private var seenFields: [RecordKind: Set<String>] = [:]

  /// - Parameters:
  ///   - file: The file that rows stand in.
  ///   - declared: The declared fields.
  init(file: String, fields declared: [Field] = []) {
    self.file = file
    var places: [String: Int] = [:]
    for field in declared where places[field.name] == nil { places[field.name] = places.count }
    self.places = places
    values = Array(repeating: [], count: places.count)
    header = .complete(
      declared.sorted { $0.isWritten(before: $1) }.compactMap { field in
        places[field.name].map { FieldColumn(field: field, position: $0) }
      }
    )
    fields = Array(
      repeating: CSVField(start: 0, end: 0, hasDoubledQuotes: false),
      count: Column.names.count
    )
  }

  /// Columns that no row had, among those that a file may lack.
  var absent: ListAbsence {
    var absence = ListAbsence(
      departments: absent(seenOfDepartments).subtracting([.leads]),
      people: absent(seenOfPeople)
    )
    for owner in ListLayout.owners {
      let declared = Set(header.fields.map(\.field).of(owner).map(\.name))
      absence.fields[owner] = declared.subtracting(seenFields[owner] ?? [])
    }
    return absence
  }

  private func absent(_ seen: Set<Column>) -> Set<Column> {
    Set(ListAbsence.columns).subtracting(seen)
  }

  /// Begins a row.
  mutating func begin() {
    text.removeAll(keepingCapacity: true)
    for index in fields.indices {
      fields[index] = CSVField(start: 0, end: 0, hasDoubledQuotes: false)
    }
    for index in values.indices { values[index].removeAll(keepingCapacity: true) }
  }

  /// Whether departments or people have a declared field of a name.
  func hasField(_ name: String) -> Bool { places[name] != nil }

  /// Adds a value of a declared field; an empty one is none.
  mutating func add(field name: String, _ value: [UInt8]) {
    if let place = places[name], !value.isEmpty { values[place].append(value) }
  }

  /// Sets all values of a declared field.
  mutating func set(field name: String, _ values: [[UInt8]]) {
    if let place = places[name] { self.values[place] = values.filter { !$0.isEmpty } }
  }

  /// Sets a value of the row; a later one takes its place.
  mutating func set(_ column: Column, _ value: some Sequence<UInt8>) {
    let start = text.count
    text.append(contentsOf: value)
    fields[column.place] = CSVField(start: start, end: text.count, hasDoubledQuotes: false)
  }

  mutating func set(_ column: Column, _ value: String) { set(column, value.utf8) }

  /// Whether the row has something in a column.
  func has(_ column: Column) -> Bool {
    fields[column.place].end > fields[column.place].start
  }

  /// Ends the row and hands it on.
  ///
  /// - Parameters:
  ///   - line: Where it stands in the file.
  ///   - problems: Gets what is wrong with its values.
  ///   - body: Gets the row, borrowed for the time of the call.
  /// - Returns: Whether there was a row.
  mutating func finish(
    line: Int,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) -> Bool {
    note()
    return text.withUnsafeBytes { bytes in
      fields.withUnsafeBufferPointer { fields in
        // An empty text has no address, and its fields are empty.
        guard let base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
          let places = fields.baseAddress
        else { return false }
        let record = CSVRecord(
          line: line,
          count: fields.count,
          isEnded: true,
          base: base,
          fields: places
        )
        return hand(record, &problems, body)
      }
    }
  }

  /// Hands on a person's further department.
  mutating func handMembership(
    line: Int,
    user: [UInt8],
    department: [UInt8],
    title: [UInt8],
    sortOrder: Int64 = 0,
    leads: Bool = false,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) {
    let length = title.count { $0 & 0xC0 != 0x80 }
    if length > DirectoryLimits.titleScalars {
      problems.add(
        InputProblem(
          file: file,
          line: line,
          id: String(decoding: user, as: UTF8.self),
          reason: "title is longer than \(DirectoryLimits.titleScalars) characters"
        )
      )
      return
    }
    if !title.isEmpty { seenOfPeople.insert(.title) }
    if sortOrder != 0 { seenOfPeople.insert(.sortOrder) }
    if leads { seenOfPeople.insert(.leads) }
    user.withUnsafeBytes { user in
      department.withUnsafeBytes { department in
        title.withUnsafeBytes { title in
          body(
            .membership(
              MembershipFields(
                line: line,
                user: user,
                department: department,
                title: title,
                sortOrder: sortOrder,
                leads: leads
              )
            )
          )
        }
      }
    }
  }

  private mutating func note() {
    let isDepartment = value(of: .kind).elementsEqual("department".utf8)
    for column in ListAbsence.columns where has(column) {
      if isDepartment { seenOfDepartments.insert(column) } else { seenOfPeople.insert(column) }
    }
    for (name, place) in places where !values[place].isEmpty {
      seenFields[isDepartment ? .department : .user, default: []].insert(name)
    }
  }

  private func value(of column: Column) -> ArraySlice<UInt8> {
    text[fields[column.place].start..<fields[column.place].end]
  }

  private func hand(
    _ record: CSVRecord,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) -> Bool {
    // Values may have been made of escapes; the database refuses all rows for one that is not text.
    for (column, name) in Column.names.enumerated() {
      guard let found = TextFault.first(in: record[column]) else { continue }
      problems.add(
        InputProblem(
          file: file,
          line: record.line,
          reason: "\(name) \(found.reason(in: record[column]))",
          advice: found.advice
        )
      )
      return false
    }
    if let (fault, advice) = faultOfValues() {
      problems.add(InputProblem(file: file, line: record.line, reason: fault, advice: advice))
      return false
    }
    var cells = RowCells(record, header: header, values: values)
    let row = ListLayout.row(of: &cells)
    for fault in cells.faults {
      problems.add(
        InputProblem(file: file, line: record.line, id: id(of: record), reason: fault)
      )
    }
    guard let row else { return false }
    body(row)
    return true
  }

  private func faultOfValues() -> (reason: String, advice: Advice?)? {
    for (name, place) in places {
      for value in values[place] {
        guard let found = value.withUnsafeBytes({ TextFault.first(in: $0) }) else { continue }
        return ("\(name) \(found.reason(in: value))", found.advice)
      }
    }
    return nil
  }

  private func id(of record: CSVRecord) -> String? {
    let id = record[Column.id.place]
    guard (1...DirectoryLimits.idBytes).contains(id.count) else { return nil }
    return String(decoding: id, as: UTF8.self)
  }
}

/// Columns that a list does not have: for rows that the database knows, it keeps what it has.
package struct ListAbsence: Sendable, Equatable {
  package var departments: Set<ListLayout.Column>
  package var people: Set<ListLayout.Column>
  /// Names of declared fields, by whose they are.
  package var fields: [RecordKind: Set<String>] = [:]

  /// Columns that a list may lack.
  package static let columns: [ListLayout.Column] =
    [.description, .title] + Field.contacts.map { .contact($0) } + [.sortOrder, .leads]

  package init(departments: Set<ListLayout.Column>, people: Set<ListLayout.Column>) {
    self.departments = departments
    self.people = people
  }
}
