import TextRules

/// Draws one person or department as a card: a heading and lines of label and value.
///
///     Ada Lund
///       Title:       Head of storage
///       Department:  Northwind / Engineering / Storage
///                    Northwind / Safety
///
/// On a terminal, values that are too long go on in further lines, broken at spaces where they can
/// be; otherwise each value is one line.
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

  package init(_ profile: TerminalProfile) {
    lettering = Lettering(profile)
    limit = profile.columns
  }

  /// Appends a card; the heading is broken like a value.
  package func append(heading: String, _ fields: [Field], to text: inout [UInt8]) {
    for line in broken(heading, columns: limit) {
      lettering.append(visible: line, .bold, limit: nil, to: &text)
      text.append(0x0A)
    }
    let fields = fields.map { Field($0.label, $0.values.filter { !$0.isEmpty }) }
      .filter { !$0.values.isEmpty }
    let labelColumns = fields.lazy.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
    for field in fields { append(field, labelColumns, to: &text) }
  }

  private func append(_ field: Field, _ labelColumns: Int, to text: inout [UInt8]) {
    let indent = 2 + labelColumns + 3
    let room = limit.map { max($0 - indent, 16) }
    let lines = field.values.flatMap { broken($0, columns: room) }
    for (index, line) in lines.enumerated() {
      if index == 0 {
        lettering.pad(2, to: &text)
        lettering.append(own: field.label + ":", .dim, to: &text)
        lettering.pad(indent - 3 - DisplayWidth.columns(of: field.label), to: &text)
      } else {
        lettering.pad(indent, to: &text)
      }
      lettering.append(visible: line, limit: nil, to: &text)
      text.append(0x0A)
    }
  }

  /// Breaks a text into lines of at most so many columns.
  private func broken(_ value: String, columns: Int?) -> [String] {
    let visible = lettering.visible(value)
    guard let columns else { return [visible] }
    var lines: [String] = []
    var rest = visible[...]
    while DisplayWidth.columns(of: String(rest)) > columns {
      var line = DisplayWidth.prefix(of: String(rest), columns: columns)
      if line.isEmpty { line = String(rest.prefix(1))[...] }
      let whole = rest.dropFirst(line.count)
      if whole.first != " ", let space = line.lastIndex(of: " "), space > line.startIndex {
        line = line[..<space]
      }
      rest = rest.dropFirst(line.count).drop { $0 == " " }
      lines.append(String(line))
    }
    if !rest.isEmpty || lines.isEmpty { lines.append(String(rest)) }
    return lines
  }
}
