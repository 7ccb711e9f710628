import DirectoryModel
import Platform
import SystemPackage

/// A workbook (Office Open XML, ECMA-376): the rows of the tree as rows of a sheet that fold.
///
/// What lies below a closed department is there, hidden, and opens by a click in the margin. Ids,
/// phone numbers and all other texts are text, whatever they look like, and none is a formula. A
/// spreadsheet folds at most seven levels (§18.3.1.73, `outlineLevel`), so that what lies deeper folds
/// with the seventh; it holds 1,048,576 rows, so that more go on in further sheets.
package final class WorkbookEncoder: RowEncoder {
  /// The first row of a sheet names the columns.
  static let rowsInSheet = 1_048_576
  private static let deepestOutline = 7
  /// A sheet of more XML than this ends early: beyond 4 GiB an entry has another format.
  private static let fullSheet = 2 << 30
  private static let pieceSize = 64 << 10

  private static let beforeContacts: [(name: String, width: Int)] = [
    ("Name", 48), ("Kind", 12), ("Title", 32),
  ]
  private static let behindContacts: [(name: String, width: Int)] = [
    ("People", 9), ("ID", 16), ("Parent ID", 16), ("Description", 48),
  ]
  private static let builtIn =
    beforeContacts
    + Field.contacts.map { ($0.label, $0.kind == .phone ? 20 : 36) }
    + behindContacts

  private let columns: [(name: String, width: Int)]
  private let extra: ExtraColumns

  private var zip: ZipWriter
  /// Rows of a sheet, the first one included.
  private let rowLimit: Int
  private let deepestLevel: Int
  private var open = OpenDepartments<Void>()
  private var sheets = 0
  /// Rows of the open sheet.
  private var row = 0
  /// The outline level of the row written last, where that row is seen; otherwise 0.
  private var levelSeen = 0
  private var xml: [UInt8] = []
  /// Bytes of the finished archive that were handed out.
  private var passed: Int64 = 0

  /// - Parameters:
  ///   - deepestLevel: The most levels below the top that any row has.
  ///   - extra: Columns that only some directories need.
  /// - Throws: `.cannotWrite` if there is no room for a temporary file.
  package convenience init(
    deepestLevel: Int,
    _ extra: ExtraColumns = .none
  ) throws(DirectoryError) {
    try self.init(deepestLevel: deepestLevel, rowLimit: Self.rowsInSheet, extra)
  }

  init(
    deepestLevel: Int,
    rowLimit: Int,
    _ extra: ExtraColumns = .none
  ) throws(DirectoryError) {
    self.extra = extra
    let labels = (extra.hasLeads ? ["Leads"] : []) + extra.fields.labels
    columns = Self.builtIn + labels.map { ($0, 24) }
    self.deepestLevel = deepestLevel
    self.rowLimit = rowLimit
    zip = try ZipWriter()
  }

  package func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    if sheets == 0 {
      try beginSheet()
    } else if self.row == rowLimit || zip.entrySize > Self.fullSheet {
      try endSheet()
      try beginSheet()
    }
    open.leave(for: row.place.depth)
    let level = open.count
    if row.kind == .department { open.enter((), depth: row.place.depth) }
    self.row += 1
    beginRow(row, level: level)
    try appendCells(row, level: level)
    xml.append(text: "</row>")
    if xml.count >= Self.pieceSize { try pass() }
  }

  package func end(_ bytes: inout [UInt8]) throws {
    if sheets == 0 { try beginSheet() }
    try endSheet()
    try zip.add("xl/styles.xml", WorkbookStyles.xml)
    try zip.add("xl/workbook.xml", WorkbookParts.workbook(sheets: sheets))
    try zip.add("xl/_rels/workbook.xml.rels", WorkbookParts.workbookRelationships(sheets: sheets))
    try zip.add("_rels/.rels", WorkbookParts.rootRelationships)
    try zip.add("[Content_Types].xml", WorkbookParts.contentTypes(sheets: sheets))
    try zip.finish()
  }

  /// The archive, which can be read only when it is finished.
  package func appendRest(to bytes: inout [UInt8]) throws -> Bool {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: Self.pieceSize))
    let count = try bytes.withUnsafeMutableBytes { memory in
      try zip.archive.descriptor.read(
        fromAbsoluteOffset: passed,
        into: UnsafeMutableRawBufferPointer(rebasing: memory[start...])
      )
    }
    bytes.removeLast(Self.pieceSize - count)
    passed += Int64(count)
    return count > 0
  }

  // MARK: Sheets

  private func beginSheet() throws {
    sheets += 1
    try zip.begin(WorkbookParts.sheetName(sheets))
    let outline = min(deepestLevel, Self.deepestOutline)
    let widths = columns.enumerated().map { index, column in
      #"<col min="\#(index + 1)" max="\#(index + 1)" width="\#(column.width)" customWidth="1"/>"#
    }
    let head =
      #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
      + #"<worksheet xmlns="\#(WorkbookParts.main)"><sheetPr><outlinePr summaryBelow="0"/></sheetPr>"#
      + #"<sheetViews><sheetView workbookViewId="0"\#(sheets == 1 ? #" tabSelected="1""# : "")>"#
      + #"<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>"#
      + #"</sheetViews><sheetFormatPr defaultRowHeight="15" outlineLevelRow="\#(outline)"/>"#
      + "<cols>\(widths.joined())</cols><sheetData><row r=\"1\">"
    xml.append(contentsOf: head.utf8)
    row = 1
    levelSeen = 0
    for (index, column) in columns.enumerated() {
      beginText(index, style: WorkbookStyles.header)
      Array(column.name.utf8).withUnsafeBytes { _ = SpreadsheetXML.append($0, to: &xml) }
      endText()
    }
    xml.append(text: "</row>")
  }

  private func endSheet() throws {
    xml.append(text: "</sheetData></worksheet>")
    try pass()
    try zip.end()
  }

  private func pass() throws {
    try zip.append(xml)
    xml.removeAll(keepingCapacity: true)
  }

  // MARK: Rows

  /// The row above its details is closed when they are hidden (§18.3.1.73, `collapsed`).
  ///
  /// LibreOffice (7.4, oox/worksheethelper.cxx) ignores `summaryBelow` and closes what ends before
  /// such a row, which would hide rows that are seen. There it is left out: Excel goes by the hidden
  /// rows.
  private func beginRow(_ row: RowFields, level: Int) {
    let level = min(level, Self.deepestOutline)
    xml.append(text: "<row r=\"")
    xml.append(decimal: self.row)
    xml.append(text: "\"")
    if level > 0 {
      xml.append(text: " outlineLevel=\"")
      xml.append(decimal: level)
      xml.append(text: "\"")
    }
    if row.place.isFolded { xml.append(text: " hidden=\"1\"") }
    if row.disclosure == .collapsed, row.place.hasRowsBelow, levelSeen <= level {
      xml.append(text: " collapsed=\"1\"")
    }
    levelSeen = row.place.isFolded ? 0 : level
    xml.append(text: ">")
  }

  private func appendCells(_ row: RowFields, level: Int) throws {
    let isDepartment = row.kind == .department
    let nameStyle =
      isDepartment
      ? WorkbookStyles.department(level: level) : WorkbookStyles.person(level: level)
    try append(row.name, 0, style: nameStyle, of: row)
    beginText(1, style: WorkbookStyles.text)
    xml.append(text: isDepartment ? "Department" : "Person")
    endText()
    try append(row.title, 2, of: row)
    var column = Self.beforeContacts.count
    for field in Field.contacts {
      try append(row.contacts?[field], column, of: row)
      column += 1
    }
    if let people = row.people {
      beginCell(column, style: WorkbookStyles.number)
      xml.append(text: "><v>")
      xml.append(decimal: people)
      xml.append(text: "</v></c>")
    }
    try append(row.id, column + 1, of: row)
    try append(row.parent, column + 2, of: row)
    try append(row.description, column + 3, of: row)
    column = Self.builtIn.count
    if extra.hasLeads {
      if row.leads {
        beginText(column, style: WorkbookStyles.text)
        xml.append(text: "yes")
        endText()
      }
      column += 1
    }
    try extra.fields.forEachCell(of: row.values) {
      try append($0, column, of: row)
      column += 1
    }
  }

  private func append(
    _ text: UnsafeRawBufferPointer?,
    _ column: Int,
    style: Int = WorkbookStyles.text,
    of row: RowFields
  ) throws {
    guard let text, !text.isEmpty else { return }
    beginText(column, style: style)
    let length = SpreadsheetXML.append(text, to: &xml)
    endText()
    guard length <= SpreadsheetXML.longestCell else {
      let id = String(decoding: row.id, as: UTF8.self)
      throw DirectoryError(
        .badData,
        "cannot write a workbook: the \(columns[column].name.lowercased()) of \(id) has "
          + "\(length) characters, and a cell can hold \(SpreadsheetXML.longestCell)",
        advice: "export as csv instead"
      )
    }
  }

  private func beginCell(_ column: Int, style: Int) {
    xml.append(text: "<c r=\"")
    appendName(ofColumn: column)
    xml.append(decimal: row)
    xml.append(text: "\" s=\"")
    xml.append(decimal: style)
    xml.append(text: "\"")
  }

  /// `A` to `Z`, then `AA` and so on.
  private func appendName(ofColumn column: Int) {
    if column >= 26 { appendName(ofColumn: column / 26 - 1) }
    xml.append(UInt8(ascii: "A") + UInt8(column % 26))
  }

  /// A text in the cell itself (§18.18.11, `inlineStr`): a table of them all would have to be kept.
  private func beginText(_ column: Int, style: Int) {
    beginCell(column, style: style)
    xml.append(text: " t=\"inlineStr\"><is><t xml:space=\"preserve\">")
  }

  private func endText() { xml.append(text: "</t></is></c>") }
}
