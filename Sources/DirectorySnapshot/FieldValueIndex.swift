import DirectoryModel
import Platform
import Synchronization

/// Who has which value of a field: what clauses ask of a state, found once for all who ask it.
final class FieldValueIndex: Sendable {
  private struct Fact: Hashable {
    var field: String
    var value: ItemText
  }

  private let known = Mutex<[Fact: [Int]]>([:])

  /// More are forgotten: rules name few.
  private static let mostFacts = 256

  /// Rows of people one of whose values of a field is a text, rising; an empty text is not a value.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the field) the first time, then O(1).
  func people(
    with field: String,
    _ value: ItemText,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> [Int] {
    let fact = Fact(field: field, value: value)
    if let rows = known.withLock({ $0[fact] }) { return rows }
    let rows = try snapshot.findPeople(with: field, value)
    known.withLock { known in
      if known.count >= Self.mostFacts { known = [:] }
      known[fact] = rows
    }
    return rows
  }
}

extension DirectorySnapshot {
  fileprivate func findPeople(
    with field: String,
    _ value: ItemText
  ) throws(SnapshotError) -> [Int] {
    guard !value.text.isEmpty else { return [] }
    if field == RecordColumn.id.name {
      return try userIndex().row(of: value.text).map { [$0] } ?? []
    }
    let value = Array(value.text.utf8)
    func rows(_ column: TextColumn) throws(SnapshotError) -> [Int] {
      guard !column.isBlank else { return [] }
      return try column.verified().withView { view in
        var rows: [Int] = []
        view.forEachRow(holding: value) { if view[$0].elementsEqual(value) { rows.append($0) } }
        return rows
      }
    }
    if let column = RecordKind.user.valueTexts.first(where: { $0.name == field }) {
      return try rows(file.text(column, of: .user, count: users().count))
    }
    let part = try memberships()
    if let column = RecordKind.membership.valueTexts.first(where: { $0.name == field }) {
      var users: Set<Int> = []
      for row in try rows(file.text(column, of: .membership, count: part.count)) {
        users.insert(try part.user(of: row))
      }
      return users.sorted()
    }
    return try fields().users(naming: String(decoding: value, as: UTF8.self), in: field)
  }

  /// Whether a text is one of the values of a person's field.
  func person(
    _ row: Int,
    has field: String,
    _ value: ItemText
  ) throws(SnapshotError) -> Bool {
    guard !value.text.isEmpty else { return false }
    let isSame = { (bytes: UnsafeRawBufferPointer) in bytes.elementsEqual(value.text.utf8) }
    if field == RecordColumn.id.name { return try users().ids.withBytes(at: row, isSame) }
    if let column = RecordKind.user.valueTexts.first(where: { $0.name == field }) {
      return try file.text(column, of: .user, count: users().count).withBytes(at: row, isSame)
    }
    let (part, tree) = (try memberships(), try tree())
    if let column = RecordKind.membership.valueTexts.first(where: { $0.name == field }) {
      let texts = try file.text(column, of: .membership, count: part.count)
      for leaf in try leaves().nodes(of: row) {
        if try texts.withBytes(at: tree.record(of: leaf), isSame) { return true }
      }
      return false
    }
    let name = Array(field.utf8)
    return try fields().withValues(ofUser: row) { text in
      var reader = FieldValuesReader(text)
      while reader.next() {
        if reader.isNamed(name) {
          return reader.values.contains { $0.elementsEqual(value.text.utf8) }
        }
      }
      return false
    }
  }

  /// Rows of the people whom a clause is about that is about people; `nil` for another one.
  ///
  /// - Complexity: O(those people), and the first time for each field and value O(its bytes).
  func people(_ targets: Sight.Targets) throws(SnapshotError) -> [Int]? {
    switch targets {
    case .everything, .department: return nil
    case .person(let id): return try parts().userIndex.row(of: id.rawValue).map { [$0] } ?? []
    case .people(let field, let value): return try facts.people(with: field, value, in: self)
    case .peopleDirectly(let id):
      let parts = try parts()
      guard let row = try parts.departmentIndex.row(of: id.rawValue) else { return [] }
      let (tree, memberships) = (parts.tree, parts.memberships)
      var children = try tree.children(of: parts.departments.node(of: row))
      var people: [Int] = []
      while let child = try children.next() {
        if try !tree.isDepartment(child) {
          people.append(try memberships.user(of: tree.record(of: child)))
        }
      }
      return people
    }
  }

  /// Where a department and everything below stand; `nil` where it is not there.
  func subtree(of id: DepartmentID) throws(SnapshotError) -> Range<Int>? {
    let parts = try parts()
    guard let row = try parts.departmentIndex.row(of: id.rawValue) else { return nil }
    return try parts.tree.subtree(of: parts.departments.node(of: row))
  }

  /// The group *Unplaced* and everything below; empty where there is none.
  func unplacedNodes() throws(SnapshotError) -> Range<Int> {
    let tree = try parts().tree
    guard tree.unplacedCount > 0 else { return 0..<0 }
    let node = try tree.unplaced(at: 0).node
    return try tree.subtree(of: tree.ancestors(of: node).last ?? node)
  }
}
