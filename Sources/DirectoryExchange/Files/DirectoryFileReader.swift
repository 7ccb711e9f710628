import DirectoryModel

/// Reads one of the directory's files by its header, row by row, in constant memory.
///
/// What is wrong goes to a `ProblemList`. A record with a structural fault (a quote out of place,
/// bytes that are not UTF-8, the wrong number of fields, no usable id) is left out and counted in
/// `unreadableRowCount`; a row with a bad value is handed on with a default in its place.
package struct DirectoryFileReader: ~Copyable {
  private let file: InputFile
  private let layout: TableLayout
  /// The declared fields that its rows can have.
  private let fields: [Field]
  private var reader: CSVReader
  private var header: TableHeader?

  /// Records left out so far.
  package private(set) var unreadableRowCount = 0
  /// Whether the file, or all from some line on, could not be read at all.
  package private(set) var isCutShort = false

  /// Whether every record of the file was handed on, once it has been read.
  ///
  /// Where it was not, "in no row" means nothing: the row may be one that was left out.
  package var isComplete: Bool { unreadableRowCount == 0 && !isCutShort }

  /// Makes ready to read a file from its first byte.
  package init(
    _ file: InputFile,
    _ layout: TableLayout,
    fields: [Field] = [],
    bufferSize: Int = CSVReader.defaultBufferSize
  ) throws(DirectoryError) {
    self.file = file
    self.layout = layout
    self.fields = fields.filter { layout.owners.contains($0.owner) }
    reader = try CSVReader(file, bufferSize: bufferSize)
  }

  /// Reads the header, unless it has been read.
  ///
  /// - Returns: Whether rows can be read; otherwise `problems` says why not.
  @discardableResult
  package mutating func readHeader(_ problems: inout ProblemList) -> Bool {
    guard header == nil, !isCutShort else { return !isCutShort }
    while let item = reader.next() {
      switch item {
      case .warning(let warning): warn(warning.description, line: warning.line, &problems)
      case .problem(let problem):
        report(problem, &problems)
        isCutShort = true
        return false
      case .record(let record): return takeHeader(record, &problems)
      }
    }
    isCutShort = true
    problems.add(InputProblem(file: file.name, reason: "is empty and has no header"))
    return false
  }

  /// Whether the file has a column; a column that it has not reads as empty.
  package func hasColumn(_ column: TableColumn) -> Bool {
    header?.position(of: column) != nil
  }

  /// The names of declared fields that the file has no column for.
  package func absentFields(of owner: RecordKind) -> Set<String> {
    let found = header?.fields.map(\.field).of(owner).map(\.name) ?? []
    return Set(fields.of(owner).map(\.name)).subtracting(found)
  }

  /// Columns that the file does not have.
  var absence: AbsentListColumns {
    let absent = Set(AbsentListColumns.columns.filter { !hasColumn($0) })
    var absence = AbsentListColumns(departments: absent, people: absent)
    for owner in layout.owners { absence.fields[owner] = absentFields(of: owner) }
    return absence
  }

  /// Calls `body` with every row that can be read, in order, and collects what is wrong.
  ///
  /// A row is borrowed for the time of the call. When `body` throws, reading stops there.
  package mutating func forEachRow<Failure: Error>(
    _ problems: inout ProblemList,
    _ body: (TableRow) throws(Failure) -> Void
  ) throws(Failure) {
    guard readHeader(&problems), let header else { return }
    var damage = SpreadsheetDamage()
    let ids = header.idPositions
    defer {
      for (line, reason) in damage.warnings({ header.name(at: $0) }) {
        warn(reason, line: line, &problems)
      }
    }
    while let item = reader.next() {
      switch item {
      case .warning(let warning): warn(warning.description, line: warning.line, &problems)
      case .problem(let problem): report(problem, &problems)
      case .record(let record):
        // What spreadsheets write for a row without anything.
        if record.isEmpty { continue }
        damage.look(at: record, ids: ids)
        guard let row = row(record, header, &problems) else {
          unreadableRowCount += 1
          continue
        }
        try body(row)
      }
    }
  }
}

extension DirectoryFileReader {
  private mutating func takeHeader(_ record: CSVRecord, _ problems: inout ProblemList) -> Bool {
    do {
      let header = try TableHeader(record, layout, fields: fields)
      self.header = header
      warnAboutColumns(of: header, in: record, &problems)
      return true
    } catch {
      isCutShort = true
      problems.add(
        InputProblem(
          file: file.name,
          line: record.line,
          reason: error.reason,
          advice: error.advice
        )
      )
      return false
    }
  }

  private func warnAboutColumns(
    of header: TableHeader,
    in record: CSVRecord,
    _ problems: inout ProblemList
  ) {
    for position in header.unknown {
      let name = record[position]
      let what = name.isEmpty ? "column \(position + 1) has no name" : QuotedValue.text(name)
      warn(
        name.isEmpty
          ? "\(what) and is ignored" : "the column \(what) is unknown and is ignored",
        line: record.line,
        &problems
      )
    }
    for column in header.absent where layout.isMissed(column) {
      warn(
        "has no column \(layout.name(of: column)); stored values are kept, and new rows have none",
        line: record.line,
        &problems
      )
    }
  }

  private func row(
    _ record: CSVRecord,
    _ header: TableHeader,
    _ problems: inout ProblemList
  ) -> TableRow? {
    guard record.count == header.count else {
      problems.add(problem(wrongLength(record, header), in: record, header))
      return nil
    }
    let isForSpreadsheet = reader.hasByteOrderMark
    var cells = RowCells(record, header: header, isForSpreadsheet: isForSpreadsheet)
    let row = layout.row(of: &cells)
    for fault in cells.faults { problems.add(problem(fault, in: record, header)) }
    return row
  }

  private func wrongLength(_ record: CSVRecord, _ header: TableHeader) -> String {
    let fields = record.count == 1 ? "1 field" : "\(record.count) fields"
    let isMaybeCut = !record.isEnded && record.count < header.count
    return "has \(fields), the header has \(header.count)"
      + (isMaybeCut ? "; the file ends in this line and may be truncated" : "")
  }

  private func problem(
    _ reason: String,
    in record: CSVRecord,
    _ header: TableHeader
  ) -> InputProblem {
    InputProblem(
      file: file.name,
      line: record.line,
      id: id(of: record, header),
      reason: reason
    )
  }

  /// The row's id as it stands in the file, where it can be one.
  private func id(of record: CSVRecord, _ header: TableHeader) -> String? {
    guard let position = header.position(of: .id), position < record.count else {
      return nil
    }
    let value = SpreadsheetText.plain(
      record[position],
      isForSpreadsheet: reader.hasByteOrderMark
    )
    guard (1...DirectoryLimits.idBytes).contains(value.count) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func report(_ problem: CSVProblem, _ problems: inout ProblemList) {
    problems.add(problem, in: file)
    unreadableRowCount += 1
    if problem.isFatal { isCutShort = true }
  }

  private func warn(_ reason: String, line: Int?, _ problems: inout ProblemList) {
    problems.warn(InputProblem(file: file.name, line: line, reason: reason))
  }
}
