import DirectoryModel
import DirectoryStore
import LiveDirectory

/// What changes refer to, beside what is there once they are made.
///
/// The database refuses a reference to nothing, but in the words of a constraint and after the plan.
struct References {
  private let fields: [Field]
  private var there: Set<RecordKey> = []
  /// What stays in departments that are removed, a line each.
  private(set) var remainders: [String] = []

  /// - Parameters:
  ///   - changes: At most one for each record.
  ///   - editor: What is there now.
  /// - Throws: What keeps the database from being read.
  init(of changes: [Change], _ editor: DirectoryEditor) async throws(DirectoryError) {
    fields = editor.fields
    var departments: Set<DepartmentID> = []
    var people: Set<UserID> = []
    for change in changes {
      guard let after = change.after else { continue }
      departments.formUnion(after.places.map(\.id))
      people.formUnion(named(after.fields, of: change.kind).map { UserID($0.id) })
    }
    let present = try await editor.present(departments: Array(departments), users: Array(people))
    there = Set(present.departments.keys.map { RecordKey(.department, $0.rawValue) })
    there.formUnion(present.users.keys.map { RecordKey(.user, $0.rawValue) })
    for change in changes {
      if change.after == nil {
        there.remove(RecordKey(change))
      } else {
        there.insert(RecordKey(change))
        if let id = change.newID { there.insert(RecordKey(change.kind, id)) }
      }
    }
    try await findRemainders(changes, editor)
  }

  /// What keeps a change from being made: departments that it puts a record into and that are not
  /// there, people whom it has a field name, a primary department that it takes the person out of.
  ///
  /// Whatever is added is only left without those people.
  func obstacles(_ change: Change) -> [String] {
    guard let after = change.after else { return [] }
    let subject = "\(change.name) (\(change.id))"
    var seen: Set<DepartmentID> = []
    let places = after.places.filter {
      !there.contains(RecordKey(.department, $0.id.rawValue)) && seen.insert($0.id).inserted
    }
    let people = change.before == nil ? [] : missingPeople(after.fields, of: change.kind)
    let primary = after.primary.map { primary in
      change.kind == .user && !after.memberships.contains { $0.place.id == primary.id }
        ? ["\(subject): \(primary.name) (\(primary.id)) is the primary department now"] : []
    }
    return (primary ?? [])
      + places.map { "\(subject): the department \($0.name) (\($0.id)) has been removed" }
      + people.map { "\(subject): \($0.field) names \($0.id), who has been removed" }
  }

  /// People whom fields name and who are not there.
  func missingPeople(
    _ values: FieldValues,
    of kind: RecordKind
  ) -> [(field: String, id: String)] {
    named(values, of: kind).filter { !there.contains(RecordKey(.user, $0.id)) }
  }

  func withoutMissing(_ values: FieldValues, of kind: RecordKind) -> FieldValues {
    let missing = missingPeople(values, of: kind)
    guard !missing.isEmpty, var all = values.values else { return values }
    for name in Set(missing.map(\.field)) {
      let rest = (all[name]?.texts ?? []).filter { there.contains(RecordKey(.user, $0)) }
      if case .several? = all[name], !rest.isEmpty {
        all[name] = .several(rest)
      } else {
        all[name] = nil
      }
    }
    return FieldValues(all)
  }

  private func named(_ values: FieldValues, of kind: RecordKind) -> [(field: String, id: String)] {
    let fields = fields.of(kind).filter { $0.kind == .person }
    guard !fields.isEmpty, let all = values.values else { return [] }
    return fields.flatMap { field in (all[field.name]?.texts ?? []).map { (field.name, $0) } }
  }

  /// Departments are removed only when nothing is left in them.
  private mutating func findRemainders(
    _ changes: [Change],
    _ editor: DirectoryEditor
  ) async throws(DirectoryError) {
    let removed = changes.filter { $0.kind == .department && $0.after == nil }
    guard !removed.isEmpty else { return }
    let roots = removed.map { DepartmentID($0.id) }
    let (departments, records) = try await editor.subtrees(of: roots)
    var latter: [RecordKey: Change.State?] = [:]
    for change in changes { latter[RecordKey(change)] = change.after }
    let removedIDs = Set(roots)
    func check(_ kind: RecordKind, _ id: String) {
      let state = latter[RecordKey(kind, id)] ?? records.state(kind, id)
      guard let state, let place = state.places.first(where: { removedIDs.contains($0.id) }) else {
        return
      }
      let noun = kind == .department ? "the department " : ""
      remainders.append("\(noun)\(state.name) (\(id)) is in \(place.name) (\(place.id))")
    }
    for id in departments { check(.department, id.rawValue) }
    for id in records.users.keys.sorted() { check(.user, id.rawValue) }
  }
}

extension Change.State {
  /// The departments that it is in, or under.
  fileprivate var places: [Change.Place] { memberships.map(\.place) + (primary.map { [$0] } ?? []) }
}
