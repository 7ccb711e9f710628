import DirectoryModel
import DirectorySnapshot

/// Finds the records whose searched fields may hold a word of a query: an index has no words of
/// declared fields, so these records are looked at one by one.
struct FieldHolders {
  /// Words that stand in ASCII as they are written, but for case.
  private let words: [[UInt8]]
  /// Whether every record with values is looked at: for numbers, other scripts and phrases.
  private let wantsAll: Bool
  private var lowered: [UInt8] = []

  /// `nil` where no word may be found in a declared field.
  init?(_ terms: [TermMatcher], _ parts: SearchParts) {
    let free = terms.map(\.term).filter { $0.field == nil && $0.means == .all }
    guard !free.isEmpty, !parts.searchedFields.isEmpty else { return nil }
    words = free.map(\.text)
    wantsAll = free.contains { term in
      term.phone != nil
        || term.text.contains { $0 >= 0x80 || $0 <= 0x20 || $0 == 0x22 || $0 == 0x5C }
    }
  }

  /// Rows of users, and of departments.
  ///
  /// - Complexity: O(bytes of all values · words).
  mutating func rows(
    _ parts: SearchParts
  ) throws(SnapshotError) -> (users: [Int], departments: [Int]) {
    (
      try rows(of: .user, try parts.fields.verifiedOfUsers(), parts),
      try rows(of: .department, try parts.fields.verifiedOfDepartments(), parts)
    )
  }

  private mutating func rows(
    of owner: RecordKind,
    _ values: TextRows?,
    _ parts: SearchParts
  ) throws(SnapshotError) -> [Int] {
    guard let values, parts.searchedFields.contains(where: { $0.owner == owner }) else { return [] }
    var found: [Int] = []
    for row in 0..<values.count where values.withBytes(at: row, { mayHold($0) }) {
      found.append(row)
    }
    return found
  }

  private mutating func mayHold(_ text: UnsafeRawBufferPointer) -> Bool {
    guard !text.isEmpty else { return false }
    if wantsAll { return true }
    lowered.removeAll(keepingCapacity: true)
    for byte in text {
      if byte >= 0x80 { return true }
      lowered.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
    }
    return lowered.withUnsafeBufferPointer { text in
      words.contains { word in
        word.count <= text.count
          && word.withUnsafeBufferPointer { WordSearch.position(of: $0, in: text) != nil }
      }
    }
  }
}
