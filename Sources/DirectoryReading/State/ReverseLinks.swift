import DirectoryModel
import DirectorySnapshot
import Synchronization

/// Who names whom in one field of people.
struct ReverseLinks: Sendable {
  /// Where in `namers` those of each person begin; one more at the end.
  private let starts: [UInt32]
  /// Rows of people, rising for each one whom they name.
  private let namers: [UInt32]

  /// - Parameters:
  ///   - field: The name of the field.
  ///   - rows: The values of all people.
  ///   - index: The people by their ids; what is an unknown id is passed over.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the values), and a look-up for each value that differs from the one
  ///   before; 4 bytes for each person and each value.
  init(_ field: String, in rows: TextRows, _ index: IndexPart) throws(SnapshotError) {
    let name = Array(field.utf8)
    var links: [(named: UInt32, namer: UInt32)] = []
    // Those who lie side by side mostly name the same person.
    var last: (id: [UInt8], row: UInt32?) = ([], nil)
    for row in 0..<rows.count {
      try rows.withBytes(at: row) { text in
        Result { () throws(SnapshotError) in
          var reader = FieldValuesReader(text)
          while reader.next() {
            guard reader.isNamed(name) else { continue }
            let first = links.count
            try reader.forEachValue { (id) throws(SnapshotError) in
              if last.id.isEmpty || !id.elementsEqual(last.id) {
                last.row = try index.row(of: String(decoding: id, as: UTF8.self)).map { UInt32($0) }
                last.id = Array(id)
              }
              guard let named = last.row, !links[first...].contains(where: { $0.named == named })
              else { return }
              links.append((named, UInt32(row)))
            }
          }
        }
      }.get()
    }
    var starts = [UInt32](repeating: 0, count: rows.count + 1)
    for link in links { starts[Int(link.named) + 1] += 1 }
    for row in 0..<rows.count { starts[row + 1] += starts[row] }
    var next = starts
    var namers = [UInt32](repeating: 0, count: links.count)
    for link in links {
      namers[Int(next[Int(link.named)])] = link.namer
      next[Int(link.named)] += 1
    }
    (self.starts, self.namers) = (starts, namers)
  }

  /// Rows of the people who name a person, rising.
  func rows(naming user: Int) -> [Int] {
    namers[Int(starts[user])..<Int(starts[user + 1])].map { Int($0) }
  }
}

/// The reverse links of a state, field by field.
///
/// To find who names one person by a look at all values takes a third of what it takes to make the
/// table of all. So a command that shows one card does not make it, and a server does so soon.
final class ReverseLinkCache: Sendable {
  private struct Entry: Sendable {
    var questions = 0
    var links: ReverseLinks?
  }

  private let fields: FieldPart
  private let index: IndexPart
  private let known = Mutex<[String: Entry]>([:])

  /// How many questions are answered by a look at all values.
  static let mostLooks = 3

  init(_ fields: FieldPart, _ index: IndexPart) {
    (self.fields, self.index) = (fields, index)
  }

  /// Rows of the people who name a person in a field, rising.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the values) for the first questions, then O(1) and what is found.
  func rows(naming id: String, in field: String) throws(SnapshotError) -> [Int] {
    let (links, question) = known.withLock { known in
      known[field, default: Entry()].questions += 1
      return (known[field]?.links, known[field]?.questions ?? 0)
    }
    if let links { return try index.row(of: id).map { links.rows(naming: $0) } ?? [] }
    // One makes the table; who asks meanwhile looks.
    guard question == Self.mostLooks + 1, let values = try fields.verifiedOfUsers() else {
      return try fields.users(naming: id, in: field)
    }
    let made = try ReverseLinks(field, in: values, index)
    known.withLock { $0[field]?.links = made }
    return try index.row(of: id).map { made.rows(naming: $0) } ?? []
  }
}
