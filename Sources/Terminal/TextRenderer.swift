import TextRules

/// Puts text from outside on a line: harmless, isolated where it runs right to left, cut to its
/// columns, in colour where the profile has it.
struct TextRenderer: Sendable {
  /// ECMA-48 §8.3.117 (SGR).
  enum Style: String, Sendable {
    case plain = ""
    case dim = "\u{1B}[2m"
    case bold = "\u{1B}[1m"
    case highlighted = "\u{1B}[1;4m"
    /// The terminal's own blue and cyan (SGR 34 and 36).
    case link = "\u{1B}[4;34m"
    case sign = "\u{1B}[36m"
  }

  /// Which end of a text goes when it is too long.
  enum Truncation: Sendable {
    case end, start
  }

  let unicode: Bool
  private let drawsSigns: Bool
  let colour: Bool

  init(_ profile: TerminalProfile) {
    unicode = profile.unicode
    drawsSigns = profile.drawsSigns
    colour = profile.colour
  }

  var ellipsis: String { drawsSigns ? "…" : "..." }
  var ellipsisColumns: Int { drawsSigns ? 1 : 3 }

  /// The text as it may be shown, before it is cut.
  func visible(_ text: String) -> String { VisibleText.visible(text, ascii: !unicode) }

  /// Appends text of our own that is safe and fits.
  func append(own text: String, _ style: Style = .plain, to line: inout [UInt8]) {
    begin(style, in: &line)
    line.append(contentsOf: text.utf8)
    end(style, in: &line)
  }

  /// Appends visible text.
  ///
  /// - Parameters:
  ///   - text: What `visible(_:)` gave.
  ///   - style: In what style, where the profile has colour.
  ///   - limit: The most columns; `nil` when nothing is cut.
  ///   - cut: Which end goes when it is too long.
  ///   - line: Grows by the text.
  /// - Returns: The columns it took; 0 is said where there is no limit, since no one needs them.
  @discardableResult
  func append(
    visible text: String,
    _ style: Style = .plain,
    limit: Int?,
    cut: Truncation = .end,
    to line: inout [UInt8]
  ) -> Int {
    let isolated = unicode && VisibleText.holdsRightToLeft(text)
    begin(style, in: &line)
    if isolated { line.append(contentsOf: "\u{2068}".utf8) }
    var columns = 0
    if let limit {
      columns = DisplayWidth.columns(of: text)
      if columns <= limit {
        line.append(contentsOf: text.utf8)
      } else {
        let shortened = shortened(text, to: limit, cut)
        columns = DisplayWidth.columns(of: shortened)
        line.append(contentsOf: shortened.utf8)
      }
    } else {
      line.append(contentsOf: text.utf8)
    }
    if isolated { line.append(contentsOf: "\u{2069}".utf8) }
    end(style, in: &line)
    return columns
  }

  func begin(_ style: Style, in line: inout [UInt8]) {
    if colour, style != .plain { line.append(contentsOf: style.rawValue.utf8) }
  }

  func end(_ style: Style, in line: inout [UInt8]) {
    if colour, style != .plain { line.append(contentsOf: "\u{1B}[0m".utf8) }
  }

  /// Appends so many spaces.
  func pad(_ columns: Int, to line: inout [UInt8]) {
    if columns > 0 { line.append(contentsOf: repeatElement(0x20, count: columns)) }
  }

  /// Cuts visible text to so many columns, which it passes.
  func shortened(_ text: String, to limit: Int, _ cut: Truncation) -> String {
    guard limit > ellipsisColumns else { return String(ellipsis.prefix(max(limit, 0))) }
    let room = limit - ellipsisColumns
    switch cut {
    case .end: return beginning(of: text, columns: room) + ellipsis
    case .start: return ellipsis + ending(of: text, columns: room)
    }
  }

  /// The longest beginning that fits, without the space before the ellipsis.
  func beginning(of text: String, columns: Int) -> Substring {
    var kept = DisplayWidth.prefix(of: text, columns: columns)
    while kept.last == " " { kept.removeLast() }
    return kept
  }

  private func ending(of text: String, columns: Int) -> Substring {
    var used = 0
    var start = text.endIndex
    while start > text.startIndex {
      let before = text.index(before: start)
      used += DisplayWidth.columns(of: text[before])
      if used > columns { break }
      start = before
    }
    let kept = text[start...]
    return kept.drop { $0 == " " }
  }
}
