import DirectoryModel
import TextRules

/// Looks headings up in the catalogue.
struct HeadingWords {
  private var keys: [String: String] = [:]

  init() {
    for (key, headings) in HeadingCatalogue.words {
      for heading in headings { add(String(heading), String(key)) }
    }
    for field in KnownField.builtIn + KnownField.usual where field.owner == .user {
      for heading in [field.label, field.name] + field.headings { add(heading, field.name) }
    }
  }

  private mutating func add(_ heading: String, _ key: String) {
    let folded = Self.folded(heading)
    if keys[folded] == nil { keys[folded] = key }
  }

  /// What a column of that heading holds; `nil` where the catalogue does not know it.
  func key(of heading: String) -> String? {
    // Google has `[Required]` behind headings, and Microsoft Entra writes them like `jobTitle`.
    let plain = heading.prefix { $0 != "[" }
    return keys[Self.folded(String(plain))] ?? keys[Self.folded(Self.parted(plain))]
  }

  /// With a blank before each capital behind a small letter.
  private static func parted(_ heading: Substring) -> String {
    var text = ""
    for sign in heading {
      if sign.isUppercase, text.last?.isLowercase == true { text.append(" ") }
      text.append(sign)
    }
    return text
  }

  /// Letters and digits without accents and case, with a blank for whatever is between them.
  private static func folded(_ heading: String) -> String {
    Folding.fold(heading).split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }
}
