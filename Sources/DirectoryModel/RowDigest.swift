/// What a record is of.
package enum RecordKind: String, Codable, Sendable, CaseIterable {
  case department, user, membership

  /// What several of them are called in sentences.
  package var inWords: String { self == .user ? "people" : rawValue + "s" }
}

/// The digest of a set of rows, whatever their order; the server can tell the same of its own.
///
///     select count(*), coalesce(sum(h & 4294967295), 0), coalesce(sum((h >> 32) & 4294967295), 0)
///       from (select hashtextextended(…, hashtextextended(…, 0)) as h from …) rows
package struct RowDigest: Hashable, Sendable {
  /// Number of rows.
  package var count: Int
  /// Sum of the lower 32 bits of the rows' hashes.
  package var low: UInt64
  /// Sum of the upper 32 bits of the rows' hashes.
  package var high: UInt64

  /// The digest of no rows.
  package init() { self.init(count: 0, low: 0, high: 0) }

  package init(count: Int, low: UInt64, high: UInt64) {
    self.count = count
    self.low = low
    self.high = high
  }

  /// Adds a row.
  package mutating func add(_ row: RowHash) {
    count += 1
    low += row.value & 0xFFFF_FFFF
    high += row.value >> 32
  }
}

/// The hash of a row: each column hashed with the hash of the columns before it as the seed,
/// beginning with 0.
///
/// The columns and their order are `RecordKind.columns`, as PostgreSQL casts them to text; without
/// a parent, or without an identity, that is the empty text.
package struct RowHash: Hashable, Sendable {
  package private(set) var value: UInt64 = 0

  package init() {}

  /// Adds the next column.
  package mutating func add(_ utf8: UnsafeRawBufferPointer) {
    value = PostgresHash.extended(utf8, seed: value)
  }

  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Adds a number as its decimal digits.
  package mutating func add(_ number: Int64) { add(String(number)) }

  package mutating func add(_ flag: Bool) { add(flag ? "true" : "false") }

  /// Adds a column of text; of declared fields, no values are `{}` at the server.
  package mutating func add(_ utf8: UnsafeRawBufferPointer, of column: RecordColumn) {
    if column == .fields, utf8.isEmpty { add("{}") } else { add(utf8) }
  }

  package init(of record: DepartmentRecord) {
    add(record.id.rawValue)
    add(record.parent?.rawValue ?? "")
    add(record.name)
    add(record.description)
    add(record.identity?.rawValue ?? "")
    add(record.fields)
    add(record.sortOrder)
  }

  package init(of record: UserRecord) {
    add(record.id.rawValue)
    add(record.primaryDepartment.rawValue)
    add(record.name)
    for field in Field.contacts { add(record.contacts[field]) }
    add(record.identity?.rawValue ?? "")
    add(record.fields)
  }

  package init(of record: MembershipRecord) {
    add(record.user.rawValue)
    add(record.department.rawValue)
    add(record.title)
    add(record.sortOrder)
    add(record.leads)
  }

  private mutating func add(_ fields: FieldValues) { add(fields.isEmpty ? "{}" : fields.text) }
}

/// The rows of one kind whose ids lie in a range, by content.
///
/// Ids are compared byte for byte; a membership lies where its user's id does.
package struct SourceSlice: Hashable, Sendable {
  package var kind: RecordKind
  /// The least id in the range.
  package var first: String
  /// The greatest id in the range; `nil` when the range has no end.
  package var last: String?
  /// The digest of the rows at the source.
  package var digest: RowDigest

  package init(kind: RecordKind, first: String, last: String?, digest: RowDigest) {
    self.kind = kind
    self.first = first
    self.last = last
    self.digest = digest
  }
}
