import DirectoryModel
import TextRules

/// A value made of columns: `{First Name} {Last Name}`.
///
/// A heading stands in braces, everything else for itself; a backslash goes before a brace, a slash or
/// a backslash that is part of the text. Of departments, a slash outside braces parts the levels.
struct ColumnTemplate: Sendable, Equatable {
  enum Part: Sendable, Equatable {
    case text([UInt8])
    case column(String)
  }

  /// From the top down; one for everything but departments.
  private(set) var levels: [[Part]] = [[]]

  /// - Throws: Why the text is not a template.
  init(_ source: String, hasLevels: Bool = false) throws(Fault) {
    var literal = ""
    var rest = source[...]
    func flush(_ levels: inout [[Part]]) {
      if !literal.isEmpty { levels[levels.count - 1].append(.text(Array(literal.utf8))) }
      literal = ""
    }
    while let sign = rest.popFirst() {
      switch sign {
      case "\\":
        guard let next = rest.popFirst() else { throw .endsWithBackslash }
        literal.append(next)
      case "{":
        flush(&levels)
        levels[levels.count - 1].append(.column(try Self.heading(&rest)))
      case "}": throw .strayBrace
      case "/" where hasLevels:
        flush(&levels)
        levels.append([])
      default: literal.append(sign)
      }
    }
    flush(&levels)
    levels.removeAll(where: \.isEmpty)
    guard !levels.isEmpty else { throw .empty }
  }

  /// What stands until the brace that closes a heading.
  private static func heading(_ rest: inout Substring) throws(Fault) -> String {
    var heading = ""
    while let sign = rest.popFirst() {
      switch sign {
      case "\\":
        guard let next = rest.popFirst() else { throw .openBrace }
        heading.append(next)
      case "{": throw .openBrace
      case "}":
        guard heading.contains(where: { !$0.isWhitespace }) else { throw .empty }
        return heading
      default: heading.append(sign)
      }
    }
    throw .openBrace
  }

  /// The text of a template that names no column, and so is the same for everybody; `nil` for others.
  var onlyText: String? {
    var text: [UInt8] = []
    for part in levels.joined() {
      guard case .text(let literal) = part else { return nil }
      text += literal
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The headings that a template names; `nil` for a text that is not a template.
  static func headings(in text: String) -> [String]? {
    (try? ColumnTemplate(text))?.headings
  }

  var headings: [String] {
    levels.joined().compactMap { if case .column(let heading) = $0 { heading } else { nil } }
  }

  /// The template as it is written, without escapes of its text.
  var text: String {
    levels.map { level in
      level.map { part in
        switch part {
        case .text(let text): String(decoding: text, as: UTF8.self)
        case .column(let heading): Self.text(of: heading)
        }
      }.joined()
    }.joined(separator: "/")
  }

  /// A heading as it stands in a template.
  static func text(of heading: String) -> String {
    var text = "{"
    for sign in heading {
      if "{}\\".contains(sign) { text.append("\\") }
      text.append(sign)
    }
    return text + "}"
  }

  enum Fault: Error, Equatable {
    case empty, openBrace, strayBrace, endsWithBackslash

    var reason: String {
      switch self {
      case .empty: "it names no column"
      case .openBrace: "a brace is not closed"
      case .strayBrace: "a closing brace has no opening one"
      case .endsWithBackslash: "it ends with a backslash"
      }
    }
  }
}

/// What rows of a list must have: `{Status} = active, on leave`, or `!=` and what they must not.
struct RowCondition: Sendable, Equatable {
  let template: ColumnTemplate
  private let isNegated: Bool
  /// Folded; an empty one stands for no value.
  private let values: Set<String>

  /// `nil` for a text that is not a condition.
  init?(_ text: String) {
    guard let brace = text.lastIndex(of: "}"),
      let template = try? ColumnTemplate(
        String(text[...brace].drop(while: \.isWhitespace))
      )
    else { return nil }
    var rest = text[text.index(after: brace)...].drop(while: \.isWhitespace)
    isNegated = rest.hasPrefix("!")
    if isNegated { rest.removeFirst() }
    guard rest.hasPrefix("=") else { return nil }
    self.template = template
    values = Set(
      rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false).map {
        Folding.fold(String($0)).split(separator: " ").joined(separator: " ")
      }
    )
  }

  /// Whether the text of a row's template meets it, without regard to case and accents.
  func isMet(by text: [UInt8]) -> Bool {
    values.contains(Folding.fold(String(decoding: text, as: UTF8.self))) != isNegated
  }
}
