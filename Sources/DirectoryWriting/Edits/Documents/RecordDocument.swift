import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import SiteSettings
import YAML

/// One record as YAML, with comments that explain its fields.
///
/// Fields whose lines are taken out stay as they are; a department or a value that is taken out of
/// a list goes.
struct RecordDocument: EditDocument {
  let key: RecordKey
  private(set) var base: Change.State
  let fields: [Field]
  /// Names behind ids, for comments.
  let names: [String: String]
  /// Where each key of the text stood when it was last read.
  private var lines: [String: Int] = [:]
  /// Conflicts that were told: what stands in the text afterwards is meant.
  private var told: Set<ChangeConflict.Cause> = []

  init(_ key: RecordKey, _ base: Change.State, _ fields: [Field], names: [String: String]) {
    self.key = key
    self.base = base
    self.fields = fields.of(key.kind)
    self.names = names
  }

  var target: EditTarget { .record("id:\(key.id)") }
  var fileName: String { "\(key.kind.rawValue).yaml" }

  // MARK: Writing

  var text: String {
    var lines = [
      "# \(DocumentText.comment("\(base.name) (\(key.id))"))",
      "# Edit the values, save and close. Closing the file unchanged does nothing.",
      "# An empty value removes the old one; a deleted line leaves its field unchanged.",
      "",
    ]
    for (column, value) in zip(key.kind.valueColumns, base.values) where column != .sortOrder {
      lines.append("\(column.name): \(YAMLWriter.scalar(value ?? ""))")
    }
    if key.kind == .department { lines += departmentLines }
    lines += fieldLines
    if key.kind == .user { lines += membershipLines }
    return lines.map { $0.last == " " ? String($0.dropLast()) : $0 }.joined(separator: "\n") + "\n"
  }

  private var departmentLines: [String] {
    [
      "", "# The id of the department above; empty for the top level.",
      "parent: \(YAMLWriter.scalar(base.primary?.id.rawValue ?? ""))\(note(base.primary?.name))",
      "# Smaller numbers come first among the departments there.",
      "order: \(base.values.last.flatMap { $0 } ?? "0")",
    ]
  }

  private var fieldLines: [String] {
    var lines: [String] = fields.isEmpty ? [] : [""]
    let values = base.fields.values ?? [:]
    for field in fields {
      lines.append("# \(DocumentText.comment(field.label)): \(Self.explanation(of: field))")
      let texts = values[field.name]?.texts ?? []
      if field.isMultiple, !texts.isEmpty {
        lines.append("\(field.name):")
        for text in texts {
          lines.append("  - \(YAMLWriter.scalar(text))\(noteOfPerson(text, field))")
        }
      } else {
        let text = texts.first ?? ""
        lines.append("\(field.name): \(YAMLWriter.scalar(text))\(noteOfPerson(text, field))")
      }
    }
    return lines
  }

  private static func explanation(of field: Field) -> String {
    let kind =
      switch field.kind {
      case .text: "any text"
      case .phone: "a phone number"
      case .url: "a URL"
      case .date: "a date, YYYY-MM-DD, or --MM-DD without a year"
      case .person: "a person, by id or name"
      default: field.kind.requirement
      }
    return field.isMultiple ? "\(kind); several, each on a line that begins with -" : kind
  }

  private var membershipLines: [String] {
    var lines = [
      "",
      "# Departments, by id, name or path; the first is the primary one. Smaller orders come first",
      "# among the people there.", "departments:",
    ]
    for membership in base.memberships {
      lines += [
        "  - department: \(YAMLWriter.scalar(membership.place.id.rawValue))\(note(membership.place.name))",
        "    title: \(YAMLWriter.scalar(membership.value(.title)))",
        "    lead: \(membership.value(.leads) == "true" ? "yes" : "no")",
        "    order: \(membership.value(.sortOrder))",
      ]
    }
    return lines
  }

  private func noteOfPerson(_ text: String, _ field: Field) -> String {
    field.kind == .person && !text.isEmpty ? note(names[text]) : ""
  }

  private func note(_ name: String?) -> String {
    name.map { "  # \(DocumentText.comment($0))" } ?? ""
  }
}

// MARK: - Reading

extension RecordDocument {
  mutating func resume(_ original: String, _ planner: EditPlanner) async throws -> [Change] {
    var past = planner
    past.takesIDs = true
    past.draft.load(key, base)
    for (name, value) in try Self.entries(of: original) {
      // A field may have been removed since.
      try? await take(name.text ?? "", value, &past)
    }
    var draft = EditDraft()
    draft.take(key, from: past.draft[key], to: base)
    base = past.draft[key] ?? base
    return draft.changes()
  }

  mutating func read(_ text: String, _ planner: inout EditPlanner) async throws {
    let entries = try Self.entries(of: text)
    var scratch = planner
    scratch.draft.load(key, base)
    var mistakes: [DocumentError] = []
    lines = [:]
    for (name, value) in entries {
      lines[name.text ?? ""] = name.line
      do {
        try await take(name.text ?? "", value, &scratch)
      } catch {
        mistakes.append(Self.mistake(error, name.line, planner.doing))
      }
    }
    guard mistakes.isEmpty else { throw DocumentErrors(mistakes: mistakes) }
    guard let mine = scratch.draft[key] else { return }
    try await planner.load([key])
    // What was removed stays removed, however often it is saved.
    let conflicts = planner.merge(key, base, mine).filter {
      told.insert($0.cause).inserted || $0.cause == .isRemoved
    }
    guard conflicts.isEmpty else {
      throw DocumentErrors(
        mistakes: conflicts.map { DocumentError(line: line(of: $0.cause), conflict: $0) }
      )
    }
    if let present = planner.draft.former(key),
      present.items(of: key.kind) != base.items(of: key.kind)
    {
      planner.notes.append(
        "\(present.name) was also changed by another user; both edits are kept"
      )
    }
  }

  static func mistake(_ error: any Error, _ line: Int, _ doing: String) -> DocumentError {
    let error = DirectoryError(describing: error)
    // What is being done is known to the reader of the text.
    let beginning = "cannot \(doing): "
    let message = String(
      error.message.dropFirst(error.message.hasPrefix(beginning) ? beginning.count : 0)
    )
    let details = error.details.isEmpty ? "" : ": " + error.details.joined(separator: ", ")
    return DocumentError(line: line, text: message + details)
  }

  private func line(of cause: ChangeConflict.Cause) -> Int {
    guard case .differs(let item, _, _, _) = cause else { return 1 }
    let name =
      switch item {
      case .value(.sortOrder): "order"
      case .value(let column): column.name
      case .field(let name): name
      case .primary where key.kind == .department: "parent"
      default: "departments"
      }
    return lines[name] ?? 1
  }

  private static let yaml = "the text"

  private static func entries(
    of text: String
  ) throws -> [(key: YAMLValue, value: YAMLValue)] {
    do {
      var text = text
      return try text.withUTF8 { bytes in
        try YAMLReader.read(UnsafeRawBufferPointer(bytes), file: yaml)
      }.entries(of: "the document", file: yaml)
    } catch let error as DirectoryError {
      // `cannot use the text, line 3: …`
      let prefix = "cannot use \(yaml), line "
      let digits = error.message.dropFirst(prefix.count).prefix { $0.isNumber }
      let reason = error.message.dropFirst(prefix.count + digits.count + 2)
      throw DocumentErrors(
        mistakes: [DocumentError(line: Int(digits) ?? 1, text: String(reason))]
      )
    }
  }

  private func take(
    _ name: String,
    _ value: YAMLValue,
    _ planner: inout EditPlanner
  ) async throws {
    switch (key.kind, name) {
    case (.user, "departments"): try await takeMemberships(value, &planner)
    case (.department, "parent"): try await takeParent(Self.text(value), &planner)
    default:
      if let field = fields.first(where: { $0.name == name }) {
        return try await planner.setDeclared(field, Self.texts(value), of: key)
      }
      let isKnown =
        key.kind.valueColumns.contains { $0.name == name && $0 != .sortOrder }
        || key.kind == .department && name == "order"
      guard isKnown else {
        throw DirectoryError(.badData, "there is no field \(name)")
      }
      try await planner.assign([name + "=" + Self.text(value)], to: key)
    }
  }

  private static func text(_ value: YAMLValue) throws(DirectoryError) -> String {
    guard let text = value.text else {
      throw DirectoryError(.badData, "it has one value, not a list")
    }
    return text
  }

  private static func texts(_ value: YAMLValue) throws(DirectoryError) -> [String] {
    guard case .sequence(let values) = value.content else { return [try text(value)] }
    return try values.map { (value) throws(DirectoryError) in try text(value) }
  }

  private func takeParent(_ name: String, _ planner: inout EditPlanner) async throws {
    var above: Change.Place?
    if !name.isEmpty { above = try await planner.findPlace(name) }
    planner.draft[key]?.primary = above
  }

  private func takeMemberships(_ value: YAMLValue, _ planner: inout EditPlanner) async throws {
    guard case .sequence(let items) = value.content, !items.isEmpty else {
      throw DirectoryError(.badData, "a person is in at least one department")
    }
    var memberships: [Change.Membership] = []
    for item in items {
      let membership = try await membership(item, &planner)
      guard !memberships.contains(where: { $0.place.id == membership.place.id }) else {
        throw DirectoryError(.badData, "\(membership.place.name) is listed twice")
      }
      memberships.append(membership)
    }
    planner.draft[key]?.memberships = memberships
    planner.draft[key]?.primary = memberships[0].place
  }

  private func membership(_ item: YAMLValue, _ planner: inout EditPlanner) async throws
    -> Change.Membership
  {
    guard case .mapping(let entries) = item.content,
      let name = entries.first(where: { $0.key.text == "department" })?.value.text
    else {
      throw DirectoryError(.badData, "line \(item.line): it names no department")
    }
    let place = try await planner.findPlace(name)
    var membership =
      base.memberships.first { $0.place.id == place.id }
      ?? Change.Membership(place: place, values: ["", "0", "false"])
    for (key, value) in entries where key.text != "department" {
      let assignment = try Assignment("\(key.text ?? "")=\(Self.text(value))")
      switch key.text {
      case "title":
        try ValueRules.require(assignment.value, in: .title)
        membership.set(.title, assignment.value)
      case "lead": membership.set(.leads, try assignment.flag())
      case "order": membership.set(.sortOrder, try assignment.number())
      default:
        throw DirectoryError(
          .badData,
          "line \(key.line): a membership has no \(key.text ?? "such key")"
        )
      }
    }
    return membership
  }
}

extension EditPlanner {
  /// Gives a declared field all of its values.
  mutating func setDeclared(
    _ field: Field,
    _ texts: [String],
    of key: RecordKey
  ) async throws {
    var kept: [String] = []
    for text in texts where !text.isEmpty { kept.append(try await checked(text, field)) }
    guard field.isMultiple || kept.count < 2 else {
      throw DirectoryError(.badData, "\(field.name) has one value, not a list")
    }
    var values = draft[key]?.fields.values ?? [:]
    values[field.name] = kept.isEmpty ? nil : field.isMultiple ? .several(kept) : .one(kept[0])
    draft[key]?.fields = FieldValues(values)
  }
}
