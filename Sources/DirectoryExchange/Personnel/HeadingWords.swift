import DirectoryModel
import TextRules

/// Looks headings up in the catalogue.
struct HeadingWords {
  private var keys: [String: String] = [:]

  init() {
    for (key, headings) in HeadingCatalogue.words {
      for heading in headings.split(separator: "|") { add(String(heading), key) }
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
  func key(of heading: String) -> String? { keys[Self.folded(heading)] }

  /// Letters and digits without accents and case, with a blank for whatever is between them.
  private static func folded(_ heading: String) -> String {
    Folding.fold(heading).split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }
}
