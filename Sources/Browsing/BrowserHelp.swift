import TextRules

/// The keys and what they do.
struct BrowserHelp {
  let lines: [String]

  init(_ keys: KeyBindings) {
    var rows = BrowserAction.allCases.compactMap { action -> (keys: String, summary: String)? in
      let names = keys.names(of: action)
      return names.isEmpty ? nil : (names.joined(separator: ", "), action.summary)
    }
    rows.append(("1 to 9", "Show so many levels; 1 shows only the top."))
    lines =
      rows.map { row in
        let blanks = max(Self.keyColumns - DisplayWidth.columns(of: row.keys), 1)
        return "  " + row.keys + String(repeating: " ", count: blanks) + row.summary
      } + [
        "", "  ★ leads the department. A number is that of the people in it and below it.",
      ]
  }

  private static let keyColumns = 26
}
