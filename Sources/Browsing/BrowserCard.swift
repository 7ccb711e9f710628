import DirectoryModel
import DirectoryReading

/// Everything about a person or a department, line by line, some lines leading to others.
package struct BrowserCard: Sendable {
  struct Line: Sendable {
    /// Empty where the line goes on with the values of the one above.
    var label: String
    var value: String
    var target: DirectoryTarget?
    /// What of the record it shows.
    var items: [Change.Item]
    /// Who set it, where that was asked for.
    var note: String?
  }

  package let node: Node
  let heading: String
  private(set) var lines: [Line]
  /// The line that is chosen, while the card has the keys.
  private(set) var selected: Int?

  /// Reads the card of a node.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package init(of node: Node, in directory: Directory) throws {
    self.node = node
    let row = try directory.card(at: node)
    heading = row.name
    lines = try directory.cardFields(of: row).flatMap { field in
      field.values.enumerated().map { index, value in
        Line(
          label: index == 0 ? field.label : "",
          value: value.text,
          target: value.target,
          items: value.items
        )
      }
    }
  }

  mutating func selectFirst() {
    selected = lines.firstIndex { $0.target != nil } ?? (lines.isEmpty ? nil : 0)
  }

  mutating func move(by count: Int) {
    guard !lines.isEmpty else { return }
    selected = min(max((selected ?? 0) + count, 0), lines.count - 1)
  }

  /// Puts a note below a line.
  mutating func note(_ text: String, atLine line: Int) {
    if lines.indices.contains(line) { lines[line].note = text }
  }

  var selectedLine: Line? { selected.map { lines[$0] } }
  var selectedTarget: DirectoryTarget? { selected.flatMap { lines[$0].target } }
}
