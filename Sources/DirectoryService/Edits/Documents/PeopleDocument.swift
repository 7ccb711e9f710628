import DirectoryModel
import DirectoryReading
import DirectoryStore
import TextRules

/// The people of a department as a table, a line for each.
struct PeopleDocument: EditDocument {
  let department: Change.Place
  /// In the order of the department.
  let people: [(id: String, state: Change.State)]
  let siblings: [Directory.Sibling]
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
    self.siblings = siblings
    self.fields = fields.of(.user)
  }

  var fileName: String { "people.txt" }

  private var columns: [String] {
    ["id", "name", "title", "lead"] + ContactField.keys + fields.map(\.name)
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
      "# is a new person; a line that is taken out takes the person out of the department.",
      "# In a cell, write \\| for a bar and \\\\ for a backslash.",
    ]
    return (head + lines).map(Self.trimmed).joined(separator: "\n") + "\n"
  }

  private static func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
  }

  private func cells(_ id: String, _ state: Change.State) -> [String] {
    let post = state.posts.first { $0.place.id == department.id }
    let values = state.fields.values ?? [:]
    return [
      id, state.name, post?.value(.title) ?? "", post?.value(.leads) == "true" ? "yes" : "",
      state.values[1] ?? "", state.values[2] ?? "",
    ] + fields.map { values[$0.name]?.line ?? "" }
  }
}

// MARK: - Reading

extension PeopleDocument {
  private struct Row {
    var line: Int
    var cells: [String: String]
    var id: String { cells["id"] ?? "" }
  }

  mutating func read(_ text: String, _ planner: inout EditPlanner) async throws {
    var mistakes: [DocumentMistake] = []
    let rows = try rows(of: text, &mistakes)
    let bases = Dictionary(people.map { (ItemText($0.id), $0.state) }) { first, _ in first }
    try await planner.load(people.map { EditDraft.Key(.user, $0.id) })
    var sequence: [EditDraft.Key] = []
    for row in rows {
      do {
        let key = try await take(row, bases[ItemText(row.id)], &planner, &mistakes)
        guard !sequence.contains(key) else {
          throw DirectoryError(.badData, "\(row.id) is listed twice")
        }
        sequence.append(key)
      } catch {
        mistakes.append(RecordDocument.mistake(error, row.line))
      }
    }
    guard mistakes.isEmpty else { throw DocumentMistakes(mistakes: mistakes) }
    let kept = Set(sequence)
    for (id, _) in people {
      let key = EditDraft.Key(.user, id)
      guard !kept.contains(key), planner.draft[key] != nil else { continue }
      try planner.takeOut(key, of: [department.id])
      if planner.draft[key]?.posts.isEmpty == true { planner.draft.remove(key) }
    }
    arrange(sequence, &planner)
  }

  private func rows(
    of text: String,
    _ mistakes: inout [DocumentMistake]
  ) throws -> [Row] {
    var header: [String]?
    var rows: [Row] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard !line.hasPrefix("#"), line.contains(where: { !$0.isWhitespace }) else { continue }
      let cells = Self.cells(of: line)
      guard let names = header else {
        header = cells
        if let unknown = cells.first(where: { !columns.contains($0) }) {
          throw DocumentMistakes(
            mistakes: [.init(line: index + 1, text: "there is no column \(unknown)")]
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

  /// Edits, adds, or lets join, whom a row names.
  private mutating func take(
    _ row: Row,
    _ base: Change.State?,
    _ planner: inout EditPlanner,
    _ mistakes: inout [DocumentMistake]
  ) async throws -> EditDraft.Key {
    guard let base else {
      let key: EditDraft.Key
      if row.id.isEmpty {
        let name = row.cells["name"] ?? ""
        try ValueRules.require(name, in: .name)
        key = EditDraft.Key(.user, try await planner.newID(nil, name, .user))
        let post = Change.Post(place: department, values: ["", "0", "false"])
        planner.draft.add(
          key,
          Change.State(name: name, values: [name, "", ""], main: department, posts: [post])
        )
      } else {
        key = try await planner.find("id:" + row.id, .user)
        let post = Change.Post(place: department, values: ["", "0", "false"])
        planner.draft[key]?.posts.append(post)
      }
      try await assign(row, to: key, &planner)
      return key
    }
    let key = EditDraft.Key(.user, row.id)
    guard planner.draft.former(key) != nil else {
      throw DirectoryError(.notFound, "\(base.name) is gone: somebody removed the record meanwhile")
    }
    var scratch = EditPlanner(planner.doing, planner.directory, planner.editor)
    scratch.draft.load(key, base)
    try await assign(row, to: key, &scratch)
    guard let mine = scratch.draft[key] else { return key }
    for conflict in planner.merge(key, base, mine) where told.insert(conflict).inserted {
      mistakes.append(
        DocumentMistake(
          line: row.line,
          text: "somebody changed it meanwhile: \(conflict.text); save again to keep what is here"
        )
      )
    }
    return key
  }

  private func assign(
    _ row: Row,
    to key: EditDraft.Key,
    _ planner: inout EditPlanner
  ) async throws {
    for column in columns.dropFirst() {
      guard let value = row.cells[column] else { continue }
      switch column {
      case "title", "lead":
        guard
          let index = planner.draft[key]?.posts.firstIndex(where: { $0.place.id == department.id })
        else { continue }
        let assignment = try Assignment("\(column)=\(value)")
        if column == "title" { try ValueRules.require(value, in: .title) }
        planner.draft[key]?.posts[index].set(
          column == "title" ? .title : .leads,
          column == "title" ? value : try assignment.flag()
        )
      default:
        guard let field = fields.first(where: { $0.name == column }) else {
          try await planner.assign(["\(column)=\(value)"], to: key)
          continue
        }
        let texts =
          field.isMultiple
          ? FieldList.values(of: value.utf8).map { String(decoding: $0, as: UTF8.self) } : [value]
        try await planner.setDeclared(field, texts, of: key)
      }
    }
  }

  /// Keeps the orders where the lines stand as they did.
  private func arrange(_ sequence: [EditDraft.Key], _ planner: inout EditPlanner) {
    let places = OutlinePlaces(
      siblings.filter { $0.kind == .user }.map { (EditPlanner.key(of: $0), $0.sortOrder) }
    )
    for (key, order) in places.orders(of: sequence) {
      if let index = planner.draft[key]?.posts.firstIndex(where: { $0.place.id == department.id }) {
        planner.draft[key]?.posts[index].set(.sortOrder, String(order))
      }
    }
  }
}

/// The orders of siblings whose sequence somebody edited.
struct OutlinePlaces {
  private let ranks: [EditDraft.Key: (rank: Int, order: Int64)]

  init(_ former: [(key: EditDraft.Key, order: Int64)]) {
    var ranks: [EditDraft.Key: (rank: Int, order: Int64)] = [:]
    for (rank, sibling) in former.enumerated() { ranks[sibling.key] = (rank, sibling.order) }
    self.ranks = ranks
  }

  /// What has to get another order so that these stand in this sequence.
  func orders(of sequence: [EditDraft.Key]) -> [(EditDraft.Key, Int64)] {
    let known = sequence.map { ranks[$0] }
    let isAsBefore =
      known.allSatisfy { $0 != nil }
      && zip(known, known.dropFirst()).allSatisfy { ($0?.rank ?? 0) < ($1?.rank ?? 0) }
    guard !isAsBefore else { return [] }
    let orders = SiblingPlaces.orders(
      of: known.map { SiblingPlaces.Sibling(order: $0?.order, rank: $0?.rank ?? 0) }
    )
    return zip(zip(sequence, known), orders).compactMap { pair, order in
      pair.1?.order == order ? nil : (pair.0, order)
    }
  }
}
