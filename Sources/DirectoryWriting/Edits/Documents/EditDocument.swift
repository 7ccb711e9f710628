import DirectoryModel
import DirectoryReading
import DirectoryStore
import Platform

/// A text in which the user edits records, in an editor of their own.
protocol EditDocument {
  /// The file's name.
  var fileName: String { get }
  /// What it is about, by ids.
  var target: EditTarget { get }
  /// The text to begin with.
  var text: String { get }

  /// Goes on with an edit that began with another text: that is what its edits are made to again.
  ///
  /// - Returns: What others changed since.
  mutating func resume(_ original: String, _ planner: EditPlanner) async throws -> [Change]

  /// Reads the text as the user left it, and edits the draft of a planner.
  ///
  /// - Throws: `DocumentErrors`, after which the text is shown again with the mistakes marked.
  mutating func read(_ text: String, _ planner: inout EditPlanner) async throws
}

/// Something in an edited text that cannot be done, by its line from 1.
struct DocumentError {
  var line: Int
  /// Empty for a conflict until it is traced.
  var text = ""
  /// What another user changed meanwhile; `nil` for what is wrong with the text.
  var conflict: ChangeConflict?
}

struct DocumentErrors: Error {
  var mistakes: [DocumentError]

  /// In words, with who changed what was changed meanwhile, and when by the clock of a zone.
  func traced(by editor: DirectoryEditor, in zone: Zone) async -> [DocumentError] {
    var conflicts = await editor.traced(mistakes.compactMap(\.conflict)).makeIterator()
    return mistakes.map { mistake in
      guard mistake.conflict != nil, let conflict = conflicts.next() else { return mistake }
      let text = conflict.text(in: zone)
      return DocumentError(
        line: mistake.line,
        text: conflict.cause == .isRemoved
          ? text : "it was changed in the meantime: \(text); save again to keep this text"
      )
    }
  }
}

extension ChangeConflict {
  /// The record of a line is not there any more.
  static func removed(_ key: RecordKey, _ name: String) -> ChangeConflict {
    ChangeConflict(kind: key.kind, id: key.id, name: name, cause: .isRemoved)
  }
}

/// How values stand in documents.
enum DocumentText {
  /// Whether there is nothing but comments and blank lines.
  static func isEmpty(_ text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { line in
      let first = line.first { !$0.isWhitespace }
      return first == nil || first == "#"
    }
  }

  /// Text behind a `#`, on one line whatever it holds.
  static func comment(_ text: String) -> String {
    escaped(text, "")
  }

  /// A value with a backslash before each of these signs, and what is not seen as `\u{…}`.
  static func escaped(_ text: String, _ signs: String) -> String {
    let space = UInt8(ascii: " ")
    let isPlain = text.utf8.allSatisfy {
      (space..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") && !signs.utf8.contains($0)
    }
    if isPlain, text.utf8.first != space, text.utf8.last != space { return text }
    var result = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let isAtEnd = index == 0 || index == scalars.count - 1
      if signs.unicodeScalars.contains(scalar) || scalar == "\\" && !signs.isEmpty {
        result.unicodeScalars.append("\\")
        result.unicodeScalars.append(scalar)
      } else if scalar == " " ? isAtEnd && !signs.isEmpty : isHidden(scalar) {
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Joiners and selectors belong to the letters around them, and wide blanks are seen.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    guard !DirectoryLimits.isVisible(scalar) else { return false }
    switch scalar.value {
    case 0x20, 0xA0, 0x3000, 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return false
    default: return true
    }
  }

  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  /// Takes escapes back.
  static func unescaped(_ text: some StringProtocol) -> String {
    var result = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        result.unicodeScalars.append(scalar)
        continue
      }
      if next == "u", rest.first == "{", let end = rest.firstIndex(of: "}"),
        let value = UInt32(Self.text(rest[..<end].dropFirst()), radix: 16),
        let meant = Unicode.Scalar(value)
      {
        result.unicodeScalars.append(meant)
        rest = rest[rest.index(after: end)...]
      } else {
        result.unicodeScalars.append(next)
      }
    }
    return result
  }
}

extension EditPlanner {
  /// Makes an edit of a record as it was to the record as it is now.
  ///
  /// - Parameters:
  ///   - key: The record, loaded as it is now.
  ///   - base: What the edit began with.
  ///   - mine: What it made of that.
  /// - Returns: What both changed, and not to the same.
  mutating func merge(
    _ key: RecordKey,
    _ base: Change.State,
    _ mine: Change.State
  ) -> [ChangeConflict] {
    guard let change = Change(key.kind, key.id, from: base, to: mine) else { return [] }
    let present = draft.former(key)
    let conflicts = change.conflicts(with: present)
    if let present { draft[key] = present.edited(base, mine, of: key.kind) }
    return conflicts
  }
}
