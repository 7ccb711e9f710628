import DirectoryModel

/// The columns that declared fields have in a table of departments and people, and the cells of a
/// row in them.
struct FieldCells {
  /// Names of the columns: those of departments first, a name that both have once.
  let names: [String]
  let labels: [String]
  private let keys: [[UInt8]]

  init(_ fields: [Field]) {
    var names: [String] = []
    var labels: [String] = []
    for field in fields where !names.contains(field.name) {
      names.append(field.name)
      labels.append(field.label)
    }
    self.names = names
    self.labels = labels
    keys = names.map { Array($0.utf8) }
  }

  /// Calls `body` with the cell of each column, several values as `FieldList` has them; `nil` for
  /// none.
  func forEachCell(
    of text: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer?) throws -> Void
  ) rethrows {
    guard !names.isEmpty else { return }
    let values = RowValues(text)
    for key in keys {
      guard let entry = values[key] else {
        try body(nil)
        continue
      }
      if entry.isSeveral {
        try entry.cell.withUnsafeBytes { try body($0) }
      } else {
        try entry.forEachValue(body)
      }
    }
  }
}

extension RowValues.Entry {
  /// All values in one text.
  var cell: [UInt8] {
    guard isSeveral else { return values[0] }
    var cell: [UInt8] = []
    FieldList.append(values, to: &cell)
    return cell
  }
}

/// The name of the person with an id; the id where there is no such person.
package typealias PersonName = (_ id: String) throws -> String

extension [Field] {
  /// The declared fields of an owner that the catalogue knows in a format, in its order.
  ///
  /// A field whose property or attribute a built-in field has, too, takes the values that this leaves,
  /// and so must take several. A property is the same whatever its `TYPE` is.
  func known(
    as spelling: (KnownField) -> String?,
    of owner: RecordKind
  ) -> [(field: Field, spelling: String, restOf: Field?)] {
    func property(_ known: KnownField) -> String? {
      spelling(known)?.split(separator: ";").first.map { String($0) }
    }
    let taken = KnownField.builtIn.filter { $0.owner == owner }.compactMap(property)
    return KnownField.usual.compactMap { known in
      guard let field = first(where: { $0.name == known.name && $0.kind == known.kind }),
        let own = spelling(known), field.isMultiple || !taken.contains(own)
      else { return nil }
      return (field, own, Field.contacts.first { $0.known.flatMap(property) == own })
    }
  }

  /// The values of a row's declared fields as people read them, in the order of the declarations.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - personName: The name of the person with an id, for fields that name people.
  /// - Returns: Label and value of each field that has one.
  /// - Throws: What `personName` throws.
  func shown(
    of row: RowFields,
    personName: PersonName
  ) throws -> [(label: [UInt8], value: [UInt8])] {
    guard !isEmpty, let text = row.values, !text.isEmpty else { return [] }
    let values = RowValues(text)
    return try of(row.kind == .department ? .department : .user).compactMap { field in
      guard var texts = values[field.name]?.values else { return nil }
      if field.kind == .person {
        texts = try texts.map {
          try [UInt8](personName(String(decoding: $0, as: UTF8.self)).utf8)
        }
      }
      return ([UInt8](field.label.utf8), [UInt8](texts.joined(separator: [UInt8](", ".utf8))))
    }
  }
}

/// The values of a row's declared fields, taken apart where they stand; nothing is decoded before it
/// is asked for.
///
/// It is of the text it was made of, which must outlive it.
struct RowValues {
  struct Entry {
    private let field: FieldValuesReader

    fileprivate init(_ field: FieldValuesReader) { self.field = field }

    var name: String { String(decoding: field.name, as: UTF8.self) }
    func isNamed(_ name: [UInt8]) -> Bool { field.isNamed(name) }

    var isSeveral: Bool { field.isSeveral }
    /// At least one.
    var values: [[UInt8]] { field.values }

    /// Calls `body` with each value, borrowed.
    func forEachValue(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
      try field.forEachValue(body)
    }
  }

  /// In the order in which they are written.
  let entries: [Entry]

  /// - Parameter text: What `FieldValues` writes; `nil` and an empty one mean no values.
  init(_ text: UnsafeRawBufferPointer?) {
    guard let text, !text.isEmpty else {
      entries = []
      return
    }
    var entries: [Entry] = []
    entries.reserveCapacity(8)
    var reader = FieldValuesReader(text)
    while reader.next() { entries.append(Entry(reader)) }
    self.entries = entries
  }

  subscript(name: String) -> Entry? { self[Array(name.utf8)] }

  subscript(name: [UInt8]) -> Entry? { entries.first { $0.isNamed(name) } }

  /// The value of a field that has one and does not stand in a list.
  func single(_ name: [UInt8]?) -> [UInt8]? {
    guard let name, let entry = self[name], !entry.isSeveral else { return nil }
    return entry.values[0]
  }
}
