import FoundationEssentials

/// The words that the program carries, as JSON files below `Words`.
enum EmbeddedWords {
  /// Each file is read once, by a constant.
  static func decode<Words: Decodable>(_ json: [UInt8]) -> Words {
    do {
      return try JSONDecoder().decode(Words.self, from: Data(json))
    } catch {
      preconditionFailure("the embedded words cannot be read: \(error)")
    }
  }
}
