import Platform

/// Letters and frequent names of languages, from `languages.txt`, which `scripts/letters` makes.
struct LanguageModels: Sendable {
  enum Script: Substring, Sendable {
    case latin = "Latn"
    case cyrillic = "Cyrl"
    case greek = "Grek"
    case hebrew = "Hebr"
    case arabic = "Arab"
    case thai = "Thai"
    /// Chinese, Japanese and Korean.
    case ideographs
  }

  /// How likely letters follow each other in words of a language.
  struct Letters: Sendable {
    /// Places in the matrix by the numbers that letters have in all languages; 0 is a word's border, and
    /// `unknown` stands for letters of others.
    var places: [UInt8]
    var side: Int
    /// Natural logarithms of probabilities, a row for what stands first.
    var matrix: [Float]

    static let unknown = UInt8.max
    /// The same for a letter that the language does not have.
    static let foreign: Float = -15
  }

  /// Codes of the languages: those with letters, then those with characters.
  private(set) var codes: [Substring] = []
  private(set) var scripts: [Script] = []
  private(set) var letters: [Letters] = []
  /// Frequent characters of the languages behind those with letters.
  private(set) var characters: [(code: Substring, frequent: [UInt32])] = []
  /// Names in small letters.
  private(set) var known: Set<[UInt32]> = []
  private(set) var scalars = ScalarKinds()

  /// Read once.
  static let all = LanguageModels(EmbeddedFile.bytes(named: "languages.txt"))

  private init(_ text: [UInt8]) {
    var lines = String(decoding: text, as: UTF8.self).split(separator: "\n")[...]
    lines = lines.drop { $0.hasPrefix("#") && !$0.hasPrefix("##") }
    var alphabets: [[UInt32]] = []
    var section: Substring = ""
    while let line = lines.popFirst() {
      if line.hasPrefix("language ") {
        let fields = line.split(separator: " ")
        let alphabet = fields[3].unicodeScalars.map(\.value)
        codes.append(fields[1])
        scripts.append(Script(rawValue: fields[2]) ?? .latin)
        alphabets.append(alphabet)
        letters.append(Self.letters(lines.prefix(alphabet.count + 1)))
        lines = lines.dropFirst(alphabet.count + 1)
      } else if line == "known" || line == "characters" {
        section = line
      } else if section == "known" {
        known.insert(line.unicodeScalars.map(\.value))
      } else {
        let fields = line.split(separator: " ")
        characters.append((fields[0], fields[1].unicodeScalars.map(\.value)))
      }
    }
    codes += characters.map(\.code)
    scripts += characters.map { _ in .ideographs }
    scalars = ScalarKinds(letters: Set(alphabets.joined()))
    for (language, alphabet) in alphabets.enumerated() {
      letters[language].places = [UInt8](repeating: Letters.unknown, count: scalars.count + 1)
      letters[language].places[0] = 0
      for (place, letter) in alphabet.enumerated() {
        letters[language].places[Int(scalars.number(of: letter))] = UInt8(place + 1)
      }
    }
  }

  private static func letters(_ rows: ArraySlice<Substring>) -> Letters {
    let matrix = rows.flatMap { row in row.utf8.map { -Float($0 - 0x23) / 4 } }
    precondition(matrix.count == rows.count * rows.count, "a damaged table of letters")
    return Letters(places: [], side: rows.count, matrix: matrix)
  }
}

/// What scalars are in words.
struct ScalarKinds: Sendable {
  enum Kind: UInt8 {
    /// Nothing that stands in names.
    case other
    case capital, small
    /// A letter of a script without case, or a mark.
    case letter
    case ideograph
    /// Quotation marks and the like, which stand around words; then signs such as `°`.
    case punctuation, sign
    /// Punctuation between ideographs.
    case ideographicSign
  }

  /// Scalars that are looked up.
  private static let end = 0x3000
  /// Numbers of letters from 1, of capitals those of their small ones; 0 for others.
  private var numbers: [UInt16] = []
  private var kinds: [Kind] = []
  private(set) var count = 0

  init() {}

  /// - Parameter letters: Small ones, and marks.
  init(letters: Set<UInt32>) {
    numbers = Array(repeating: 0, count: Self.end)
    kinds = (0..<Self.end).map { Self.kind(UInt32($0)) }
    count = letters.count
    let sorted = letters.sorted()
    for (place, letter) in sorted.enumerated() { numbers[Int(letter)] = UInt16(place + 1) }
    for letter in sorted {
      guard let capitals = Unicode.Scalar(letter)?.properties.uppercaseMapping.unicodeScalars,
        let capital = capitals.first, capitals.count == 1, numbers[Int(capital.value)] == 0
      else { continue }
      numbers[Int(capital.value)] = numbers[Int(letter)]
    }
    // Turkish; all other languages have i for it.
    numbers[0x130] = numbers[0x69]
  }

  func number(of scalar: UInt32) -> UInt16 {
    scalar < Self.end ? numbers[Int(scalar)] : 0
  }

  func kind(of scalar: UInt32) -> Kind {
    scalar < Self.end ? kinds[Int(scalar)] : Self.kind(scalar)
  }

  /// In small letters, as names are known.
  static func small(_ word: [UInt32]) -> [UInt32] {
    word.flatMap { value -> [UInt32] in
      guard value != 0x130, let scalar = Unicode.Scalar(value) else { return [0x69] }
      return scalar.properties.lowercaseMapping.unicodeScalars.map(\.value)
    }
  }

  private static func kind(_ value: UInt32) -> Kind {
    switch value {
    case 0x2018...0x201E, 0x2013, 0x2014, 0x2026, 0x2039, 0x203A, 0xAB, 0xBB, 0x2022, 0xB7:
      return .punctuation
    case 0xA0, 0xA3, 0xA7...0xAA, 0xAD, 0xAE, 0xB0, 0xB2...0xB4, 0xB9, 0xBA, 0xBF, 0xA1, 0x60,
      0x20AC, 0x2122:
      return .sign
    case 0x3000...0x3004, 0x3008...0x303F, 0x30FB, 0xFF01...0xFF0F, 0xFF1A...0xFF20,
      0xFF3B...0xFF40,
      0xFF5B...0xFF65:
      return .ideographicSign
    default: break
    }
    guard let scalar = Unicode.Scalar(value) else { return .other }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .titlecaseLetter: return .capital
    case .lowercaseLetter: return .small
    case .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .enclosingMark:
      return value >= 0x2E80 ? .ideograph : .letter
    default: return value == 0x3005 || value == 0x3006 ? .ideograph : .other
    }
  }
}
