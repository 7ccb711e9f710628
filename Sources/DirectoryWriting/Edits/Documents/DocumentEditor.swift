import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import SiteSettings
import SystemPackage

/// What the user wants to edit as a text.
package enum EditTarget: Sendable {
  case record(String)
  case people(of: String)
  /// `nil` is the whole directory.
  case tree(of: String?)

  var doing: String {
    switch self {
    case .record(let who): "edit \(who)"
    case .people(let department): "edit the people of \(department)"
    case .tree(let department): "edit \(department ?? "the tree")"
    }
  }

  /// On one line, for `init(line:)`.
  var line: String {
    switch self {
    case .record(let who): "record \(who)"
    case .people(let department): "people \(department)"
    case .tree(let department): "tree \(department ?? "")"
    }
  }

  init?(line: Substring) {
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2 else { return nil }
    let name = String(words[1])
    switch words[0] {
    case "record": self = .record(name)
    case "people": self = .people(of: name)
    case "tree": self = .tree(of: name.isEmpty ? nil : name)
    default: return nil
    }
  }
}

/// Opens files for the user who edits.
package struct EditorLauncher: Sendable {
  /// Opens a file in an editor, and comes back when it was closed.
  package var open: @Sendable (String) throws(DirectoryError) -> Void
  /// Told the mistakes that are marked in the file, before it is opened again.
  package var mistakes: @Sendable ([String]) -> Void

  package init(
    open: @escaping @Sendable (String) throws(DirectoryError) -> Void,
    mistakes: @escaping @Sendable ([String]) -> Void
  ) {
    self.open = open
    self.mistakes = mistakes
  }
}

/// Changes records by a text of them, which shows everything of each.
package struct DocumentEditor: Sendable {
  private let site: Site
  private let writer: DirectoryWriter

  package init(_ administrator: Administrator) {
    site = administrator.site
    writer = DirectoryWriter(administrator.session)
  }

  /// Lets the user edit a text of records, and makes the changes that come of it.
  ///
  /// Mistakes are marked in the text, which is opened again. What another user changed meanwhile
  /// stays where the edit does not touch it, and is a mistake of that kind where it does. Unless it
  /// ends well the text is kept.
  ///
  /// - Parameters:
  ///   - target: What to edit; replaced by that of `kept`.
  ///   - kept: A file that an edit kept, to go on with.
  ///   - reason: The reason, recorded in the history.
  ///   - isDryRun: Whether all is done and taken back.
  ///   - front: Opens the editor.
  ///   - observer: Sees the plan, and is asked.
  /// - Returns: What was done.
  /// - Throws: As `edit`, and what the editor or the disk said.
  package func edit(
    _ target: EditTarget,
    resuming kept: String? = nil,
    reason: String? = nil,
    isDryRun: Bool = false,
    front: EditorLauncher,
    observer: EditObserver = EditObserver()
  ) async throws -> EditReport {
    let file = try kept.map { (path) throws(DirectoryError) in try EditFile(kept: path) }
    let origin = try file?.readOrigin()
    let target = origin?.target ?? target
    let (directory, editor) = try await writer.openForEdits(target.doing, reason)
    var document = try await document(for: target, directory, editor, observer)
    var rounds = EditorSession(site, target.doing, front)
    rounds.target = document.target
    if let file, let origin {
      let planner = EditPlanner(target.doing, directory, editor)
      rounds.resumed = (file, try await document.resume(origin.text, planner))
    }
    return try await rounds.edit(
      origin?.text ?? document.text,
      in: document.fileName,
      editing: observer.editing
    ) { text in
      try await editor.renew()
      var planner = EditPlanner(target.doing, directory, editor)
      do {
        try await document.read(text, &planner)
      } catch let error as DocumentErrors {
        let zone = writer.session.caller.zone
        throw DocumentErrors(mistakes: await error.traced(by: editor, in: zone))
      }
      try await planner.forgetRemoved()
      for note in planner.notes { site.notice(note) }
      let report = try await writer.carryOut(
        planner.draft.changes(),
        editor,
        target.doing,
        isDryRun,
        observer,
        asksAlways: true
      )
      return (report, isKept: report.outcome == .declined)
    } ?? EditReport(totals: ChangeTotals(), outcome: .nothingToDo)
  }

  private func document(
    for target: EditTarget,
    _ directory: Directory,
    _ editor: DirectoryEditor,
    _ observer: EditObserver
  ) async throws -> any EditDocument {
    var planner = EditPlanner(target.doing, directory, editor, isMeant: observer.isMeant)
    switch target {
    case .record(let who):
      let key = try await planner.find(who)
      guard let state = planner.draft[key] else { throw DirectoryError(.bug, "no record") }
      return RecordDocument(
        key,
        state,
        editor.fields,
        names: try names(of: state, editor.fields.of(key.kind), directory)
      )
    case .people(let name):
      let place = try await planner.findPlace(name)
      let node = try directory.node(of: place.id)
      let siblings = try node.map { try directory.siblings(in: $0) } ?? []
      let ids = siblings.filter { $0.kind == .user }.map(\.id)
      let present = try await editor.present(users: ids.map { UserID($0) })
      let people = ids.compactMap { id in present.users[UserID(id)].map { (id: id, state: $0) } }
      return PeopleDocument(place, people, siblings, editor.fields)
    case .tree(let name):
      var root: Node?
      if let name { root = try planner.node(ofDepartment: name) }
      return try TreeDocument(of: directory, below: root)
    }
  }

  /// The names of people whom fields name by id.
  private func names(
    of state: Change.State,
    _ fields: [Field],
    _ directory: Directory
  ) throws -> [String: String] {
    var names: [String: String] = [:]
    let values = state.fields.values ?? [:]
    for field in fields where field.kind == .person {
      for id in values[field.name]?.texts ?? [] { names[id] = try directory.personName(id) }
    }
    return names
  }
}
