import DirectoryModel

/// Scalars as YAML has them: plain where that can be read in only one way, else in double quotes.
///
/// Source: YAML 1.1 §5.7 (escapes in double quotes).
package enum YAMLWriter {
  package static func scalar(_ text: String) -> String {
    if text.isEmpty { return "" }
    return isPlain(text) ? text : quoted(text)
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
      first.properties.isAlphabetic || ("0"..."9").contains(first), last != " ", last != ":"
    else { return false }
    var previous: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      let isBlank = scalar == " "
      if scalar == "#", previous == " " { return false }
      if isBlank, previous == ":" { return false }
      if !isBlank, !isSafe(scalar) { return false }
      previous = scalar
    }
    return true
  }

  /// Seen, and by itself; also what a script needs within words.
  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    DirectoryLimits.isVisible(scalar) && scalar.value != 0xFFFE
      || [0x200C, 0x200D, 0x3000].contains(scalar.value)
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case " ": result += " "
      default:
        guard !isSafe(scalar) else {
          result.unicodeScalars.append(scalar)
          continue
        }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let width = scalar.value > 0xFFFF ? 8 : 4
        result += width == 8 ? "\\U" : "\\u"
        result += String(repeating: "0", count: width - digits.count) + digits
      }
    }
    return result + "\""
  }
}
