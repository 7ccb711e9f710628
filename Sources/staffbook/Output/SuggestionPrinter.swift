import DirectoryModel

/// A suggested mapping as a file: YAML, with the reasons as comments.
enum SuggestionPrinter {
  static func text(_ suggestion: SuggestedMapping) -> String {
    var text = """
      # The column mapping of a personnel list, for: staffbook import --mapping THIS-FILE LIST
      # Guessed from the headings and the first \(counted(suggestion.rowCount)). Check it, and correct it.

      """
    if !suggestion.fields.isEmpty {
      text +=
        "# Declare these fields first, unless they are declared already: staffbook field add "
        + suggestion.fields.joined(separator: " ") + "\n"
    }
    for gap in suggestion.gaps { text += "# Missing: \(gap)\n" }
    text += "\n"
    for line in suggestion.lines {
      text += "# \(line.reason)\n\(line.key): \(quoted(line.value))\n"
    }
    if !suggestion.unused.isEmpty {
      text += "\n# Left out: \(suggestion.unused.joined(separator: ", "))\n"
    }
    return text
  }

  private static func counted(_ rows: Int) -> String { rows == 1 ? "row" : "\(rows) rows" }

  /// A double-quoted scalar (YAML 1.2 §5.7).
  private static func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _
      where scalar.properties.generalCategory == .control
        || scalar.properties.generalCategory == .format
        || scalar.properties.generalCategory == .lineSeparator
        || scalar.properties.generalCategory == .paragraphSeparator:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
