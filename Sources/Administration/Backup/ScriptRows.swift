import DirectoryStore

/// Counts the rows of an SQL script of pg_restore(1) by their tables while it passes by.
///
/// pg_dump(1): the rows of a table stand between a line `COPY schema.table (…) FROM stdin;` and a line
/// `\.`, each on a line of its own, since COPY's text format escapes line breaks in values
/// (PostgreSQL: COPY, File Formats). The first column of `migrations` is the number of a step.
struct ScriptRows {
  /// The rows of complete and begun tables of the schema `staffbook`.
  private(set) var rows = TableRows()
  /// How many rows passed by in all.
  private(set) var total = 0

  /// The table whose rows pass by; an empty name for those of other schemas.
  private var table: String?
  /// Rows of `table` so far.
  private var count = 0
  /// The beginning of a line that is not over yet.
  private var begun: [UInt8] = []

  private static let start = Array("COPY ".utf8)
  private static let schema = Array("staffbook.".utf8)
  /// A schema, a table and a blank fit into it.
  private static let longestHead = 256

  /// Takes the next bytes, which may begin and end within a line.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      if begun.isEmpty {
        take(UnsafeRawBufferPointer(rebasing: line))
      } else {
        keep(line)
        begun.withUnsafeBytes { take($0) }
        begun.removeAll(keepingCapacity: true)
      }
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
    begun.append(contentsOf: bytes.prefix(max(0, Self.longestHead - begun.count)))
  }

  private mutating func take(_ line: UnsafeRawBufferPointer) {
    guard let table else {
      if line.starts(with: Self.start) { self.table = Self.table(of: line.dropFirst(5)) }
      return
    }
    guard line.count == 2, line[0] == UInt8(ascii: "\\"), line[1] == UInt8(ascii: ".") else {
      if table == "migrations" {
        rows.schemaVersion = max(rows.schemaVersion, Self.number(line))
      }
      count += 1
      total += 1
      return
    }
    if !table.isEmpty { rows.counts[table] = count }
    self.table = nil
    count = 0
  }

  private static func table(of words: Slice<UnsafeRawBufferPointer>) -> String {
    guard words.starts(with: schema) else { return "" }
    let name = words.dropFirst(schema.count).prefix { $0 != UInt8(ascii: " ") }
    return String(decoding: name, as: UTF8.self)
  }

  /// The number in the first column of a row; 0 where there is none.
  private static func number(_ line: UnsafeRawBufferPointer) -> Int {
    Int(String(decoding: line.prefix { $0 != UInt8(ascii: "\t") }, as: UTF8.self)) ?? 0
  }
}
