import TextRules

/// An encoding that lists are written in, and the languages that are written in it.
struct CodePage: Sendable {
  /// As ICU and `--encoding` know it.
  let name: String
  /// Codes of its languages.
  let languages: [Substring]
  /// How common it is among lists of these languages: a natural logarithm, 0 for the code pages of Windows.
  let weight: Float
  /// Whether a byte is a character.
  let isSimple: Bool

  private init(_ name: String, _ languages: String, _ weight: Float, isSimple: Bool = true) {
    self.name = name
    self.languages = languages.split(separator: " ")
    self.weight = weight
    self.isSimple = isSimple
  }

  private static let western =
    "en de fr es it pt nl ca gl eu ga cy da no sv fi is fo af id sw fil sq"
  private static let central = "pl cs sk hu sl hr ro sq"
  private static let cyrillic = "ru uk be bg sr mk kk"
  private static let turkic = "tr az ku"

  /// Those that are tried, those of Windows first.
  ///
  /// A part of another one that is in the list (WHATWG, "Encoding") is left out.
  static let all = [
    CodePage("windows-1252", western + " et", 0),
    CodePage("windows-1250", central, 0),
    CodePage("windows-1254", turkic, 0),
    CodePage("windows-1257", "lt lv et pl", 0),
    CodePage("windows-1251", cyrillic, 0),
    CodePage("windows-1253", "el", 0),
    CodePage("windows-1255", "he", 0),
    CodePage("windows-1256", "ar fa", 0),
    CodePage("windows-1258", "vi", 0),
    CodePage("windows-874", "th", 0),
    CodePage("windows-31j", "ja", 0, isSimple: false),
    CodePage("GB18030", "zh", 0, isSimple: false),
    CodePage("Big5", "zh-Hant", 0, isSimple: false),
    CodePage("windows-949", "ko", 0, isSimple: false),
    CodePage("Big5-HKSCS", "zh-Hant", -2, isSimple: false),
    CodePage("EUC-JP", "ja", -1, isSimple: false),
    CodePage("ISO-8859-2", central, -1),
    CodePage("ISO-8859-3", "mt eo", -5),
    CodePage("ISO-8859-4", "lt lv et", -3),
    CodePage("ISO-8859-5", cyrillic, -1.5),
    CodePage("ISO-8859-6", "ar", -1),
    CodePage("ISO-8859-7", "el", -0.5),
    CodePage("ISO-8859-8", "he", -1),
    CodePage("ISO-8859-10", "lt lv et is fi", -7),
    CodePage("ISO-8859-13", "lt lv et", -1.5),
    CodePage("ISO-8859-14", "ga cy", -4),
    CodePage("ISO-8859-15", western + " et", -1),
    CodePage("ISO-8859-16", "ro", -3),
    CodePage("KOI8-R", "ru bg", -1),
    CodePage("KOI8-U", "uk ru be", -1.5),
    CodePage("macintosh", western, -2.5),
    CodePage("x-mac-centraleurroman", "pl cs sk hu sl hr lt lv et de", -2.5),
    CodePage("x-mac-croatian", "hr sl", -3),
    CodePage("x-mac-cyrillic", cyrillic, -1.5),
    CodePage("x-mac-greek", "el", -2),
    CodePage("x-mac-icelandic", "is", -4),
    CodePage("x-mac-romanian", "ro", -3),
    CodePage("x-mac-turkish", turkic, -2.5),
    CodePage("cp437", "en de fr es it nl sv fi", -4),
    CodePage("cp720", "ar", -2),
    CodePage("cp737", "el", -2),
    CodePage("cp775", "lt lv et", -3),
    CodePage("cp850", western, -3.5),
    CodePage("cp852", central, -3),
    CodePage("cp855", "ru bg sr mk be", -2.5),
    CodePage("cp857", turkic, -3),
    CodePage("cp860", "pt", -5),
    CodePage("cp861", "is", -4),
    CodePage("cp862", "he", -2.5),
    CodePage("cp863", "fr", -5),
    CodePage("cp864", "ar", -2),
    CodePage("cp865", "da no", -5),
    CodePage("cp866", "ru bg be", -1),
    CodePage("cp869", "el", -4),
    CodePage("cp1125", "uk", -3),
  ]

  /// The characters of the bytes from 0x80, 0 for none; only of one in which a byte is a character.
  ///
  /// Control characters stand where an encoding has nothing.
  var characters: [UInt32] {
    var characters = [UInt32](repeating: 0, count: 0x80)
    guard var decoder = TextDecoder(name) else { return characters }
    for byte in UInt8(0x80)...UInt8.max {
      var text: [UInt8] = []
      do {
        try [byte].withUnsafeBytes { try decoder.decode($0, isLast: true, to: &text) }
      } catch {
        continue
      }
      let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
      guard scalars.count == 1, let scalar = scalars.first?.value, scalar != 0xFFFD,
        !scalar.isOutsideText
      else { continue }
      characters[Int(byte - 0x80)] = scalar
    }
    return characters
  }

  /// Those in which a byte is a character, with `characters`; made once.
  static let simple = all.filter(\.isSimple).map { (page: $0, characters: $0.characters) }
}
