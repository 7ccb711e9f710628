import DirectoryModel
import DirectoryReading

/// A department and everything below it, or the whole directory, as an indented outline.
///
///     Lumen  [lum]
///       Optics  [opt]
///         - Łukasz Żak  [u2]
struct TreeDocument: EditDocument {
  /// A line: a department, or a person in one.
  struct Entry {
    var kind: RecordKind
    /// `nil` for what is new.
    var id: String?
    var name: String
    /// The entry of the department above; `nil` at the top.
    var parent: Int?
    var order: Int64 = 0
    /// From 1.
    var line = 0
  }

  /// As the directory has it, parents before children.
  private(set) var entries: [Entry]
  /// The department above the outline's only root; `nil` for the whole directory.
  let rootID: DepartmentID?
  /// The names of all that is in it.
  private var names: [RecordKey: String]
  /// What the outline was when an edit began that is resumed.
  private var begun: Shape?
  var told: Set<ChangeConflict> = []

  var target: EditTarget { .tree(of: rootID.map { "id:\($0.rawValue)" }) }
  var fileName: String { "tree.txt" }

  init(of directory: Directory, below root: Node?) throws {
    var entries: [Entry] = []
    try directory.forEachOutlineLine(below: root) { kind, id, name, parent, order in
      entries.append(
        Entry(
          kind: kind == .user ? .user : .department,
          id: id,
          name: name,
          parent: parent,
          order: order
        )
      )
    }
    self.entries = entries
    names = Self.names(in: entries)
    rootID = root == nil ? nil : entries.first?.id.map { DepartmentID($0) }
  }

  private static func names(in entries: [Entry]) -> [RecordKey: String] {
    Dictionary(entries.map { (RecordKey($0.kind, $0.id ?? ""), $0.name) }) { $1 }
  }

  var text: String {
    var text = """
      # Departments, and people after a hyphen, with ids in brackets. Move, indent, rename and delete
      # lines; a new line without an id is a new department, or with a hyphen a new person. A person
      # whose last line is deleted is removed. Write \\[ for a bracket and \\\\ for a backslash in a name.

      """
    text += "\n"
    var levels: [Int] = []
    for entry in entries {
      let level = entry.parent.map { levels[$0] + 1 } ?? 0
      levels.append(level)
      text += String(repeating: "  ", count: level) + (entry.kind == .user ? "- " : "")
      let name = DocumentText.escaped(entry.name, "[]#\\")
      text += (name.hasPrefix("-") ? "\\" : "") + name
      text += "  [\(DocumentText.escaped(entry.id ?? "", "[]\\"))]\n"
    }
    return text
  }
}

// MARK: - Reading lines

extension TreeDocument {
  private static func entries(of text: String) throws -> [Entry] {
    var entries: [Entry] = []
    var mistakes: [DocumentError] = []
    // The departments that the next line may be in, and how far each is indented.
    var above: [(indent: Int, entry: Int)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = line.drop { $0 == " " || $0 == "\t" }
      guard let first = content.first, first != "#", first != "\r" else { continue }
      let indent = line[..<content.startIndex].reduce(0) { $0 + ($1 == "\t" ? 8 : 1) }
      var entry = Self.entry(content)
      entry.line = index + 1
      while let last = above.last, last.indent >= indent { above.removeLast() }
      entry.parent = above.last?.entry
      if entry.kind == .user, entry.parent == nil {
        mistakes.append(.init(line: entry.line, text: "a person is in a department"))
      }
      if let problem = ValueRules.problem(entry.name, .name) {
        mistakes.append(.init(line: entry.line, text: problem))
      }
      if entry.kind == .department { above.append((indent, entries.count)) }
      entries.append(entry)
    }
    guard mistakes.isEmpty else { throw DocumentErrors(mistakes: mistakes) }
    return entries
  }

  private static func entry(_ content: Substring) -> Entry {
    var content = content
    var kind = RecordKind.department
    if content.hasPrefix("- ") || content == "-" {
      kind = .user
      content = content.dropFirst().drop { $0 == " " }
    }
    while let last = content.last, last == " " || last == "\t" || last == "\r" {
      content.removeLast()
    }
    var id: String?
    var name = content
    var isEscaped = false
    for index in content.unicodeScalars.indices {
      let scalar = content.unicodeScalars[index]
      if scalar == "[", !isEscaped, content.hasSuffix("]") {
        id = DocumentText.unescaped(content[content.index(after: index)...].dropLast())
        name = content[..<index]
        break
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    while name.last == " " { name.removeLast() }
    return Entry(kind: kind, id: id, name: DocumentText.unescaped(name))
  }
}

// MARK: - Comparing

extension TreeDocument {
  mutating func resume(_ original: String, _ planner: EditPlanner) async throws -> [Change] {
    let present = Shape(entries, names)
    var draft = EditDraft()
    for (key, name) in names where key.kind == .department {
      draft.note(Change.Place(id: DepartmentID(key.id), name: name))
    }
    entries = try Self.entries(of: original)
    names = Self.names(in: entries)
    var past = Shape(entries, names)
    past.takeOrders(of: present)
    begun = past
    for key in past.differing(from: present) {
      draft.take(
        key,
        from: past.state(of: key, isWhole: present.names[key] == nil),
        to: present.state(of: key, isWhole: past.names[key] == nil)
      )
    }
    return draft.changes()
  }

  mutating func read(_ text: String, _ planner: inout EditPlanner) async throws {
    var edited = try Self.entries(of: text)
    try requireKnown(edited)
    try requireRoot(edited)
    let before = begun ?? Shape(entries, names)
    try await giveIDs(&edited, planner)
    let after = Shape(edited, names)
    for (key, name) in names where key.kind == .department {
      planner.draft.note(Change.Place(id: DepartmentID(key.id), name: name))
    }
    let touched = before.differing(from: after)
    try await planner.load(touched.filter { before.names[$0] != nil })
    var mistakes: [DocumentError] = []
    for key in touched {
      do {
        try apply(key, before, after, &planner, &mistakes)
      } catch {
        mistakes.append(RecordDocument.mistake(error, after.lines[key] ?? 1, planner.doing))
      }
    }
    try await setOrders(before, after, &planner)
    guard mistakes.isEmpty else { throw DocumentErrors(mistakes: mistakes) }
  }

  /// Refuses ids that are not in the outline, and lines that stand twice.
  private func requireKnown(_ edited: [Entry]) throws {
    var known: Set<RecordKey> = []
    for entry in entries { known.insert(RecordKey(entry.kind, entry.id ?? "")) }
    var seen: [RecordKey: Entry] = [:]
    var places: Set<[String]> = []
    var mistakes: [DocumentError] = []
    for entry in edited {
      guard let id = entry.id else { continue }
      let key = RecordKey(entry.kind, id)
      if !known.contains(key) {
        mistakes.append(
          .init(
            line: entry.line,
            text: "the id \(id) is not in this outline; leave it out for something new"
          )
        )
      } else if entry.kind == .department, let other = seen[key] {
        mistakes.append(.init(line: entry.line, text: "\(id) is already on line \(other.line)"))
      } else if let other = seen[key], ItemText(other.name) != ItemText(entry.name),
        !isFormer(other.name, of: key), !isFormer(entry.name, of: key)
      {
        mistakes.append(
          .init(line: entry.line, text: "\(id) has another name on line \(other.line)")
        )
      }
      if entry.kind == .user, !places.insert([id, String(entry.parent ?? -1)]).inserted {
        mistakes.append(.init(line: entry.line, text: "\(id) is in this department twice"))
      }
      // A new name counts more than the one that other lines still have.
      if seen[key].map({ isFormer($0.name, of: key) }) ?? true { seen[key] = entry }
    }
    guard mistakes.isEmpty else { throw DocumentErrors(mistakes: mistakes) }
  }

  private func isFormer(_ name: String, of key: RecordKey) -> Bool {
    names[key].map { ItemText($0) == ItemText(name) } ?? false
  }

  private func requireRoot(_ edited: [Entry]) throws {
    guard let rootID else { return }
    for entry in edited where entry.parent == nil && entry.id.map({ DepartmentID($0) }) != rootID {
      throw DocumentErrors(
        mistakes: [.init(line: entry.line, text: "everything here is below \(rootID)")]
      )
    }
    guard edited.contains(where: { $0.parent == nil }) else {
      throw DocumentErrors(
        mistakes: [.init(line: 1, text: "the first department cannot be deleted here; use remove")]
      )
    }
  }

  private func giveIDs(
    _ edited: inout [Entry],
    _ planner: EditPlanner
  ) async throws {
    let new = edited.indices.filter { edited[$0].id == nil }
    let ids = try await planner.newIDs(new.map { (edited[$0].kind, edited[$0].name) })
    for (index, id) in zip(new, ids) { edited[index].id = id }
  }
}
