/// A JSON object by its keys; what is `nil` is left out.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private let members: [(key: Name, value: any Encodable)]

  package init(dictionaryLiteral members: (String, (any Encodable)?)...) {
    self.members = members.compactMap { key, value in
      value.map { (Name(stringValue: key), $0) }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    for (key, value) in members { try object.encode(value, forKey: key) }
  }

  /// On one line, the keys in order of the alphabet.
  package var line: String { JSONLine.encode(self) }
}
