import Dispatch
import DirectoryModel
import Synchronization
import TextRules

/// Compares siblings: departments before users, then sort order, then name by the locale, then id.
///
/// Names are compared by their collation keys, made once for each department and user; the first
/// eight bytes of a key stand apart, since they decide nearly always.
struct SiblingOrder {
  private let departments: NameKeys
  private let users: NameKeys

  /// - Complexity: O(bytes of all names), on two threads.
  init(_ records: DirectoryRecords, locale: String) throws(TextRulesError) {
    departments = try NameKeys(records.departments.names, locale: locale)
    users = try NameKeys(records.users.names, locale: locale)
  }

  func departmentPrecedes(_ left: Int, _ right: Int, _ table: DepartmentTable) -> Bool {
    let leftOrder = table.sortOrders[left]
    let rightOrder = table.sortOrders[right]
    if leftOrder != rightOrder { return leftOrder < rightOrder }
    return departments.precedes(left, right, ids: table.ids)
  }

  func userPrecedes(_ left: Int, _ right: Int, ids: StringColumn) -> Bool {
    users.precedes(left, right, ids: ids)
  }
}

/// The collation keys of a column of names.
private struct NameKeys {
  /// First eight bytes of each key, as a number.
  private let prefixes: [UInt64]
  private let parts: [Part]
  /// Rows in each part but the last.
  private let partSize: Int

  /// The keys of a run of rows.
  private struct Part: Sendable {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    var prefixes: [UInt64] = []
  }

  /// Fewer names than this are not worth a second thread.
  private static let worthSplitting = 20_000

  init(_ names: StringColumn, locale: String) throws(TextRulesError) {
    let partCount = names.count < Self.worthSplitting ? 1 : 2
    let size = max(1, (names.count + partCount - 1) / partCount)
    partSize = size
    // Opened here as well, so that a bad locale is reported even where there are no names.
    _ = try Collator(locale: locale)
    let results = Mutex<[Int: Result<Part, TextRulesError>]>([:])
    DispatchQueue.concurrentPerform(iterations: partCount) { index in
      let rows = min(index * size, names.count)..<min((index + 1) * size, names.count)
      let part = Result { () throws(TextRulesError) in
        try Self.keys(of: names, rows: rows, locale: locale)
      }
      results.withLock { $0[index] = part }
    }
    var parts: [Part] = []
    for index in 0..<partCount {
      guard let result = results.withLock({ $0[index] }) else { preconditionFailure("lost part") }
      parts.append(try result.get())
    }
    prefixes = partCount == 1 ? parts[0].prefixes : parts.flatMap(\.prefixes)
    for index in parts.indices { parts[index].prefixes = [] }
    self.parts = parts
  }

  private static func keys(
    of names: StringColumn,
    rows: Range<Int>,
    locale: String
  ) throws(TextRulesError) -> Part {
    let collator = try Collator(locale: locale)
    var part = Part()
    part.ends.reserveCapacity(rows.count)
    part.prefixes.reserveCapacity(rows.count)
    for row in rows {
      let start = part.bytes.count
      names.withBytes(at: row) { collator.appendKey(of: $0, to: &part.bytes) }
      part.ends.append(part.bytes.count)
      var prefix: UInt64 = 0
      for offset in 0..<8 {
        let at = start + offset
        prefix = prefix << 8 | (at < part.bytes.count ? UInt64(part.bytes[at]) : 0)
      }
      part.prefixes.append(prefix)
    }
    return part
  }

  func precedes(_ left: Int, _ right: Int, ids: StringColumn) -> Bool {
    if prefixes[left] != prefixes[right] { return prefixes[left] < prefixes[right] }
    let order = withKey(left) { left in withKey(right) { compareBytes(left, $0) } }
    if order != 0 { return order < 0 }
    return ids.withBytes(at: left) { left in
      ids.withBytes(at: right) { compareBytes(left, $0) }
    } < 0
  }

  private func withKey<Result>(
    _ row: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let part = row / partSize
    let index = row % partSize
    let start = index == 0 ? 0 : parts[part].ends[index - 1]
    let end = parts[part].ends[index]
    return parts[part].bytes.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<end]))
    }
  }
}

/// Bytes as unsigned numbers, a prefix first: below 0, 0 or above 0.
func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  for offset in 0..<shared where left[offset] != right[offset] {
    return Int(left[offset]) - Int(right[offset])
  }
  return left.count - right.count
}
