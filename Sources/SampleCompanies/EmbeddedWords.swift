import FoundationEssentials
import Platform

/// The words that the program carries, as JSON files below `Words`.
enum EmbeddedWords {
  /// Each file is read once, by a constant.
  static func decode<Words: Decodable>(_ file: String) -> Words {
    do {
      return try JSONDecoder().decode(Words.self, from: Data(EmbeddedFile.bytes(named: file)))
    } catch {
      preconditionFailure("the embedded words cannot be read: \(error)")
    }
  }
}
