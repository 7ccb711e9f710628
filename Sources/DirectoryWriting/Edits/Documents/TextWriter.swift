import Configuration
import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import SystemPackage

/// What somebody wants to edit as a text.
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

  /// On one line, for `init(note:)`.
  var note: String {
    switch self {
    case .record(let who): "record \(who)"
    case .people(let department): "people \(department)"
    case .tree(let department): "tree \(department ?? "")"
    }
  }

  init?(note: Substring) {
    let words = note.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
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

/// Opens files for somebody who edits.
package struct EditorFront: Sendable {
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
package struct TextWriter: Sendable {
  private let site: Site
  private let writer: DirectoryWriter

  package init(_ administrator: Administrator) {
    site = administrator.site
    writer = DirectoryWriter(administrator.session)
  }

  /// Lets somebody edit a text of records, and makes the changes that come of it.
  ///
  /// Mistakes are marked in the text, which is opened again. What somebody else changed meanwhile
  /// stays where the edit does not touch it, and is a mistake of that kind where it does. Unless it
  /// ends well the text is kept.
  ///
  /// - Parameters:
  ///   - target: What to edit; `nil` with `kept`.
  ///   - kept: A file of an edit that did not end well, to go on with; what was changed since in the records
  ///     is marked in it.
  ///   - reason: Why, for the history.
  ///   - isDryRun: Whether all is done and taken back.
  ///   - front: Opens the editor.
  ///   - observer: Sees the plan, and is asked.
  /// - Returns: What was done.
  /// - Throws: As `edit`, and what the editor or the disk said.
  package func edit(
    _ target: EditTarget?,
    resuming kept: String? = nil,
    reason: String? = nil,
    isDryRun: Bool = false,
    front: EditorFront,
    observer: EditObserver = EditObserver()
  ) async throws -> EditReport {
    let resumed = try kept.map { (path) throws(DirectoryError) in try EditFile(kept: path) }
    let origin = try resumed?.origin()
    guard let target = origin?.target ?? target else {
      throw DirectoryError(.usage, "cannot edit: nothing is named")
    }
    let (directory, editor) = try await writer.openForEdits(target.doing, reason)
    var document = try await document(for: target, directory, editor, observer)
    try site.settings.folders.createHome()
    try Folders.create(site.settings.folders.state)
    let file =
      try resumed ?? EditFile(in: site.settings.folders.state, name: document.fileName)
    let original = document.text
    do {
      var shown = original
      if let origin {
        let text = type(of: document).unmarked(try file.read())
        shown = type(of: document).marked(text, changes(from: origin.text, to: original))
      }
      try file.writeOrigin(document.target, original)
      try file.write(shown)
      observer.editing(file.path.string)
      var rounds = 0
      var told: [DocumentMistake] = []
      while true {
        rounds += 1
        try front.open(file.path.string)
        let text = try file.read()
        if text == original || DocumentText.isEmpty(text) {
          // As in git: an empty text gives up. It would remove whatever it was about.
          if text != original { site.notice("the text is empty, which changes nothing") }
          file.remove()
          return EditReport(totals: ChangeTotals(), end: .nothingToDo)
        }
        // A script in place of an editor may make the same mistake for ever.
        guard rounds == 1 || text != shown, rounds <= Self.mostRounds else {
          throw Self.mistakesRemain(target)
        }
        try await editor.renew()
        let unmarked = type(of: document).unmarked(text)
        var planner = EditPlanner(target.doing, directory, editor)
        do {
          try await document.read(unmarked, &planner)
        } catch let error as DocumentMistakes {
          let mistakes = await error.traced(by: editor)
          // Saved as it was, it would be the same for ever.
          let isSame = unmarked == type(of: document).unmarked(shown)
          guard !isSame || mistakes.map(\.text) != told.map(\.text) else {
            throw Self.mistakesRemain(target)
          }
          told = mistakes
          shown = type(of: document).marked(unmarked, mistakes)
          try file.write(shown)
          front.mistakes(mistakes.map { "line \($0.line): \($0.text)" })
          continue
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
        if report.end == .declined { tellKept(file) } else { file.remove() }
        return report
      }
    } catch {
      if file.holdsNothing(but: original) {
        file.remove()
      } else {
        tellKept(file)
      }
      throw error
    }
  }

  private func tellKept(_ file: EditFile) {
    site.notice("what you wrote is in \(file.path)")
    site.tell("go on with: \(.run(["edit", "--resume", file.path.string]))")
  }

  /// What others changed since a text was begun, as marks above the first line.
  private func changes(from former: String, to present: String) -> [DocumentMistake] {
    let (old, new) = (former.split(separator: "\n"), present.split(separator: "\n"))
    let (were, are) = (Set(old), Set(new))
    let was = old.filter { !are.contains($0) }.map { "changed meanwhile, was: \($0)" }
    let now = new.filter { !were.contains($0) }.map { "changed meanwhile, is: \($0)" }
    return (was + now).map { DocumentMistake(line: 1, text: $0) }
  }

  private static var mostRounds: Int { 50 }

  private static func mistakesRemain(_ target: EditTarget) -> DirectoryError {
    DirectoryError(.badData, "cannot \(target.doing): the mistakes are still there")
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
