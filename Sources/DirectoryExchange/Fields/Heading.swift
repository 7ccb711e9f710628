import DirectoryModel
import TextRules

/// What stands above a column of a table.
struct Heading {
  let text: String

  init(_ bytes: some Sequence<UInt8>) { text = String(decoding: Array(bytes), as: UTF8.self) }
  init(_ text: String) { self.text = text }

  /// The same for headings that differ only in case, or in underscores, blanks and line breaks around and
  /// within them, since spreadsheets change these.
  var key: String {
    text.split { $0.isWhitespace || $0 == "_" }.joined(separator: " ").lowercased()
  }

  /// What the catalogue says that a column of this heading may hold, the likeliest first.
  var meanings: [String] {
    // Google has `[Required]` behind headings, and Microsoft Entra writes them like `jobTitle`.
    let plain = text.prefix { $0 != "[" }
    return Self.catalogue[Self.folded(plain)] ?? Self.catalogue[Self.folded(Self.parted(plain))]
      ?? []
  }

  /// The headings of the catalogue, and fields' own names and labels.
  private static let catalogue: [String: [String]] = {
    var keys: [String: [String]] = [:]
    func add(_ heading: some StringProtocol, _ key: String) {
      let folded = folded(heading)
      if keys[folded]?.contains(key) != true { keys[folded, default: []].append(key) }
    }
    for (key, headings) in HeadingCatalogue.words {
      for heading in headings { add(heading, String(key)) }
    }
    for field in KnownField.builtIn + KnownField.usual where field.owner == .user {
      for heading in [field.label, field.name] { add(heading, field.name) }
    }
    return keys
  }()

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
  private static func folded(_ heading: some StringProtocol) -> String {
    Folding.fold(String(heading)).split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }
}

extension CSVRecord {
  /// What its cells say where it names the columns of a table.
  var headings: [Heading] { (0..<count).map { Heading(self[$0]) } }
}
