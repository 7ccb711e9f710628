import DirectoryModel
import DirectorySnapshot
import TextRules

/// The people and departments of whom all conditions of a query about fields hold.
///
/// With an index or without, they are found by looking at the fields of all.
struct FieldFilter: Sendable {
  /// A bit for each row.
  private var users: [UInt64]
  private var departments: [UInt64]
  /// Whether only the places count in which a person leads, or those in which not.
  private let leads: Bool?

  /// - Complexity: O(bytes of all declared fields · conditions).
  init(
    _ conditions: [FieldCondition],
    _ parts: SearchParts,
    _ phones: PhoneRules
  ) throws(SnapshotError) {
    users = Self.all(parts.users.count)
    departments = Self.all(parts.departments.count)
    leads = conditions.last { $0.test == .leads }.map { !$0.isExcluded }
    for condition in conditions {
      var holds = ConditionTest(condition.test, parts, phones)
      for row in 0..<parts.users.count where Self.has(row, users) {
        if try holds.ofUser(row) == condition.isExcluded { Self.remove(row, &users) }
      }
      for row in 0..<parts.departments.count where Self.has(row, departments) {
        if try holds.ofDepartment(row) == condition.isExcluded { Self.remove(row, &departments) }
      }
    }
  }

  func contains(user row: Int) -> Bool { Self.has(row, users) }
  func contains(department row: Int) -> Bool { Self.has(row, departments) }

  /// Whether a person's place is one of those asked for.
  func contains(membership row: Int, _ parts: SearchParts) throws(SnapshotError) -> Bool {
    guard let leads else { return true }
    return try parts.memberships.leads(row) == leads
  }

  private static func all(_ count: Int) -> [UInt64] {
    [UInt64](repeating: .max, count: (count + 63) / 64)
  }

  private static func has(_ row: Int, _ bits: [UInt64]) -> Bool {
    bits[row / 64] >> UInt64(row % 64) & 1 == 1
  }

  private static func remove(_ row: Int, _ bits: inout [UInt64]) {
    bits[row / 64] &= ~(1 << UInt64(row % 64))
  }
}

/// Looks at one record after the other.
private struct ConditionTest {
  private let test: FieldCondition.Test
  private let parts: SearchParts
  private let phones: PhoneRules
  private var texts = FieldTexts()

  init(_ test: FieldCondition.Test, _ parts: SearchParts, _ phones: PhoneRules) {
    self.test = test
    self.parts = parts
    self.phones = phones
  }

  mutating func ofUser(_ row: Int) throws(SnapshotError) -> Bool {
    switch test {
    case .value, .has: return try holds(try parts.fields.values(ofUser: row), of: .user)
    case .hasContact(let field): return try !parts.contacts[field][row].isEmpty
    case .hasTitle:
      for leaf in try parts.leaves.nodes(of: row)
      where try !parts.memberships.titles[parts.tree.record(of: leaf)].isEmpty {
        return true
      }
      return false
    case .leads:
      for leaf in try parts.leaves.nodes(of: row)
      where try parts.memberships.leads(parts.tree.record(of: leaf)) {
        return true
      }
      return false
    }
  }

  mutating func ofDepartment(_ row: Int) throws(SnapshotError) -> Bool {
    switch test {
    case .value, .has:
      return try holds(try parts.fields.values(ofDepartment: row), of: .department)
    case .hasTitle, .hasContact, .leads: return false
    }
  }

  private mutating func holds(
    _ values: FieldValues,
    of owner: RecordKind
  ) throws(SnapshotError) -> Bool {
    guard !values.isEmpty, let all = values.values else { return false }
    switch test {
    case .has(let name): return all[name] != nil
    case .value(let name, let term):
      guard let value = all[name] else { return false }
      let field = parts.fields.declared.first { $0.name == name && $0.owner == owner }
      for text in value.texts where try matches(text, term, field?.kind ?? .text) { return true }
      return false
    default: return false
    }
  }

  private mutating func matches(
    _ text: String,
    _ term: SearchTerm,
    _ kind: FieldKind
  ) throws(SnapshotError) -> Bool {
    if kind == .phone, let phone = term.phone {
      return phone.quality(in: PhoneDigits(Folding.fold(text).utf8, rules: phones)) != nil
    }
    if isIn(text, term) { return true }
    guard kind == .person, let row = try parts.people.row(of: text) else { return false }
    return isIn(try parts.users.names[row], term)
  }

  private mutating func isIn(_ text: String, _ term: SearchTerm) -> Bool {
    var text = text
    text.withUTF8 { texts.take(UnsafeRawBufferPointer($0)) }
    return TermMatcher(term, allowsErrors: false).literal(in: texts) != nil
  }
}
