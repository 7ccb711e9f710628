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

  private let lettering: Lettering
  private let limit: Int?

  /// Values stand below their labels rather than in fewer columns.
  private static let leastColumns = 16

  package init(_ profile: TerminalProfile) {
    lettering = Lettering(profile)
    limit = profile.columns
  }

  /// Appends a card; the heading is broken like a value.
  package func append(heading: String, _ fields: [Field], to text: inout [UInt8]) {
    for line in lettering.marked(heading).lines(columns: limit) {
      lettering.append(line, .bold, limit: nil, to: &text)
      text.append(0x0A)
    }
    let fields = fields.map { Field($0.label, $0.values.filter { !$0.isEmpty }) }
      .filter { !$0.values.isEmpty }
    let labelColumns = fields.lazy.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
    for field in fields { append(field, labelColumns, to: &text) }
  }

  private func append(_ field: Field, _ labelColumns: Int, to text: inout [UInt8]) {
    var indent = 2 + labelColumns + 3
    lettering.pad(2, to: &text)
    lettering.append(own: field.label + ":", .dim, to: &text)
    var missing = indent - 3 - DisplayWidth.columns(of: field.label)
    if let limit, limit - indent < Self.leastColumns {
      text.append(0x0A)
      (indent, missing) = (4, 4)
    }
    for value in field.values {
      for line in lettering.marked(value).lines(columns: limit.map { $0 - indent }) {
        lettering.pad(missing, to: &text)
        lettering.append(line, .plain, limit: nil, to: &text)
        text.append(0x0A)
        missing = indent
      }
    }
  }
}
