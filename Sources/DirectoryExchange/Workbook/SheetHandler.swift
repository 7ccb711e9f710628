import DirectoryModel

/// Turns the rows of a sheet that have cells into records as a `SheetRow` holds them.
final class SheetHandler: XMLHandler {
  /// Bytes of the longest text; Excel has 32,767 characters.
  static let longestCell = 256 << 10
  /// Excel's limits.
  private static let mostRows = 1_048_576
  private static let mostColumns = CSVReader.mostFields
  /// Bytes of output of one piece of input.
  private static let mostOutput = 256 << 20

  /// Rows that are finished.
  var output: [UInt8] = []

  private let strings: SharedStringHandler
  private let formats: [CellFormat]
  private let isFrom1904: Bool
  /// The number of the last row.
  private var row = 0
  private var cells: [[UInt8]] = []
  /// Columns up to the last that had anything so far: rows end where their last cell does.
  private var width = 0
  private var nextRow = 1
  private var column = -1
  private var type = ""
  private var style = 0
  private var text: [UInt8] = []
  private var isText = false
  private var isPhonetic = false
  private var isCell = false
  private var isFormula = false

  init(_ strings: SharedStringHandler, _ formats: [CellFormat], isFrom1904: Bool) {
    self.strings = strings
    self.formats = formats
    self.isFrom1904 = isFrom1904
  }

  override func start(_ name: String, _ attributes: XMLAttributes) {
    switch name {
    case "row":
      nextRow = attributes["r"].flatMap { Int($0) } ?? row + 1
      guard nextRow > row, nextRow <= Self.mostRows else {
        return stop("its rows are out of order")
      }
      cells.removeAll(keepingCapacity: true)
      column = -1
    case "c":
      column = attributes["r"].flatMap(Self.column) ?? column + 1
      guard column < Self.mostColumns else {
        return stop("it has more than \(Self.mostColumns) columns")
      }
      type = attributes["t"] ?? "n"
      style = attributes["s"].flatMap { Int($0) } ?? 0
      text.removeAll(keepingCapacity: true)
      isCell = true
      isFormula = false
    case "f": isFormula = isCell
    case "rPh": isPhonetic = true
    case "v", "t": isText = isCell && !isPhonetic
    default: break
    }
  }

  override func end(_ name: String) {
    switch name {
    case "rPh": isPhonetic = false
    case "v", "t": isText = false
    case "c":
      isCell = false
      take()
    case "row": endRow()
    default: break
    }
  }

  override func text(_ text: UnsafeRawBufferPointer) {
    guard isText else { return }
    self.text += text
    if self.text.count > Self.longestCell { stop("it has a cell that is too long") }
  }

  /// The column of a reference such as `AB12`, from 0.
  private static func column(_ reference: String) -> Int? {
    var column = 0
    for byte in reference.utf8 {
      guard (0x41...0x5A).contains(byte & 0xDF), byte >= 0x41 else { break }
      column = column * 26 + Int(byte & 0xDF) - 0x40
      if column > 1 << 20 { return nil }
    }
    return column > 0 ? column - 1 : nil
  }

  private func take() {
    let value = value()
    guard !value.isEmpty else { return }
    while cells.count <= column { cells.append([]) }
    cells[column] = value
  }

  /// The text that the cell shows (§18.18.11, `ST_CellType`).
  private func value() -> [UInt8] {
    switch type {
    case "s":
      guard let index = Int(String(decoding: text, as: UTF8.self)) else { return [] }
      guard index >= 0, index < strings.count else {
        stop("a cell refers to a missing text")
        return []
      }
      return Array(strings[index])
    case "b": return Array((text.elementsEqual([UInt8(ascii: "1")]) ? "TRUE" : "FALSE").utf8)
    case "n":
      guard !text.isEmpty else {
        // Programs other than spreadsheets write formulas without working them out; an empty value
        // would erase what is recorded.
        if isFormula {
          stop(
            "column \(column + 1) of row \(nextRow) has a formula without its value",
            "open it in a spreadsheet program and save it"
          )
        }
        return []
      }
      let format = formats.indices.contains(style) ? formats[style] : .general
      return format.text(of: text, from1904: isFrom1904) ?? text
    // An ISO date, without a time that says nothing.
    case "d":
      let midnight = Array("T00:00:00".utf8)
      return text.count > 10 && text[10...].starts(with: midnight) ? Array(text[..<10]) : text
    default: return WorkbookText.plain(text)
    }
  }

  private func endRow() {
    row = nextRow
    guard !cells.isEmpty else { return }
    width = max(width, cells.count)
    while cells.count < width { cells.append([]) }
    SheetRow.append(cells, number: row, to: &output)
    if output.count > Self.mostOutput { stop(ZipArchive.bomb.reason) }
  }
}
