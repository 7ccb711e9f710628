import DirectoryModel

/// Where the columns of a layout stand in one file.
///
/// Names are compared as headings are; the columns may come in any order. Titles and contact fields may
/// have usual headings, too.
struct TableHeader: Sendable {
  let layout: TableLayout
  /// Fields of a record.
  let count: Int
  /// By the column's place.
  private let positions: [Int?]
  /// The declared fields that the file has, in the order in which values are written.
  let fields: [FieldColumn]

  func position(of column: TableColumn) -> Int? { positions[column.place] }

  /// Reads a file's first record.
  ///
  /// - Parameters:
  ///   - record: The names of the columns.
  ///   - layout: The columns that there may be.
  ///   - fields: Declared fields that records of the file can have.
  /// - Throws: What is wrong with it.
  init(_ record: CSVRecord, _ layout: TableLayout, fields: [Field] = []) throws(Fault) {
    let columns = Dictionary(
      uniqueKeysWithValues: zip(layout.names.map { Heading($0).key }, layout.columns)
    )
    let headings = record.headings
    let names = headings.map(\.key)
    if let separator = Self.otherSeparator(in: headings, columns) {
      throw .separated(by: separator)
    }
    var positions: [Int?] = Array(repeating: nil, count: TableColumn.all.count)
    for (position, name) in names.enumerated() {
      guard let column = columns[name] else { continue }
      guard positions[column.place] == nil else { throw .duplicate(layout.name(of: column)) }
      positions[column.place] = position
    }
    let taken = Set(positions.compactMap { $0 })
    guard !taken.isEmpty else {
      throw .missing(layout.columns.filter(layout.isMissed).map(layout.name))
    }
    let absent = layout.required.filter { positions[$0.place] == nil }
    guard absent.isEmpty else { throw .without(absent.map(layout.name)) }
    self.layout = layout
    count = record.count
    self.fields = FieldColumn.find(fields, in: headings, taken: taken)
    let declared = Set(self.fields.map(\.position))
    for position in headings.indices where !taken.contains(position) && !declared.contains(position)
    {
      let meant = headings[position].meanings.lazy.compactMap { columns[$0] }
      if let column = meant.first(where: {
        layout.isKnownByHeading($0) && positions[$0.place] == nil
      }) {
        positions[column.place] = position
      }
    }
    self.positions = positions
  }

  /// A header of a list that has every column.
  ///
  /// - Parameter fields: The declared fields, by the number of their values (`RowCells`).
  init(completeWith fields: [FieldColumn]) {
    layout = .list
    count = TableColumn.all.count
    positions = TableColumn.all.indices.map { $0 }
    self.fields = fields
  }

  /// The positions of ids, of whatever they are.
  var idPositions: Set<Int> {
    Set([TableColumn.id, .parent].compactMap { position(of: $0) })
  }

  /// The name of the column at a position of the file.
  func name(at position: Int) -> String {
    layout.columns.first { self.position(of: $0) == position }.map(layout.name)
      ?? fields.first { $0.position == position }?.field.name ?? "column \(position + 1)"
  }

  /// Columns that the layout has and the file has not, in the layout's order.
  var absent: [TableColumn] { layout.columns.filter { position(of: $0) == nil } }

  /// The position of every field that no column of the layout has, in the file's order.
  var unknown: [Int] {
    let known = Set(positions.compactMap { $0 } + fields.map(\.position))
    return (0..<count).filter { !known.contains($0) }
  }

  /// Why a first record is not a header.
  enum Fault: Error, Equatable {
    case missing([String])
    case separated(by: String)
    case duplicate(String)
    case without([String])

    var reason: String {
      switch self {
      case .missing(let names):
        "has no header: the first line must name the columns " + names.joined(separator: ", ")
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

  /// What parts the fields where it is not commas: then nothing is known until one splits by it.
  private static func otherSeparator(
    in headings: [Heading],
    _ columns: [String: TableColumn]
  ) -> String? {
    let separators: [(Character, String)] = [("\t", "tabs"), (";", "semicolons"), ("|", "bars")]
    guard headings.allSatisfy({ columns[$0.key] == nil }) else { return nil }
    return separators.first { separator, _ in
      let parts = headings.flatMap {
        $0.text.split(separator: separator, omittingEmptySubsequences: false)
      }
      return parts.count > headings.count
        && (headings.count == 1 || parts.contains { columns[Heading(String($0)).key] != nil })
    }?.1
  }
}

/// Where the values of a declared field stand in a row.
struct FieldColumn: Sendable {
  let field: Field
  let position: Int

  /// The columns of a header that fields have, found by the field's name, else by its label, else
  /// by a usual heading of it.
  ///
  /// - Parameters:
  ///   - fields: The fields that records of the file can have.
  ///   - headings: The header.
  ///   - taken: Positions of columns that are built in.
  /// - Returns: The columns that were found, in the order in which values are written.
  static func find(_ fields: [Field], in headings: [Heading], taken: Set<Int>) -> [FieldColumn] {
    let keys = headings.map(\.key)
    let spellings: [(Field) -> String] = [
      { Heading($0.name).key }, { Heading($0.label).key },
    ]
    var found: [Int: FieldColumn] = [:]
    var taken = taken
    for spelling in spellings {
      // Departments and people may both have a field of a name: then one column holds both.
      var takenNow: Set<Int> = []
      for (index, field) in fields.enumerated() where found[index] == nil {
        let wanted = spelling(field)
        let position = keys.indices.first { !taken.contains($0) && wanted == keys[$0] }
        guard let position else { continue }
        found[index] = FieldColumn(field: field, position: position)
        takenNow.insert(position)
      }
      taken.formUnion(takenNow)
    }
    let left = fields.indices.filter { found[$0] == nil && fields[$0].known != nil }
    for position in headings.indices where !left.isEmpty && !taken.contains(position) {
      let meant = headings[position].meanings.lazy.map { meaning in
        left.filter { found[$0] == nil && fields[$0].name == meaning }
      }
      for index in meant.first(where: { !$0.isEmpty }) ?? [] {
        found[index] = FieldColumn(field: fields[index], position: position)
      }
    }
    return found.values.sorted { $0.field.isWritten(before: $1.field) }
  }
}
