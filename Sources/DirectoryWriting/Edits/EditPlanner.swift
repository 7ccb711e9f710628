import DirectoryModel
import DirectoryReading
import DirectoryStore
import TextRules

/// Makes changes of what the user asks for: finds the records in the snapshot by the names that
/// people use, reads them from the database as they are now, and edits them in a draft.
struct EditPlanner {
  let directory: Directory
  let editor: DirectoryEditor
  let doing: String
  /// What the caller sees of records as the database has them; `nil` for callers who see everything.
  var visibility: Visibility?
  var draft = EditDraft()
  /// What the changes mean for lists.
  var effect: ListEffect?
  /// What a person should know beside the plan.
  var notes: [String] = []
  /// Whether departments and people are named by ids, of records that may be removed: in the text that an
  /// edit began with.
  var takesIDs = false
  /// Whom words were found to mean.
  private var meant: [ItemText: RecordKey] = [:]
  /// Asks whether a record is meant that is not named exactly.
  private let isMeant: EditObserver.Guess

  init(
    _ edit: String,
    _ directory: Directory,
    _ editor: DirectoryEditor,
    isMeant: @escaping EditObserver.Guess = { _ in false }
  ) {
    doing = edit
    self.directory = directory
    self.editor = editor
    self.isMeant = isMeant
  }

  mutating func plan(_ edit: Edit) async throws {
    switch edit {
    case .addUser(let name, let department, let id, let title, let values):
      try await addUser(name, department, id, title, values)
    case .addDepartment(let name, let parent, let id, let values):
      try await addDepartment(name, parent, id, values)
    case .set(let who, let values): try await assign(values, to: find(who))
    case .rename(let who, let name): try await assign(["name=" + name], to: find(who))
    case .move(let who, let to, let from): try await move(who, to, from)
    case .join(let who, let department, let title): try await join(who, department, title)
    case .leave(let who, let department): try await leave(who, department)
    case .primary(let who, let department): try await makePrimary(who, department)
    case .order(let department, let who): try await order(department, who)
    case .merge(let who, let double, _): try await merge(who, double)
    case .remove(let who, let recursive, let peopleTo):
      try await remove(who, recursive: recursive, peopleTo: peopleTo)
    }
  }

  func refusal(_ kind: DirectoryError.Kind, _ reason: String, _ advice: Advice? = nil)
    -> DirectoryError
  {
    DirectoryError(kind, "cannot \(doing): \(reason)", advice: advice)
  }

  /// What is hidden does not exist.
  var isHidden: DirectoryError { refusal(.notFound, "there is no such record or field") }
}

// MARK: - Finding

extension EditPlanner {
  private static let listed = 20

  /// The one record that is meant, loaded as it is in the database.
  mutating func find(_ who: String, _ kind: RecordKind? = nil) async throws -> RecordKey {
    let known = kind == .user ? meant[ItemText(who)] : nil
    let key = try known ?? key(of: who, kind)
    try await load([key])
    guard draft.former(key) != nil else { throw isRemoved(key, who) }
    return key
  }

  /// Finds people by the words that name them, in one look at the database; a caller who takes more
  /// than that, or is not found, is looked for when needed.
  mutating func prepare(people words: Set<ItemText>) async throws {
    for (word, id) in try directory.people(meantBy: words) { meant[word] = .user(id) }
    try await load(Array(meant.values))
  }

  mutating func findDepartment(_ name: String) async throws -> DepartmentID {
    let id = DepartmentID(try directory.listRow(at: node(ofDepartment: name)).id)
    try await load([.department(id)])
    guard draft.former(.department(id)) != nil else { throw isRemoved(.department(id), name) }
    return id
  }

  mutating func findPlace(_ name: String) async throws -> Change.Place {
    if takesIDs {
      let node = try directory.node(of: DepartmentID(name))
      let present = try node.map { try directory.listRow(at: $0).name }
      return Change.Place(id: DepartmentID(name), name: present ?? name)
    }
    let id = try await findDepartment(name)
    return place(id)
  }

  func node(ofDepartment name: String) throws -> Node {
    let node = try directory.node(of: DepartmentName(name))
    let row = try directory.listRow(at: node)
    try requireMeant(row, by: name, "department")
    try requireOnly(row, called: name, .department)
    return node
  }

  /// A change is made to what is named exactly, or to what is said to be meant: it was told to
  /// remove `liz`, and removed ليلى الحداد, whose name may be read so.
  func requireMeant(_ row: DirectoryRow, by name: String, _ noun: String) throws {
    guard !DepartmentName(name).isExact(for: row) else { return }
    let path = DepartmentName.path(row.path ?? [])
    let guess = "\(row.name) (id:\(row.id)\(path.isEmpty ? "" : ", \(path)"))"
    guard try isMeant(guess) else {
      throw refusal(
        .notFound,
        "no \(noun) is called \(name)",
        "did you mean \(guess)? Name it by its id or its whole name"
      )
    }
  }

  private func isRemoved(_ key: RecordKey, _ who: String) -> DirectoryError {
    let noun = key.kind == .user ? "person" : "department"
    return refusal(
      .notFound,
      who.utf8.elementsEqual(key.id.utf8)
        ? "the \(noun) \(who) is not in the database"
        : "the \(noun) \(who) (\(key.id)) is not in the database",
      "it was removed in the meantime, or the database does not let this user see it"
    )
  }

  private func key(of who: String, _ kind: RecordKind?) throws -> RecordKey {
    let noun =
      switch kind {
      case .user?: "person"
      case .department?: "department"
      default: "person or department"
      }
    switch try directory.lookUp(who, limit: Self.listed) {
    case .found(let nodes):
      let rows = try nodes.map(directory.listRow)
      let fitting = rows.filter { kind == nil || Self.kind(of: $0) == kind }
      if fitting.count == 1 { return try meant(fitting[0], by: who, noun, kind) }
      throw refusal(
        .notFound,
        fitting.isEmpty
          ? "\(who) is not a \(noun)" : "a person and a department have the id \(rows[0].id)"
      )
    case .several(let rows, let total):
      let fitting = rows.map(\.row).filter { kind == nil || Self.kind(of: $0) == kind }
      if fitting.count == 1, total == .exactly(rows.count) {
        return try meant(fitting[0], by: who, noun, kind)
      }
      throw severalMatch(who, fitting.isEmpty ? rows.map(\.row) : fitting, total)
    case .card: throw refusal(.notFound, "no \(noun) matches \(who)")
    case .nothing(let nearest):
      throw refusal(
        .notFound,
        "no \(noun) matches \(who)",
        nearest.isEmpty ? nil : "did you mean \(nearest.joined(separator: ", "))?"
      )
    }
  }

  private func severalMatch(
    _ who: String,
    _ rows: [DirectoryRow],
    _ total: SearchTotal
  ) -> DirectoryError {
    let number =
      switch total {
      case .exactly(let count): "\(count)"
      case .moreThan(let count): "more than \(count)"
      }
    return DirectoryError(
      .notFound,
      "cannot \(doing): \(number) people or departments match \(who)",
      advice: "name one by its id, such as id:\(rows[0].id)",
      details: rows.map { row in
        let path = DepartmentName.path(row.path ?? [])
        return "id:\(row.id) (\(row.name)\(path.isEmpty ? "" : ", \(path)"))"
      }
    )
  }

  static func kind(of row: DirectoryRow) -> RecordKind { row.kind == .user ? .user : .department }

  private func meant(
    _ row: DirectoryRow,
    by who: String,
    _ noun: String,
    _ kind: RecordKind?
  ) throws -> RecordKey {
    try requireMeant(row, by: who, noun)
    try requireOnly(row, called: who, kind)
    return RecordKey(Self.kind(of: row), row.id)
  }

  /// Throws if a text that is the id of one record is also the whole name of another one: which of them is
  /// meant is not guessed.
  private func requireOnly(_ row: DirectoryRow, called who: String, _ kind: RecordKind?) throws {
    guard DepartmentName(who).form == .any, row.id.utf8.elementsEqual(who.utf8) else { return }
    let named: [DirectoryRow]
    switch try directory.lookUp("name:\(who)", limit: Self.listed) {
    case .found(let nodes): named = try nodes.map(directory.listRow)
    case .several(let rows, _): named = rows.map(\.row)
    case .card, .nothing: return
    }
    let others = named.filter { other in
      other.name.utf8.elementsEqual(who.utf8) && (kind == nil || Self.kind(of: other) == kind)
        && !(Self.kind(of: other) == Self.kind(of: row) && other.id.utf8.elementsEqual(row.id.utf8))
    }
    guard !others.isEmpty else { return }
    throw severalMatch(who, [row] + others, .exactly(1 + others.count))
  }

  /// Loads records as the database has them; those that are not there are left out.
  mutating func load(_ keys: [RecordKey]) async throws(DirectoryError) {
    let missing = keys.filter { !draft.has($0) }
    guard !missing.isEmpty else { return }
    take(
      try await editor.present(
        departments: missing.filter { $0.kind == .department }.map { DepartmentID($0.id) },
        users: missing.filter { $0.kind == .user }.map { UserID($0.id) }
      ),
      missing
    )
  }

  mutating func take(_ records: CurrentRecords, _ keys: [RecordKey]) {
    for key in keys {
      if let state = records.state(key.kind, key.id) { draft.load(key, state) }
    }
  }

  /// A place in a department that is loaded.
  func place(_ id: DepartmentID) -> Change.Place {
    Change.Place(id: id, name: draft[.department(id)]?.name ?? id.rawValue)
  }
}
