import TextRules

extension CardPainter {
  /// The fields of two cards in columns beside each other, as `diff --side-by-side` has two files: a
  /// bar stands where they differ.
  ///
  /// The first column has 40 columns at most; a longer value moves what stands behind it.
  package static func sideBySide(_ first: [Field], _ second: [Field]) -> [Field] {
    let further = second.map(\.label).filter { label in !first.contains { $0.label == label } }
    func values(_ fields: [Field], _ label: String) -> [String] {
      fields.first { $0.label == label }?.values ?? []
    }
    let width = min(
      first.flatMap(\.values).map { DisplayWidth.columns(of: $0) }.max() ?? 0,
      40
    )
    return (first.map(\.label) + further).map { label in
      let (left, right) = (values(first, label), values(second, label))
      let lines = (0..<max(left.count, right.count)).map { row in
        let one = row < left.count ? left[row] : ""
        let other = row < right.count ? right[row] : ""
        let blanks = String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: one)))
        return one + blanks + (one == other ? "   " : " | ") + other
      }
      return Field(label, lines)
    }
  }
}
