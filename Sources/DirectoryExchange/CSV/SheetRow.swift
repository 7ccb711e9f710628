/// A row of a sheet on its way from a workbook to those that read tables, in a file of our own.
///
///     0   number   u32   of the row, from 1
///     4   count    u32   of the cells
///     8   size     u32   bytes of all texts
///     12  ends     u32   for each cell: where its text ends, from the beginning of the first
///     ..  texts
///
/// Numbers are in the order of this machine's bytes: no other reads the file.
struct SheetRow {
  let number: Int
  let count: Int
  /// Where the texts begin and end, counted from the beginning of the row.
  let texts: Range<Int>

  private static let headerSize = 12
  private static let endSize = 4

  /// The row at an address; `nil` when not even its header is in so many bytes.
  init?(_ base: UnsafeRawPointer, available: Int) {
    guard available >= Self.headerSize else { return nil }
    number = Self.word(base)
    count = Self.word(base + 4)
    let start = Self.headerSize + count * Self.endSize
    texts = start..<start + Self.word(base + 8)
  }

  private static func word(_ place: UnsafeRawPointer) -> Int {
    Int(place.loadUnaligned(as: UInt32.self))
  }

  /// Where the text of each cell ends, counted from the first text.
  func end(ofCell index: Int, _ base: UnsafeRawPointer) -> Int {
    Self.word(base + Self.headerSize + index * Self.endSize)
  }

  static func append(_ cells: [[UInt8]], number: Int, to bytes: inout [UInt8]) {
    func append(_ word: Int) {
      withUnsafeBytes(of: UInt32(word)) { bytes.append(contentsOf: $0) }
    }
    append(number)
    append(cells.count)
    append(cells.reduce(0) { $0 + $1.count })
    var end = 0
    for cell in cells {
      end += cell.count
      append(end)
    }
    for cell in cells { bytes += cell }
  }
}

extension CSVReader {
  /// The row at `cursor`; `nil` when it must be called again.
  mutating func nextRow() -> CSVItem? {
    let start = cursor
    guard let row = SheetRow(base + start, available: end - start),
      row.texts.upperBound <= end - start
    else {
      if isAtEnd { phase = .finished } else { fill() }
      return nil
    }
    cursor += row.texts.upperBound
    line = row.number
    let first = start + row.texts.lowerBound
    let text = UnsafeRawBufferPointer(start: base + first, count: row.texts.count)
    if let fault = TextError.first(in: text) {
      return .problem(problem(fault, in: text, startingOn: line, isLast: false))
    }
    var field = CSVField(start: first, end: first, hasDoubledQuotes: false)
    for index in 0..<row.count {
      field.end = first + row.end(ofCell: index, base + start)
      fields[index] = field
      field.start = field.end
    }
    return .record(
      CSVRecord(line: line, count: row.count, isEnded: true, base: base, fields: fields)
    )
  }
}
