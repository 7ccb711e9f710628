import DirectoryModel

/// The values of a row's declared fields, taken apart.
struct RowValues {
  struct Entry {
    var name: String
    var isSeveral: Bool
    /// At least one.
    var values: [[UInt8]]
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
    var reader = FieldValuesReader(text)
    while reader.next() {
      entries.append(
        Entry(
          name: String(decoding: reader.name, as: UTF8.self),
          isSeveral: reader.isSeveral,
          values: reader.values
        )
      )
    }
    self.entries = entries
  }

  subscript(name: String) -> Entry? { entries.first { $0.name == name } }

  /// The value of a field that has one and does not stand in a list.
  func single(_ name: String?) -> [UInt8]? {
    guard let name, let entry = self[name], !entry.isSeveral else { return nil }
    return entry.values[0]
  }
}
