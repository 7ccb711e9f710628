import DirectoryModel
import DirectorySnapshot

/// Whether all conditions of a query about fields hold of a person or a department.
///
/// Each one that a search comes to is looked at when it does: most searches have few candidates left.
/// Once it was asked for many people the rest of them are looked at in one go, in the order in which
/// they lie, on two threads: that takes less than to look at them here and there. It is of one search
/// and one thread.
final class FieldFilter {
  private var tests: [ConditionTest]
  private let parts: SearchColumns
  /// Whether only the places count in which a person leads, or those in which not.
  private let leads: Bool?
  /// A bit for each person of whom they hold; `nil` until there were many questions.
  private var users: [UInt64]?
  private var questionsLeft: Int

  init(
    _ conditions: [FieldCondition],
    _ parts: SearchColumns,
    _ phones: DialingPlan,
    _ index: SearchIndex?
  ) {
    self.parts = parts
    leads = conditions.last { $0.test == .leads }.map { !$0.isExcluded }
    tests = conditions.map { ConditionTest($0, parts, phones, index) }
    questionsLeft = max(parts.users.count / 128, 32)
  }

  func contains(user row: Int) throws(SnapshotError) -> Bool {
    if let users { return users[row >> 6] >> UInt64(row & 63) & 1 == 1 }
    questionsLeft -= 1
    if questionsLeft < 0 {
      let all = try allUsers()
      users = all
      return all[row >> 6] >> UInt64(row & 63) & 1 == 1
    }
    return try Self.hold(&tests, ofUser: row)
  }

  func contains(department row: Int) throws(SnapshotError) -> Bool {
    for index in tests.indices where try !tests[index].holds(ofDepartment: row) { return false }
    return true
  }

  /// Whether a person's place is one of those asked for.
  func contains(membership row: Int) throws(SnapshotError) -> Bool {
    guard let leads else { return true }
    return try parts.memberships.leads(row) == leads
  }

  private static func hold(
    _ tests: inout [ConditionTest],
    ofUser row: Int
  ) throws(SnapshotError) -> Bool {
    for index in tests.indices where try !tests[index].holds(ofUser: row) { return false }
    return true
  }

  /// A bit for each user.
  ///
  /// - Complexity: O(bytes of all values).
  private func allUsers() throws(SnapshotError) -> [UInt64] {
    let (count, tests) = (parts.users.count, tests)
    let values = try parts.fields.verifiedOfUsers()
    let middle = min((count / 2 + 63) / 64 * 64, count)
    let (first, second) = try ConcurrentPair.run { () throws(SnapshotError) in
      try Self.users(in: 0..<middle, tests, values)
    } _: { () throws(SnapshotError) in
      try Self.users(in: middle..<count, tests, values)
    }
    return first + second
  }

  /// A bit for each user of a range, the first one in bit 0.
  private static func users(
    in range: Range<Int>,
    _ tests: [ConditionTest],
    _ values: TextRows?
  ) throws(SnapshotError) -> [UInt64] {
    var bits = [UInt64](repeating: .max, count: (range.count + 63) / 64)
    for var test in tests {
      // Not by the way of a single row, which copies and counts what a loop over millions has at hand.
      if let valueTest = test.ofUsers, let values {
        try keep(in: &bits, range, valueTest, isExcluded: test.isExcluded, values)
      } else {
        try keep(in: &bits, range.count) { (bit) throws(SnapshotError) in
          try test.holds(ofUser: range.lowerBound + bit)
        }
      }
    }
    return bits
  }

  private static func keep(
    in bits: inout [UInt64],
    _ range: Range<Int>,
    _ test: ValueTest,
    isExcluded: Bool,
    _ values: TextRows
  ) throws(SnapshotError) {
    var test = test
    try values.withAllBytes { bytes, ends in
      Result { () throws(SnapshotError) in
        try keep(in: &bits, range.count) { (bit) throws(SnapshotError) in
          let row = range.lowerBound + bit
          let start = row == 0 ? 0 : Int(ends[row - 1])
          let text = UnsafeRawBufferPointer(rebasing: bytes[start..<Int(ends[row])])
          return try test.holds(of: text) != isExcluded
        }
      }
    }.get()
  }

  /// Clears the bits of those who do not pass.
  @inline(__always)
  private static func keep(
    in bits: inout [UInt64],
    _ count: Int,
    _ passes: (Int) throws(SnapshotError) -> Bool
  ) throws(SnapshotError) {
    for bit in 0..<count where bits[bit >> 6] >> UInt64(bit & 63) & 1 == 1 {
      if try !passes(bit) { bits[bit >> 6] &= ~(1 << UInt64(bit & 63)) }
    }
  }
}

// MARK: - By the index

extension FieldFilter {
  /// The documents of an index of which the conditions may hold, a bit for each; `nil` for all.
  ///
  /// Departments are always among them: there are few.
  ///
  /// - Complexity: O(blocks · letters / 8), and for telephone numbers O(documents).
  func documents(in index: SearchIndex) throws(SnapshotError) -> [UInt64]? {
    var documents: [UInt64]?
    for test in tests {
      guard let own = try test.isExcluded ? nil : test.ofUsers?.documents(in: index) else {
        continue
      }
      if let others = documents {
        documents = zip(own, others).map { $0 & $1 }
      } else {
        documents = own
      }
    }
    guard var documents else { return nil }
    for ordinal in 0..<index.departmentDocuments.count {
      let document = Int(try index.departmentDocuments[ordinal])
      if document < index.documentCount { documents[document >> 6] |= 1 << UInt64(document & 63) }
    }
    return documents
  }
}
