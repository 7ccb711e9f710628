import TextRules

/// Draws one person or department as a card: a heading and lines of label and value.
///
///     Ada Lund
///       Title:       Head of storage
///       Department:  Northwind / Engineering / Storage
///                    Northwind / Safety
///
/// On a terminal, values that are too long go on in further lines, broken at spaces where they can
/// be, and below their labels where there is no room beside them; otherwise each value is one line.
package struct CardPainter: Sendable {
  /// A label of ours and what it says; a field without a value that shows is left out.
  package struct Field: Sendable {
    package var label: String
    package var values: [String]

    package init(_ label: String, _ values: [String]) {
      self.label = label
      self.values = values
    }

    package init(_ label: String, _ value: String?) {
      self.init(label, value.map { [$0] } ?? [])
    }
  }

  private let renderer: TextRenderer
  private let limit: Int?

  /// Values stand below their labels rather than in fewer columns.
  private static let leastColumns = 16

  package init(_ profile: TerminalProfile) {
    renderer = TextRenderer(profile)
    limit = profile.columns
  }

  /// Appends a card; the heading is broken like a value.
  package func append(heading: String, _ fields: [Field], to text: inout [UInt8]) {
    var lines: [[UInt8]] = []
    append(heading: heading, to: &lines)
    let fields = fields.map { Field($0.label, $0.values.filter { !$0.isEmpty }) }
      .filter { !$0.values.isEmpty }
    let labelColumns = fields.lazy.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
    for field in fields {
      for (index, value) in field.values.enumerated() {
        append(label: index == 0 ? field.label : "", value, labelColumns, to: &lines)
      }
    }
    for line in lines { text += line + [0x0A] }
  }

  /// Appends the lines of a heading.
  package func append(heading: String, to lines: inout [[UInt8]]) {
    for part in renderer.marked(heading).lines(columns: limit) {
      var line: [UInt8] = []
      renderer.append(part, .bold, limit: nil, to: &line)
      lines.append(line)
    }
  }

  /// Appends what is said of the value above, dimmed.
  package func append(note: String, _ labelColumns: Int, to lines: inout [[UInt8]]) {
    append(label: "", note, labelColumns, .dim, to: &lines)
  }

  /// Appends the lines of one value.
  ///
  /// - Parameters:
  ///   - label: In front of it; empty where the value is a further one.
  ///   - value: Text from outside.
  ///   - labelColumns: Columns of the longest label of the card.
  ///   - isLink: Whether it leads somewhere.
  ///   - lines: Grows by the lines, without line feeds.
  package func append(
    label: String,
    _ value: String,
    _ labelColumns: Int,
    isLink: Bool = false,
    to lines: inout [[UInt8]]
  ) {
    append(label: label, value, labelColumns, isLink ? .link : .plain, to: &lines)
  }

  private func append(
    label: String,
    _ value: String,
    _ labelColumns: Int,
    _ style: TextRenderer.Style,
    to lines: inout [[UInt8]]
  ) {
    var indent = 2 + labelColumns + 3
    var line: [UInt8] = []
    var missing = indent
    let isBelow = limit.map { $0 - indent < Self.leastColumns } ?? false
    if !label.isEmpty {
      renderer.pad(2, to: &line)
      renderer.append(own: label + ":", .dim, to: &line)
      missing = indent - 3 - DisplayWidth.columns(of: label)
      if isBelow {
        lines.append(line)
        line = []
      }
    }
    if isBelow { (indent, missing) = (4, 4) }
    for part in renderer.marked(value).lines(columns: limit.map { $0 - indent }) {
      renderer.pad(missing, to: &line)
      renderer.append(part, style, limit: nil, to: &line)
      lines.append(line)
      line = []
      missing = indent
    }
  }
}

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
