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

  /// Columns that the file does not have; they read as empty.
  package var absence: MissingListColumns {
    let absent = Set(MissingListColumns.columns.filter { header?.position(of: $0) == nil })
    var absence = MissingListColumns(departments: absent, people: absent)
    for owner in layout.owners {
      let found = header?.fields.map(\.field).of(owner).map(\.name) ?? []
      absence.fields[owner] = Set(fields.of(owner).map(\.name)).subtracting(found)
    }
    return absence
  }

  /// Calls `body` with every row that can be read, in order, and collects what is wrong.
  ///
  /// A row is borrowed for the time of the call. When `body` throws, reading stops there.
  package mutating func forEachRow<Failure: Error>(
    _ problems: inout ProblemList,
    _ body: (TableRow) throws(Failure) -> Void
  ) throws(Failure) {
    var damage = SpreadsheetDamage(keepsAll: problems.keepsWarnings)
    var ids: Set<Int> = []
    defer {
      func problem(_ warning: RowWarning) -> InputProblem {
        InputProblem(file: file.name, line: warning.line, reason: warning.reason)
      }
      for (summary, all) in damage.warnings({ header?.name(at: $0) ?? "" }) {
        problems.warn(problem(summary), of: all.map(problem))
      }
    }
    while !isCutShort, let item = reader.next() {
      switch item {
      case .problem(let problem):
        problems.add(problem, in: file)
        if problem.isWarning { continue }
        unreadableRowCount += 1
        if problem.isFatal || header == nil { isCutShort = true }
      case .record(let record):
        guard let header else {
          takeHeader(record, &problems)
          ids = header?.idPositions ?? []
          continue
        }
        damage.look(at: record, ids: ids)
        guard let row = row(record, header, &problems) else {
          unreadableRowCount += 1
          continue
        }
        try body(row)
      }
    }
    guard header == nil, !isCutShort else { return }
    isCutShort = true
    problems.add(InputProblem(file: file.name, reason: "is empty and has no header"))
  }
}

extension DirectoryFileReader {
  private mutating func takeHeader(_ record: CSVRecord, _ problems: inout ProblemList) {
    do {
      let header = try TableHeader(record, layout, fields: fields)
      self.header = header
      warnAboutColumns(of: header, in: record, &problems)
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
    var cells = RowCells(record, header: header, isForSpreadsheet: reader.hasByteOrderMark)
    func add(_ fault: String) {
      problems.add(
        InputProblem(file: file.name, line: record.line, id: cells.shownID, reason: fault)
      )
    }
    if let fault = record.lengthFault(headings: header.count) {
      add(fault)
      return nil
    }
    let row = layout.row(of: &cells)
    for fault in cells.faults { add(fault) }
    return row
  }

  private func warn(_ reason: String, line: Int?, _ problems: inout ProblemList) {
    problems.warn(InputProblem(file: file.name, line: line, reason: reason))
  }
}
