import DirectoryModel

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

  /// - Parameter text: What `FieldValues` writes; `nil` and an empty one are no values.
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
