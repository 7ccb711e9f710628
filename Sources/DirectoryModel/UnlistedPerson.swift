/// How rows of a list name a person who is not in it: by a name or an address, which is looked up in the
/// directory.
package enum UnlistedPerson {
  /// Stands before the text; no id begins so.
  package static let mark: UInt8 = 1

  /// The value of a field; `nil` for a text that is too long to be one.
  package static func value(_ text: [UInt8]) -> [UInt8]? {
    (1..<DirectoryLimits.idBytes).contains(text.count) ? [mark] + text : nil
  }
}

/// A value of a field that names a person, and that an import leaves out.
package struct LeftOutReference: Hashable, Sendable {
  package enum Cause: String, Sendable {
    /// Nobody is called so.
    case nobody
    /// Several people of the directory are.
    case several
    /// The person leaves with the import.
    case leaves
  }

  package var kind: RecordKind
  /// The place of the file among those of the import, and the line of the row, from 1.
  package var file: Int
  package var line: Int
  /// The record that has the value.
  package var id: String
  package var name: String
  package var field: String
  package var person: String
  package var cause: Cause

  package init(
    kind: RecordKind,
    file: Int,
    line: Int,
    id: String,
    name: String,
    field: String,
    person: String,
    cause: Cause
  ) {
    self.kind = kind
    self.file = file
    self.line = line
    self.id = id
    self.name = name
    self.field = field
    self.person = person
    self.cause = cause
  }
}
