/// The languages in which people have names, from `Words/names.json`.
struct Languages: Sendable {
  /// Those of the built-in company, and those of a company of any size, in the order of the file.
  private let stocks: [(language: String, common: NameVocabulary, wide: GeneratedNames)]
  /// Every language as many times as it has weight.
  let common: [NameVocabulary]
  let wide: [GeneratedNames]

  static let all = Languages(EmbeddedWords.decode("names.json"))

  private init(_ entries: [Entry]) {
    stocks = entries.map { entry in
      let common = entry.common
      return (entry.language, common, GeneratedNames(common, entry.large))
    }
    common = stocks.flatMap { Array(repeating: $0.common, count: $0.common.weight) }
    wide = stocks.flatMap { Array(repeating: $0.wide, count: $0.common.weight) }
  }

  /// Names of these languages; `everyone` stands for all by their weight.
  func common(_ languages: [String]) -> [NameVocabulary] {
    languages.flatMap { language in
      language == "everyone" ? common : stocks.filter { $0.language == language }.map(\.common)
    }
  }
}

extension Languages {
  /// A language in the file.
  private struct Entry: Decodable {
    let language: String
    /// Its share, against those of the others.
    let weight: Int
    let order: NameVocabulary.Order
    let given: [NameVocabulary.Part]
    let family: [NameVocabulary.Part]
    /// What a company of any size has besides.
    let large: GeneratedNames.Parts

    var common: NameVocabulary {
      NameVocabulary(given: given, family: family, order: order, weight: weight)
    }
  }
}

extension NameVocabulary.Order: Decodable {
  init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    switch name {
    case "given family": self = .givenFirst
    case "family given": self = .familyFirst(separator: " ")
    case "familygiven": self = .familyFirst(separator: "")
    default:
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "unknown order \(name)")
      )
    }
  }
}
