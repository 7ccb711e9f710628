import TextRules

/// Text that may be shown, with the parts that a search found.
struct MarkedText: Sendable, Equatable {
  var text: String
  /// Offsets in its UTF-8, rising and apart.
  var highlights: [Range<Int>] = []

  /// A part of it, with the highlights in there.
  func part(_ range: Range<Int>) -> MarkedText {
    MarkedText(
      text: String(
        decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count),
        as: UTF8.self
      ),
      highlights: highlights.map { $0.clamped(to: range) }.filter { !$0.isEmpty }
        .map { $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound }
    )
  }

  /// Breaks it into lines of at most so many columns, at spaces where they can be.
  ///
  /// - Parameter columns: `nil` for one line of any length.
  /// - Returns: At least one line; one of a single cluster may be wider than what is asked for.
  func lines(columns: Int?) -> [MarkedText] {
    guard let columns, DisplayWidth.columns(of: text) > columns else { return [self] }
    var lines: [MarkedText] = []
    var start = text.startIndex
    while start < text.endIndex {
      let end = lineEnd(from: start, columns: columns)
      lines.append(part(offset(of: start)..<offset(of: end)))
      start = text[end...].firstIndex { $0 != " " } ?? text.endIndex
    }
    return lines
  }

  private func lineEnd(from start: String.Index, columns: Int) -> String.Index {
    var used = 0
    var space: String.Index?
    for index in text[start...].indices {
      if text[index] == " ", index > start { space = index }
      used += DisplayWidth.columns(of: text[index])
      guard used > columns else { continue }
      return space ?? (index > start ? index : text.index(after: index))
    }
    return text.endIndex
  }

  private func offset(of index: String.Index) -> Int {
    text.utf8.distance(from: text.startIndex, to: index)
  }
}
