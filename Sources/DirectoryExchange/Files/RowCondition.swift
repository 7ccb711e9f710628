import TextRules

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
