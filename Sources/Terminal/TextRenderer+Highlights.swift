import TextRules

extension TextRenderer {
  /// Text from outside as it may be shown, with the parts that a search found.
  ///
  /// - Parameters:
  ///   - text: As it is, not yet made visible.
  ///   - highlights: Offsets in its UTF-8, rising and apart; they are widened to whole grapheme
  ///     clusters, and dropped where the profile has no colour.
  /// - Returns: The visible text; its highlights are offsets in that.
  func marked(_ text: String, at highlights: [Range<Int>] = []) -> MarkedText {
    guard colour, !highlights.isEmpty else { return MarkedText(text: visible(text)) }
    var marked = MarkedText(text: "")
    var count = 0
    for piece in Self.pieces(of: text, at: highlights) {
      let visible = visible(piece.text)
      let end = count + visible.utf8.count
      if piece.isFound { marked.highlights.append(count..<end) }
      marked.text += visible
      count = end
    }
    return marked
  }

  /// Appends text with what was found in it set off; what is cut keeps the highlights of what
  /// stays.
  ///
  /// - Parameters:
  ///   - marked: What `marked(_:at:)` gave.
  ///   - style: Of the rest.
  ///   - limit: The most columns; `nil` when nothing is cut.
  ///   - cut: Which end goes when it is too long; the highlights go with the beginning.
  ///   - line: Grows by the text.
  /// - Returns: The columns it took; 0 is said where there is no limit, since no one needs them.
  @discardableResult
  func append(
    _ marked: MarkedText,
    _ style: Style,
    limit: Int?,
    cut: Truncation = .end,
    to line: inout [UInt8]
  ) -> Int {
    guard !marked.highlights.isEmpty, cut == .end else {
      return append(visible: marked.text, style, limit: limit, cut: cut, to: &line)
    }
    var kept = marked
    var columns = limit == nil ? 0 : DisplayWidth.columns(of: marked.text)
    let isCut = limit.map { columns > $0 } ?? false
    if isCut, let limit {
      guard limit > ellipsisColumns else {
        return append(visible: marked.text, style, limit: limit, to: &line)
      }
      let beginning = beginning(of: marked.text, columns: limit - ellipsisColumns)
      kept = marked.part(0..<beginning.utf8.count)
      columns = DisplayWidth.columns(of: kept.text) + ellipsisColumns
    }
    let isolated = unicode && VisibleText.holdsRightToLeft(marked.text)
    if isolated { line.append(contentsOf: "\u{2068}".utf8) }
    append(kept, style, to: &line)
    if isCut { append(own: ellipsis, style, to: &line) }
    if isolated { line.append(contentsOf: "\u{2069}".utf8) }
    return columns
  }

  private func append(_ marked: MarkedText, _ style: Style, to line: inout [UInt8]) {
    var end = 0
    func append(_ range: Range<Int>, _ style: Style) {
      if !range.isEmpty { self.append(own: marked.part(range).text, style, to: &line) }
    }
    for found in marked.highlights {
      append(end..<found.lowerBound, style)
      append(found, .highlighted)
      end = found.upperBound
    }
    append(end..<marked.text.utf8.count, style)
  }

  /// Splits a text at the highlights, widened to whole grapheme clusters.
  private static func pieces(
    of text: String,
    at highlights: [Range<Int>]
  ) -> [(text: String, isFound: Bool)] {
    var pieces: [(text: String, isFound: Bool)] = []
    var offset = 0
    for cluster in text {
      let end = offset + cluster.utf8.count
      let cluster = String(cluster)
      let isFound = highlights.contains { $0.overlaps(offset..<end) }
      if let last = pieces.last, last.isFound == isFound {
        pieces[pieces.count - 1].text += cluster
      } else {
        pieces.append((cluster, isFound))
      }
      offset = end
    }
    return pieces
  }
}
