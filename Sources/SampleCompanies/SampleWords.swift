import DirectoryExchange
import FoundationEssentials
import Platform

/// What departments and people's titles are called in a generated company, from
/// `Words/words.json`.
struct SampleWords: Sendable {
  static let domain = Array("@fernlicht.example".utf8)

  /// Read once, and kept as a company of any size writes it.
  static let embedded = SampleWords(EmbeddedWords.decode("words.json"))

  private let words: Lists
  private let titles: [[UInt8]]
  private let headTitles: [[UInt8]]

  private init(_ words: Lists) {
    self.words = words
    titles = words.titles.map(Self.field)
    headTitles = words.headTitles.map(Self.field)
  }

  func title(_ random: inout SplitMix64) -> [UInt8] { random.pick(titles) }

  func headTitle(level: Int) -> [UInt8] { headTitles[min(level, headTitles.count - 1)] }

  func departmentName(level: Int, _ random: inout SplitMix64) -> String {
    switch level {
    case 0: return words.company
    case 1: return random.pick(words.divisions)
    case 2: return "\(random.pick(words.fields)) \(random.pick(words.regions))"
    case 3: return "\(random.pick(words.works)), \(random.pick(words.places))"
    default: return "\(random.pick(words.teams)) \(1 + random.below(99))"
    }
  }

  /// What people speak.
  var languages: [String] { words.languages }

  func description(_ random: inout SplitMix64) -> String { random.pick(words.descriptions) }

  /// A text as a field of CSV, in quotes where it needs them.
  private static func field(_ text: String) -> [UInt8] {
    var writer = CSVWriter()
    var bytes: [UInt8] = []
    writer.append(text, to: &bytes)
    return bytes
  }
}

extension SampleWords {
  /// The file's lists.
  private struct Lists: Decodable {
    let company: String
    /// Of heads of departments, from the top level down.
    let headTitles: [String]
    let titles: [String]
    let descriptions: [String]
    let divisions: [String]
    let fields: [String]
    let regions: [String]
    let works: [String]
    let places: [String]
    let teams: [String]
    let languages: [String]
  }
}

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
