import DirectoryModel
import FoundationEssentials

/// The page's own words in one language.
package struct PageTexts: Sendable {
  /// Such as `de` (RFC 5646).
  package let language: String
  private let texts: [String: String]
  /// What the browser needs of them, as JSON.
  let json: String

  private init(_ language: String, _ texts: [String: String]) {
    (self.language, self.texts) = (language, texts)
    json = JSONLine.encode(texts.filter { !$0.key.hasPrefix("problem.") })
  }

  /// Every language, by its tag.
  package static let all: [String: PageTexts] = {
    let json = Data(PageFile.text(of: "texts.json").utf8)
    guard let table = try? JSONDecoder().decode([String: [String: String]].self, from: json) else {
      preconditionFailure("texts.json is not a table of texts")
    }
    return table.reduce(into: [:]) { all, entry in
      all[entry.key] = PageTexts(entry.key, entry.value)
    }
  }()

  /// The language that a browser asks for before others by `Accept-Language` (RFC 9110 §12.5.4), whichever
  /// variant of it; English where we have none of them.
  package static func preferred(_ field: String?) -> PageTexts {
    var best = (weight: 0.0, texts: all["en"])
    for range in (field ?? "").split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
      let weight =
        parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      let language = parts.first?.prefix { $0 != "-" }.lowercased() ?? ""
      if let texts = all[language], weight > best.weight { best = (weight, texts) }
    }
    guard let texts = best.texts else { preconditionFailure("texts.json has no English") }
    return texts
  }

  package var keys: Set<String> { Set(texts.keys) }

  /// The text of a key, in which values stand for `{name}`.
  package func callAsFunction(_ key: String, _ values: KeyValuePairs<String, String> = [:])
    -> String
  {
    guard let text = texts[key] else { preconditionFailure("texts.json has no \(key)") }
    return values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// A number of people.
  func people(_ count: Int) -> String {
    let key = count == 1 && texts["people.one"] != nil ? "people.one" : "people"
    return self(key, ["count": String(count)])
  }

  /// The label of a field: one that a company has written stays as it is.
  func label(_ label: String) -> String { texts["label." + label] ?? label }
}
