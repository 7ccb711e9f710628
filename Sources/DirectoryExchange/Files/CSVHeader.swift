import DirectoryModel

/// Where the columns of a layout stand in one file.
///
/// Names are compared without the blanks around them and without regard to ASCII case, since
/// spreadsheets change both; the columns may come in any order.
struct CSVHeader<Column: DirectoryColumn>: Sendable {
  /// Fields of a record.
  let count: Int
  /// By the column's place.
  private let positions: [Int?]
  /// The declared fields that the file has, in the order in which values are written.
  let fields: [FieldColumn]

  func position(of column: Column) -> Int? { positions[column.place] }

  /// Reads a file's first record.
  ///
  /// - Parameters:
  ///   - record: The names of the columns.
  ///   - fields: Declared fields that records of the file can have.
  /// - Throws: What is wrong with it.
  init(_ record: CSVRecord, fields: [Field] = []) throws(Fault) {
    let names = (0..<record.count).map { Self.normalized(record[$0]) }
    let known = names.map { Self.places[$0] }
    if let separator = Self.otherSeparator(in: names) { throw .separated(by: separator) }
    guard known.contains(where: { $0 != nil }) else { throw .missing }
    var positions: [Int?] = Array(repeating: nil, count: Column.names.count)
    for case (let position, let place?) in zip(known.indices, known) {
      guard positions[place] == nil else { throw .duplicate(Column.names[place]) }
      positions[place] = position
    }
    let absent = Column.allCases.filter { $0.isRequired && positions[$0.place] == nil }
    guard absent.isEmpty else { throw .without(absent.map(\.name)) }
    count = record.count
    self.positions = positions
    let taken = Set(positions.compactMap { $0 })
    self.fields = fields.isEmpty ? [] : FieldColumn.find(fields, in: names, taken: taken)
  }

  /// A header that has every column, in the layout's order.
  ///
  /// - Parameter fields: The declared fields, by the number of their values (`RowCells`).
  /// - Returns: A header without a file.
  static func complete(_ fields: [FieldColumn]) -> CSVHeader {
    CSVHeader(
      count: Column.names.count,
      positions: Column.names.indices.map { $0 },
      fields: fields
    )
  }

  private init(count: Int, positions: [Int?], fields: [FieldColumn]) {
    self.count = count
    self.positions = positions
    self.fields = fields
  }

  /// The positions of ids, of whatever they are.
  var idPositions: Set<Int> {
    Set(
      Column.allCases.compactMap { column in
        column.name == "id" || column.name.hasSuffix("_id") ? positions[column.place] : nil
      }
    )
  }

  /// The name of the column at a position of the file.
  func name(at position: Int) -> String {
    Column.allCases.first { positions[$0.place] == position }?.name
      ?? fields.first { $0.position == position }?.field.name ?? "column \(position + 1)"
  }

  /// Columns that the layout has and the file has not, in the layout's order.
  var absent: [Column] { Column.allCases.filter { positions[$0.place] == nil } }

  /// The position of every field that no column of the layout has, in the file's order.
  var unknown: [Int] {
    let known = Set(positions.compactMap { $0 } + fields.map(\.position))
    return (0..<count).filter { !known.contains($0) }
  }

  /// Why a first record is no header.
  enum Fault: Error, Equatable {
    case missing
    case separated(by: String)
    case duplicate(String)
    case without([String])

    var reason: String {
      switch self {
      case .missing:
        "has no header: the first line must name the columns "
          + Column.allCases.filter(\.isMissed).map(\.name).joined(separator: ", ")
      case .separated(let separator):
        "the header is not as expected: its fields seem to be separated by \(separator)"
      case .duplicate(let name): "the header names the column \(name) twice"
      case .without(let names):
        "the header has no column \(names.joined(separator: " and no column "))"
      }
    }

    /// What to do about it.
    var advice: Advice? {
      guard case .separated = self else { return nil }
      return "they must be separated by commas, or by the character given with \(.separator)"
    }
  }
}

extension CSVHeader {
  private static var places: [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(Column.names, Column.names.indices))
  }

  static func normalized(_ name: UnsafeRawBufferPointer) -> String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let first = name.firstIndex(where: { !isBlank($0) }),
      let last = name.lastIndex(where: { !isBlank($0) })
    else { return "" }
    let lowered = name[first...last].map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    return String(decoding: lowered, as: UTF8.self)
  }

  /// What parts the fields where it is not commas: then nothing is known until one splits by it.
  private static func otherSeparator(in names: [String]) -> String? {
    let separators: [(Character, String)] = [("\t", "tabs"), (";", "semicolons"), ("|", "bars")]
    guard names.allSatisfy({ Self.places[$0] == nil }) else { return nil }
    return separators.first { separator, _ in
      let parts = names.flatMap { $0.split(separator: separator, omittingEmptySubsequences: false) }
      let isKnown = parts.contains { part in
        part.utf8.withContiguousStorageIfAvailable {
          Self.places[normalized(UnsafeRawBufferPointer($0))] != nil
        } ?? false
      }
      return parts.count > names.count && (isKnown || names.count == 1)
    }?.1
  }
}
