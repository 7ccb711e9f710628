import TextRules

extension Lettering {
  /// Appends text from outside with the parts that a search found set off.
  ///
  /// - Parameters:
  ///   - text: As it is, not yet made visible.
  ///   - highlights: Offsets in its UTF-8, rising and apart.
  ///   - style: Of the rest.
  ///   - limit: The most columns; what is cut loses its highlights, which could lie in what is gone.
  ///   - line: Grows by the text.
  /// - Returns: The columns it took; 0 is said where nothing is cut and nobody needs them.
  func append(
    _ text: String,
    at highlights: [Range<Int>],
    _ style: Style,
    limit: Int?,
    to line: inout [UInt8]
  ) -> Int {
    let visible = visible(text)
    guard colour, !highlights.isEmpty else {
      return append(visible: visible, style, limit: limit, to: &line)
    }
    if let limit, limit != .max, DisplayWidth.columns(of: visible) > limit {
      return append(visible: visible, style, limit: limit, to: &line)
    }
    let isolated = unicode && VisibleText.holdsRightToLeft(text)
    if isolated { line.append(contentsOf: "\u{2068}".utf8) }
    var columns = 0
    for piece in Self.pieces(of: text, at: highlights) {
      let visible = self.visible(piece.text)
      columns += DisplayWidth.columns(of: visible)
      append(own: visible, piece.isFound ? .highlighted : style, to: &line)
    }
    if isolated { line.append(contentsOf: "\u{2069}".utf8) }
    return columns
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
