import DirectoryModel
import LiveDirectory
import SiteSettings
import SystemPackage

/// Opens a text in an editor until what is in it can be done.
struct EditorSession {
  private let site: Site
  private let doing: String
  private let front: EditorLauncher
  /// What is edited, for an edit that can be resumed.
  var target: EditTarget?
  /// A file that was kept, and what others changed since its edit began.
  var resumed: (file: EditFile, changes: [Change])?

  /// - Parameters:
  ///   - site: Where the text is kept meanwhile.
  ///   - doing: What is done, for errors.
  ///   - front: Opens the editor.
  init(_ site: Site, _ doing: String, _ front: EditorLauncher) {
    (self.site, self.doing, self.front) = (site, doing, front)
  }

  private static let mostRounds = 50

  /// Lets a text be edited, and marks mistakes in it, until it can be carried out.
  ///
  /// Unless it ends well the text is kept.
  ///
  /// - Parameters:
  ///   - original: The text to begin with.
  ///   - name: The name of the file.
  ///   - editing: Told the path of the file.
  ///   - carryOut: Does what a text says, and says whether the text is kept; throws
  ///   `DocumentErrors`.
  /// - Returns: What `carryOut` gave; `nil` where the text was left as it was, or empty.
  /// - Throws: What `carryOut`, the editor and the disk say; `.badData` where mistakes remain.
  func edit<Report>(
    _ original: String,
    in name: String,
    editing: (String) -> Void,
    _ carryOut: (String) async throws -> (report: Report, isKept: Bool)
  ) async throws -> Report? {
    try site.settings.folders.createHome()
    try Folders.create(site.settings.folders.state)
    let file = try resumed?.file ?? EditFile(in: site.settings.folders.state, name: name)
    do {
      var shown = original
      if let resumed {
        shown = Self.marked(
          Self.unmarked(try file.read()),
          resumed.changes.map {
            DocumentError(line: 1, text: "changed in the meantime: \($0.text)")
          }
        )
      }
      if let target { try file.writeOrigin(target, original) }
      try file.write(shown)
      editing(file.path.string)
      var told: [DocumentError] = []
      for round in 0..<Self.mostRounds {
        try front.open(file.path.string)
        let text = try file.read()
        let isUnchanged = ItemText(text) == ItemText(original)
        if isUnchanged || DocumentText.isEmpty(text) {
          // As in git: an empty text gives up. It would remove whatever it was about.
          if !isUnchanged { site.notice("the text is empty; nothing was changed") }
          file.remove()
          return nil
        }
        // A script in place of an editor may make the same mistake for ever.
        guard round == 0 || ItemText(text) != ItemText(shown) else { throw mistakesRemain }
        let unmarked = Self.unmarked(text)
        do {
          let (report, isKept) = try await carryOut(unmarked)
          if isKept { tellKept(file) } else { file.remove() }
          return report
        } catch let error as DocumentErrors {
          // Saved as it was, it would be the same for ever.
          let isSame = ItemText(unmarked) == ItemText(Self.unmarked(shown))
          guard !isSame || error.mistakes.map(\.text) != told.map(\.text) else {
            throw mistakesRemain
          }
          told = error.mistakes
          shown = Self.marked(unmarked, told)
          try file.write(shown)
          front.mistakes(told.map { "line \($0.line): \($0.text)" })
        }
      }
      throw mistakesRemain
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
    site.notice("your text was saved in \(file.path)")
    if target != nil { site.tell("continue with: \(.run(["edit", "--resume", file.path.string]))") }
  }

  private var mistakesRemain: DirectoryError {
    DirectoryError(.badData, "cannot \(doing): the text still contains errors")
  }

  /// What marks of mistakes begin with; such lines are left out when the text is read.
  private static var mark: String { "# ! " }

  /// The text with each mistake above its line.
  private static func marked(_ text: String, _ mistakes: [DocumentError]) -> String {
    var above: [Int: [String]] = [:]
    for mistake in mistakes { above[mistake.line, default: []].append(mistake.text) }
    var lines: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      for text in above[index + 1] ?? [] { lines.append(mark + DocumentText.comment(text)) }
      lines.append(String(line))
    }
    return lines.joined(separator: "\n")
  }

  private static func unmarked(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix(mark) }.joined(separator: "\n")
  }
}
