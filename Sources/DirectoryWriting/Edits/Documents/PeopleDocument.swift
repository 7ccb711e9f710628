import DirectoryModel
import DirectoryReading
import DirectoryStore
import TextRules

/// The people of a department as a table, a line for each.
struct PeopleDocument: EditDocument {
  let department: Change.Place
  /// In the order of the department.
  private(set) var people: [(id: String, state: Change.State)]
  /// The people in the order of the text, with the orders that they have.
  private var sequence: [(key: RecordKey, order: Int64)]
  let fields: [Field]
  private var told: Set<ChangeConflict> = []

  init(
    _ department: Change.Place,
    _ people: [(id: String, state: Change.State)],
    _ siblings: [Directory.Sibling],
    _ fields: [Field]
  ) {
    self.department = department
    self.people = people
    sequence = siblings.filter { $0.kind == .user }.map { (EditPlanner.key(of: $0), $0.sortOrder) }
    self.fields = fields.of(.user)
  }

  var target: EditTarget { .people(of: "id:\(department.id.rawValue)") }
  var fileName: String { "people.txt" }

  private var columns: [String] {
    ["id", "name", "title", "lead"] + Field.contacts.map(\.name) + fields.map(\.name)
  }

  // MARK: Writing

  var text: String {
    var rows = [columns]
    for (id, state) in people {
      rows.append(cells(id, state).map { DocumentText.escaped($0, "|\\#") })
    }
    let widths = columns.indices.map { column in
      min(40, rows.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0)
    }
    let lines = rows.map { row in
      zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: cell)))
      }.joined(separator: " | ")
    }
    let head = [
      "# The people of \(DocumentText.comment(department.name)). Change cells and the order of lines; a new line without an id",
      "# is a new person; deleting a line removes the person from the department.",
      "# In a cell, write \\| for a bar and \\\\ for a backslash.",
    ]
    return (head + lines).map(Self.trimmed).joined(separator: "\n") + "\n"
  }

  private static func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
  }

  private func cells(_ id: String, _ state: Change.State) -> [String] {
    let membership = state.memberships.first { $0.place.id == department.id }
    let values = state.fields.values ?? [:]
    return [
      id, state.name, membership?.value(.title) ?? "",
      membership?.value(.leads) == "true" ? "yes" : "",
    ] + state.values.dropFirst().map { $0 ?? "" } + fields.map { values[$0.name]?.line ?? "" }
  }
}

// MARK: - Reading

extension PeopleDocument {
  mutating func resume(_ original: String, _ planner: EditPlanner) async throws -> [Change] {
    var past = planner
    past.takesIDs = true
    var mistakes: [DocumentError] = []
    let rows = try rows(of: original, isOriginal: true, &mistakes)
    try await past.load(rows.map { .user(UserID($0.id)) })
    var draft = EditDraft()
    let present = people
    people = []
    for row in rows {
      let key = RecordKey(.user, row.id)
      let state = past.draft.former(key)
      var former = state ?? .person(row.cells["name"] ?? "", primary: department, memberships: [])
      if !former.memberships.contains(where: { $0.place.id == department.id }) {
        former.memberships.append(Change.Membership(place: department, values: ["", "0", "false"]))
      }
      past.draft[key] = former
      try await assign(row, cells(of: row.id, former), to: key, &past)
      former = past.draft[key] ?? former
      people.append((row.id, former))
      draft.take(key, from: former, to: state)
    }
    for (id, state) in present where past.draft[RecordKey(.user, id)] == nil {
      var former: Change.State?
      if state.primary?.id != department.id {
        former = state
        former?.memberships.removeAll { $0.place.id == department.id }
      }
      draft.take(RecordKey(.user, id), from: former, to: state)
    }
    let orders = Dictionary(sequence.map { ($0.key, $0.order) }) { first, _ in first }
    sequence = people.map { (RecordKey(.user, $0.id), orders[RecordKey(.user, $0.id)] ?? 0) }
    return draft.changes()
  }

  private struct Row {
    var line: Int
    var cells: [String: String]
    var id: String { cells["id"] ?? "" }
  }

  mutating func read(_ text: String, _ planner: inout EditPlanner) async throws {
    var mistakes: [DocumentError] = []
    let rows = try rows(of: text, isOriginal: false, &mistakes)
    let bases = Dictionary(people.map { (ItemText($0.id), $0.state) }) { first, _ in first }
    try await planner.load(people.map { .user(UserID($0.id)) } + strangers(in: rows, bases))
    try await planner.prepare(people: peopleNamed(in: rows, bases))
    let new = try await newIDs(of: rows, planner)
    var sequence: [RecordKey] = []
    var listed: Set<RecordKey> = []
    for row in rows {
      do {
        let key = try await take(
          row,
          bases[ItemText(row.id)],
          new[row.line],
          &planner,
          &mistakes
        )
        guard listed.insert(key).inserted else {
          throw DirectoryError(.badData, "\(row.id) is listed twice")
        }
        sequence.append(key)
      } catch {
        mistakes.append(RecordDocument.mistake(error, row.line, planner.doing))
      }
    }
    guard mistakes.isEmpty else { throw DocumentErrors(mistakes: mistakes) }
    for (id, _) in people {
      let key = RecordKey(.user, id)
      guard !listed.contains(key),
        planner.draft[key]?.memberships.contains(where: { $0.place.id == department.id }) == true
      else { continue }
      try planner.takeOut(key, of: [department.id])
      if planner.draft[key]?.memberships.isEmpty == true { planner.draft.remove(key) }
    }
    arrange(sequence, &planner)
  }

  private func rows(
    of text: String,
    isOriginal: Bool,
    _ mistakes: inout [DocumentError]
  ) throws -> [Row] {
    var header: [String]?
    var rows: [Row] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard !line.hasPrefix("#"), line.contains(where: { !$0.isWhitespace }) else { continue }
      let cells = Self.cells(of: line)
      guard let names = header else {
        header = cells
        // Of the original, a field may have been removed since.
        if !isOriginal, let unknown = cells.first(where: { !columns.contains($0) }) {
          throw DocumentErrors(
            mistakes: [.init(line: index + 1, text: "there is no column \(unknown)")]
          )
        }
        if !cells.contains("id") {
          // Everybody would be a new person.
          throw DocumentErrors(
            mistakes: [.init(line: index + 1, text: "the column id is missing")]
          )
        }
        continue
      }
      if cells.count > names.count {
        mistakes.append(.init(line: index + 1, text: "it has more cells than there are columns"))
        continue
      }
      let named = Dictionary(zip(names, cells)) { first, _ in first }
      rows.append(Row(line: index + 1, cells: named))
    }
    return rows
  }

  private static func cells(of line: Substring) -> [String] {
    var cells: [Substring.UnicodeScalarView] = [.init()]
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if scalar == "|", !isEscaped {
        cells.append(.init())
      } else {
        cells[cells.count - 1].append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return cells.map { cell in
      var cell = Substring(cell)
      while let first = cell.first, first == " " || first == "\t" || first == "\r" {
        cell.removeFirst()
      }
      while let last = cell.last, last == " " || last == "\t" || last == "\r" { cell.removeLast() }
      return DocumentText.unescaped(cell)
    }
  }

  /// Who is to join.
  private func strangers(in rows: [Row], _ bases: [ItemText: Change.State]) -> [RecordKey] {
    rows.filter { !$0.id.isEmpty && bases[ItemText($0.id)] == nil }.map { .user(UserID($0.id)) }
  }

  /// Whom fields of people name that are another than before.
  private func peopleNamed(in rows: [Row], _ bases: [ItemText: Change.State]) -> Set<ItemText> {
    let columns = fields.filter { $0.kind == .person }
    var named: Set<ItemText> = []
    guard !columns.isEmpty else { return named }
    for row in rows {
      let former = bases[ItemText(row.id)].map { cells(of: row.id, $0) } ?? [:]
      for field in columns where Self.differs(field.name, row, former) {
        named.formUnion(Self.texts(row.cells[field.name] ?? "", of: field).map(ItemText.init))
      }
    }
    return named
  }

  /// Ids for lines without one, by line.
  private func newIDs(
    of rows: [Row],
    _ planner: EditPlanner
  ) async throws(DirectoryError) -> [Int: String] {
    let new = rows.filter(\.id.isEmpty)
    let ids = try await planner.newIDs(new.map { (.user, $0.cells["name"] ?? "") })
    return Dictionary(zip(new.map(\.line), ids)) { first, _ in first }
  }

  /// Edits, adds, or lets join, whom a row names.
  private mutating func take(
    _ row: Row,
    _ base: Change.State?,
    _ newID: String?,
    _ planner: inout EditPlanner,
    _ mistakes: inout [DocumentError]
  ) async throws -> RecordKey {
    guard let base else {
      let key: RecordKey
      let membership = Change.Membership(place: department, values: ["", "0", "false"])
      if let newID {
        let name = row.cells["name"] ?? ""
        try ValueRules.require(name, in: .name)
        key = RecordKey(.user, newID)
        planner.draft.add(key, .person(name, primary: department, memberships: [membership]))
      } else {
        key = try await planner.find("id:" + row.id, .user)
        planner.draft[key]?.memberships.append(membership)
      }
      try await assign(row, [:], to: key, &planner)
      return key
    }
    let key = RecordKey(.user, row.id)
    guard let present = planner.draft.former(key) else {
      mistakes.append(DocumentError(line: row.line, conflict: .removed(key, base.name)))
      return key
    }
    // The edit is made to what the user saw, and merged with what there is now.
    planner.draft[key] = base
    try await assign(row, cells(of: row.id, base), to: key, &planner)
    guard let mine = planner.draft[key] else { return key }
    planner.draft[key] = present
    for conflict in planner.merge(key, base, mine) where told.insert(conflict).inserted {
      mistakes.append(DocumentError(line: row.line, conflict: conflict))
    }
    return key
  }

  private func cells(of id: String, _ state: Change.State) -> [String: String] {
    Dictionary(zip(columns, cells(id, state))) { first, _ in first }
  }

  private static func differs(_ column: String, _ row: Row, _ former: [String: String]) -> Bool {
    guard let value = row.cells[column] else { return false }
    return former[column].map { ItemText($0) != ItemText(value) } ?? true
  }

  private static func texts(_ cell: String, of field: Field) -> [String] {
    guard field.isMultiple else { return [cell] }
    return FieldList.values(of: cell.utf8).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Takes over the cells that are not as they were.
  private func assign(
    _ row: Row,
    _ former: [String: String],
    to key: RecordKey,
    _ planner: inout EditPlanner
  ) async throws {
    for column in columns.dropFirst() where Self.differs(column, row, former) {
      let value = row.cells[column] ?? ""
      switch column {
      case "title", "lead":
        guard
          let index = planner.draft[key]?.memberships.firstIndex(where: {
            $0.place.id == department.id
          })
        else { continue }
        let assignment = try Assignment("\(column)=\(value)")
        if column == "title" { try ValueRules.require(value, in: .title) }
        planner.draft[key]?.memberships[index].set(
          column == "title" ? .title : .leads,
          column == "title" ? value : try assignment.flag()
        )
      default:
        guard let field = fields.first(where: { $0.name == column }) else {
          try await planner.assign(["\(column)=\(value)"], to: key)
          continue
        }
        try await planner.setDeclared(field, Self.texts(value, of: field), of: key)
      }
    }
  }

  /// Keeps the orders where the lines stand as they did.
  private func arrange(_ edited: [RecordKey], _ planner: inout EditPlanner) {
    for (key, order) in SequenceOrders(sequence).orders(of: edited) {
      if let index = planner.draft[key]?.memberships.firstIndex(where: {
        $0.place.id == department.id
      }) {
        planner.draft[key]?.memberships[index].set(.sortOrder, String(order))
      }
    }
  }
}

/// The orders of siblings whose sequence was edited.
struct SequenceOrders {
  private let ranks: [RecordKey: (rank: Int, order: Int64)]

  init(_ former: [(key: RecordKey, order: Int64)]) {
    var ranks: [RecordKey: (rank: Int, order: Int64)] = [:]
    for (rank, sibling) in former.enumerated() { ranks[sibling.key] = (rank, sibling.order) }
    self.ranks = ranks
  }

  /// What has to get another order so that these stand in this sequence.
  func orders(of sequence: [RecordKey]) -> [(RecordKey, Int64)] {
    let known = sequence.map { ranks[$0] }
    let isAsBefore =
      known.allSatisfy { $0 != nil }
      && zip(known, known.dropFirst()).allSatisfy { ($0?.rank ?? 0) < ($1?.rank ?? 0) }
    guard !isAsBefore else { return [] }
    let orders = SiblingOrderPlanner.orders(
      of: known.map { SiblingOrderPlanner.Sibling(order: $0?.order, rank: $0?.rank ?? 0) }
    )
    return zip(zip(sequence, known), orders).compactMap { pair, order in
      pair.1?.order == order ? nil : (pair.0, order)
    }
  }
}
