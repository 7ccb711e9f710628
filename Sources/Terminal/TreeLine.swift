/// One row of a tree, as it is drawn.
package struct TreeLine: Sendable {
  package enum Sign: Sendable {
    case expanded, collapsed, empty, leaf
  }

  /// Depth below what is shown; the shown roots are 0.
  package var level: Int
  package var isLastSibling: Bool
  package var sign: Sign
  package var label: String
  /// Distinct people below a department.
  package var count: Int?
  /// What stands behind the label, such as a person's title; empty for none.
  package var detail: String
  /// What a search found, as offsets in the label's UTF-8, rising and apart.
  package var highlights: [Range<Int>]
  /// Whether it only leads to what is meant.
  package var isDimmed = false

  package init(
    level: Int,
    isLastSibling: Bool,
    sign: Sign,
    label: String,
    count: Int? = nil,
    detail: String = "",
    highlights: [Range<Int>] = []
  ) {
    self.level = level
    self.isLastSibling = isLastSibling
    self.sign = sign
    self.label = label
    self.count = count
    self.detail = detail
    self.highlights = highlights
  }
}
