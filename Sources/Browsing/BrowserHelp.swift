import TextRules

/// The keys and what they do.
struct BrowserHelp {
  private(set) var lines: [String] = []

  /// - Parameters:
  ///   - keys: What keys mean.
  ///   - purpose: What the front is for; those who pick type a query meanwhile.
  ///   - columns: Of the screen, at which sentences are broken at blanks; `nil` where there is none, and so no
  ///     mouse and no signs.
  init(_ keys: KeyBindings, _ purpose: BrowserState.Purpose, columns: Int?) {
    let isPicking = purpose == .pick
    if isPicking {
      append("Enter", "Accept the marked rows, or the selected one.", columns)
      append("Esc", "Choose nothing.", columns)
    }
    for action in BrowserAction.allCases where !isPicking || action.isForPicking {
      let names = keys.names(of: action, whileTyping: isPicking)
      if !names.isEmpty { append(names.joined(separator: ", "), action.summary, columns) }
    }
    if !isPicking { append("1 to 9", "Show that many levels; 1 shows only the top.", columns) }
    guard columns != nil else { return }
    append("Mouse", "A click selects, a second one opens; the wheel moves.", columns)
    append("", "", columns)
    append("★", "Leads the department.", columns)
    append("(12)", "The people in the department and below it.", columns)
  }

  private static let keyColumns = 26

  private mutating func append(_ keys: String, _ summary: String, _ columns: Int?) {
    let blanks = max(Self.keyColumns - DisplayWidth.columns(of: keys), 1)
    var line = "  " + keys + String(repeating: " ", count: blanks)
    var isBlank = true
    for word in summary.split(separator: " ") {
      if !isBlank, DisplayWidth.columns(of: "\(line) \(word)") > columns ?? .max {
        lines.append(line)
        line = String(repeating: " ", count: 2 + Self.keyColumns)
        isBlank = true
      }
      line += isBlank ? "\(word)" : " \(word)"
      isBlank = false
    }
    lines.append(line.last == " " ? "" : line)
  }
}
