import DirectoryModel

/// Rows on their way into an import, encoded as `COPY … FROM STDIN` takes them.
///
/// A batch is filled by the reader of the file while the importer sends the one before; a few
/// MiB is a good size. Fields are UTF-8 without NUL, lines count from 1, and `file` is the place
/// of the file's name in the list that the import began with.
package protocol ImportBatch: Sendable {
  /// What takes the rows.
  var copyStatement: String { get }
  /// The encoded rows.
  var bytes: [UInt8] { get }
  /// How many rows they are.
  var count: Int { get }
  /// Whether rows have values of declared fields.
  var hasFields: Bool { get }
}

extension ImportBatch {
  package var byteCount: Int { bytes.count }
  package var isEmpty: Bool { count == 0 }
  package var hasFields: Bool { false }
}

extension ImportBatch {
  fileprivate var fieldsColumn: String { hasFields ? ", fields" : "" }
}

/// Rows of a file of departments.
package struct DepartmentBatch: ImportBatch {
  package var copyStatement: String {
    """
    copy pg_temp.staged_departments
        (file, line, id, parent_id, name, description, sort_order, is_implied\(fieldsColumn))
      from stdin
    """
  }
  /// Whether departments have declared fields.
  package let hasFields: Bool
  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0
  /// Whether there is one that people only name.
  package private(set) var hasImplied = false

  package init(hasFields: Bool = false) { self.hasFields = hasFields }

  /// Adds a row; an empty parent makes it a root.
  ///
  /// One that is implied, since people only name it, gives way to a row of the same id that is not.
  package mutating func append(_ row: DepartmentFields, file: Int) {
    bytes.appendPlace(file: file, line: row.line)
    bytes.appendField(row.id)
    if row.parent.isEmpty { bytes.appendNull() } else { bytes.appendField(row.parent) }
    bytes.appendField(row.name)
    bytes.appendField(row.description)
    bytes.appendNumber(row.sortOrder)
    bytes.appendFlag(row.isImplied)
    bytes.endRow(row.fields, isThere: hasFields)
    if row.isImplied { hasImplied = true }
    count += 1
  }
}

/// Rows of people.
package struct PeopleBatch: ImportBatch {
  /// What a row is.
  package enum Rows: Sendable {
    /// A person, with title and sort order of the primary membership.
    case users
    /// A person in one department, the same person in several rows.
    case leaves
  }

  package var copyStatement: String {
    """
    copy pg_temp.staged_\(rows)
        (file, line, id, department_id, name, title, \(Field.columns()), sort_order,
          leads\(rows == .leaves ? ", is_primary, has_left" : "")\(fieldsColumn))
      from stdin
    """
  }
  package let rows: Rows
  /// Whether users have declared fields.
  package let hasFields: Bool
  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0

  package init(of rows: Rows, hasFields: Bool = false) {
    self.rows = rows
    self.hasFields = hasFields
  }

  package mutating func append(_ row: PersonFields, file: Int) {
    bytes.appendPlace(file: file, line: row.line)
    bytes.appendField(row.id)
    bytes.appendField(row.department)
    bytes.appendField(row.name)
    bytes.appendField(row.title)
    for field in Field.contacts { bytes.appendField(row.contacts[field]) }
    bytes.appendNumber(row.sortOrder)
    bytes.appendFlag(row.leads)
    if rows == .leaves {
      bytes.appendFlag(row.isPrimary)
      bytes.appendFlag(row.hasLeft)
    }
    bytes.endRow(row.fields, isThere: hasFields)
    count += 1
  }
}

/// Rows of a file of further memberships.
package struct MembershipBatch: ImportBatch {
  package let copyStatement = """
    copy pg_temp.staged_memberships
        (file, line, user_id, department_id, title, sort_order, leads)
      from stdin
    """
  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ row: MembershipFields, file: Int) {
    bytes.appendPlace(file: file, line: row.line)
    bytes.appendField(row.user)
    bytes.appendField(row.department)
    bytes.appendField(row.title)
    bytes.appendNumber(row.sortOrder)
    bytes.appendFlag(row.leads)
    bytes.endRow()
    count += 1
  }
}

/// COPY's text format: fields parted by tabs, rows ended by line feeds, both and the backslash
/// escaped inside fields. (manual, COPY, "Text Format")
extension [UInt8] {
  fileprivate mutating func appendPlace(file: Int, line: Int) {
    appendDecimal(Int64(file))
    append(UInt8(ascii: "\t"))
    appendDecimal(Int64(line))
    append(UInt8(ascii: "\t"))
  }

  fileprivate mutating func appendField(_ field: UnsafeRawBufferPointer) {
    if field.contains(where: Self.needsEscape) {
      for byte in field { appendEscaped(byte) }
    } else {
      append(contentsOf: field)
    }
    append(UInt8(ascii: "\t"))
  }

  fileprivate mutating func appendNull() {
    append(UInt8(ascii: "\\"))
    append(UInt8(ascii: "N"))
    append(UInt8(ascii: "\t"))
  }

  fileprivate mutating func appendNumber(_ number: Int64) {
    appendDecimal(number)
    append(UInt8(ascii: "\t"))
  }

  fileprivate mutating func appendFlag(_ flag: Bool?) {
    switch flag {
    case true?: append(UInt8(ascii: "t"))
    case false?: append(UInt8(ascii: "f"))
    case nil: append(contentsOf: "\\N".utf8)
    }
    append(UInt8(ascii: "\t"))
  }

  /// Ends a row with the values of declared fields, where the statement has a column for them.
  fileprivate mutating func endRow(_ fields: [UInt8] = [], isThere: Bool = false) {
    if isThere {
      fields.withUnsafeBytes { appendField($0) }
      if fields.isEmpty {
        removeLast()
        append(contentsOf: "{}\t".utf8)
      }
    }
    self[count - 1] = UInt8(ascii: "\n")
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    guard Self.needsEscape(byte) else { return append(byte) }
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    default: append(byte)
    }
  }

  fileprivate mutating func appendDecimal(_ number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = count
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
