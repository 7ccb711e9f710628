import DirectoryModel

/// Makes rows of a list from values that come one by one, holds them to the same rules as the rows of
/// a CSV file, and hands them on.
///
/// A value that appears in no row of the whole file counts as a column that the file does not have.
final class ListRowBuilder {
  private let sink: ListSink
  private let header: TableHeader
  /// Places in `values` by the names of declared fields.
  private let places: [String: Int]
  /// Values of declared fields of the row.
  private var values: [[[UInt8]]]
  private var record = RecordBuffer()

  /// The file that rows stand in, for problems.
  var file = ""
  /// Whether every record of the file was handed on.
  var isComplete = true
  /// Columns of departments, and of people, that had a value in some row.
  private var seenOfDepartments: Set<TableColumn> = []
  private var seenOfPeople: Set<TableColumn> = []
  /// Names of declared fields that had a value in some row.
  private var seenFields: [RecordKind: Set<String>] = [:]

  /// - Parameters:
  ///   - sink: Gets the rows, and what is wrong with them.
  ///   - declared: The declared fields.
  init(_ sink: ListSink, fields declared: [Field]) {
    self.sink = sink
    var places: [String: Int] = [:]
    for field in declared where places[field.name] == nil { places[field.name] = places.count }
    self.places = places
    values = Array(repeating: [], count: places.count)
    header = TableHeader(
      completeWith: declared.sorted { $0.isWritten(before: $1) }.compactMap { field in
        places[field.name].map { FieldColumn(field: field, position: $0) }
      }
    )
    record.begin(TableColumn.all.count)
  }

  /// What the file came to, and columns that no row of any file had.
  var reading: ListReport {
    let columns = Set(MissingListColumns.columns)
    var absent = MissingListColumns(
      departments: columns.subtracting(seenOfDepartments),
      people: columns.subtracting(seenOfPeople)
    )
    for owner in header.layout.owners {
      let declared = Set(header.fields.map(\.field).of(owner).map(\.name))
      absent.fields[owner] = declared.subtracting(seenFields[owner] ?? [])
    }
    return ListReport(isComplete: isComplete, absent: absent)
  }

  // MARK: Files

  /// Goes to the next file.
  func start(_ file: InputFile) {
    self.file = file.name
    isComplete = true
  }

  /// Says what is wrong with something that is left out.
  func refuse(_ reason: String, line: Int?, id: [UInt8] = [], advice: Advice? = nil) {
    isComplete = false
    sink.problems.add(
      InputProblem(file: file, line: line, id: Self.shown(id), reason: reason, advice: advice)
    )
  }

  func refuse(_ fault: InputError) { refuse(fault.reason, line: fault.line, advice: fault.advice) }

  /// Says what the reader of the file came upon.
  func report(_ problem: CSVProblem, in file: InputFile) {
    if !problem.isWarning { isComplete = false }
    sink.problems.add(problem, in: file)
  }

  func warn(_ reason: String, line: Int? = nil, id: [UInt8] = []) {
    sink.problems.warn(InputProblem(file: file, line: line, id: Self.shown(id), reason: reason))
  }

  /// Whether each of several warnings is kept beside what sums them up.
  var keepsWarnings: Bool { sink.problems.keepsWarnings }

  /// Says what sums up several warnings.
  ///
  /// - Parameters:
  ///   - summary: Stands for all of them; where it stands is the place of the first.
  ///   - all: Each of them, if `keepsWarnings`.
  func warn(_ summary: RowWarning, of all: [RowWarning]) {
    func problem(_ warning: RowWarning) -> InputProblem {
      InputProblem(
        file: file,
        line: warning.line,
        id: Self.shown(warning.id),
        reason: warning.reason
      )
    }
    sink.problems.warn(problem(summary), of: all.map(problem))
  }

  /// An id that can be one.
  private static func shown(_ id: some Collection<UInt8>) -> String? {
    (1...DirectoryLimits.idBytes).contains(id.count) ? String(decoding: id, as: UTF8.self) : nil
  }

  // MARK: Rows

  /// Begins a row.
  func begin() {
    record.begin(TableColumn.all.count)
    for index in values.indices { values[index].removeAll(keepingCapacity: true) }
  }

  /// Begins the row of a department or a person.
  func begin(_ kind: DirectoryRow.Kind, id: [UInt8], parent: [UInt8]?, name: [UInt8]) {
    begin()
    set(.kind, kind.rawValue.utf8)
    set(.id, id)
    set(.parent, parent)
    set(.name, name)
  }

  /// Whether departments or people have a declared field of a name.
  func hasField(_ name: String) -> Bool { places[name] != nil }

  /// The names of the declared fields of departments, or of people.
  func fieldNames(of owner: RecordKind) -> [String] {
    header.fields.map(\.field).of(owner).map(\.name)
  }

  /// Sets all values of a declared field; an empty one is none.
  func set(field name: String, _ values: [[UInt8]]) {
    if let place = places[name] { self.values[place] = values.filter { !$0.isEmpty } }
  }

  func set(_ values: [String: [[UInt8]]]) {
    for (name, values) in values { set(field: name, values) }
  }

  /// Sets a value of the row, if there is one; a later one takes its place.
  func set(_ column: TableColumn, _ value: (some Sequence<UInt8>)?) {
    if let value { record.set(column.place, value) }
  }

  func set(_ column: TableColumn, _ truth: Bool?) {
    if let truth { set(column, truth ? "true".utf8 : "false".utf8) }
  }

  /// Whether the row has something in a column.
  func has(_ column: TableColumn) -> Bool { !value(of: column).isEmpty }

  /// Ends the row and hands it on.
  ///
  /// - Parameters:
  ///   - line: Where it stands in the file.
  ///   - isImplied: Whether it is a department of which there is nothing but a name.
  ///   - hasLeft: Whether it is a person who has left.
  /// - Returns: Whether there was a row.
  @discardableResult
  func finish(line: Int, isImplied: Bool = false, hasLeft: Bool = false) -> Bool {
    finish(line: line, as: nil, isImplied: isImplied, hasLeft: hasLeft)
  }

  /// Hands on a person's further department.
  func handMembership(
    line: Int,
    user: [UInt8],
    department: [UInt8],
    title: [UInt8],
    sortOrder: [UInt8]? = nil,
    leads: Bool
  ) {
    begin()
    set(.id, user)
    set(.parent, department)
    set(.title, title)
    set(.sortOrder, sortOrder)
    if leads { set(.leads, true) }
    _ = finish(line: line, as: .membership, isImplied: false)
  }

  private func finish(
    line: Int,
    as kind: RecordKind?,
    isImplied: Bool,
    hasLeft: Bool = false
  ) -> Bool {
    note()
    return record.withRecord(line: line) {
      hand($0, as: kind, isImplied: isImplied, hasLeft: hasLeft)
    } ?? false
  }

  private func note() {
    let isDepartment = value(of: .kind).elementsEqual("department".utf8)
    for column in MissingListColumns.columns where has(column) {
      if isDepartment { seenOfDepartments.insert(column) } else { seenOfPeople.insert(column) }
    }
    for (name, place) in places where !values[place].isEmpty {
      seenFields[isDepartment ? .department : .user, default: []].insert(name)
    }
  }

  private func value(of column: TableColumn) -> ArraySlice<UInt8> { record[column.place] }

  private func hand(
    _ record: CSVRecord,
    as kind: RecordKind?,
    isImplied: Bool,
    hasLeft: Bool
  ) -> Bool {
    if let (name, value, fault) = textFault(of: record) {
      let reason = "\(name) \(fault.reason(in: value))"
      refuse(reason, line: record.line, advice: fault.advice)
      return false
    }
    var cells = RowCells(record, header: header, values: values)
    let row = TableLayout.list.row(of: &cells, as: kind, isLeaver: hasLeft)
    for fault in cells.faults {
      let id = Self.shown(value(of: .id))
      sink.problems.add(InputProblem(file: file, line: record.line, id: id, reason: fault))
    }
    switch row {
    case .department(var row):
      row.isImplied = isImplied
      sink.take(.department(row))
    case .person(var row):
      row.hasLeft = hasLeft
      sink.take(.person(row))
    case let row?: sink.take(row)
    case nil: isComplete = false
    }
    return row != nil
  }

  /// The first value that is not text: it may have been made of escapes, and the database refuses
  /// all rows for one.
  private func textFault(of record: CSVRecord) -> (String, [UInt8], TextError)? {
    for column in TableColumn.all {
      let value = record[column.place]
      if let fault = TextError.first(in: value) { return (column.name, Array(value), fault) }
    }
    for (name, place) in places {
      for value in values[place] {
        if let fault = value.withUnsafeBytes({ TextError.first(in: $0) }) {
          return (name, value, fault)
        }
      }
    }
    return nil
  }
}

/// What is odd about a row.
struct RowWarning: Sendable {
  var line: Int
  var id: [UInt8] = []
  var reason: String
}
