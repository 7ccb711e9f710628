import TextRules

/// How frequent ideographs, kana and Hangul are in Chinese, Japanese and Korean names.
///
/// The standards have common characters first: levels 1 of GB 2312, Big5 and JIS X 0208, and the Hangul of
/// KS X 1001. So the converters say which they are.
struct IdeographCosts: Sendable {
  private static let first: UInt32 = 0x2E80
  private static let rare: UInt8 = 64
  /// For each language negative natural logarithms of probabilities, in quarters.
  private var costs: [[UInt8]] = []

  /// Made where a text may be in an encoding of one of the languages.
  static let all = IdeographCosts()

  private init() {
    costs = LanguageModels.all.characters.map { language in
      var costs = [UInt8](repeating: Self.rare, count: 0x10000 - Int(Self.first))
      for (scalars, share) in Self.parts(of: language.code) + [(language.frequent, 0.55)] {
        let places = Set(scalars.filter { Self.first..<0x10000 ~= $0 })
        var quarters = 0
        while Self.share(quarters) * Double(places.count) > share { quarters += 1 }
        for scalar in places { costs[Int(scalar - Self.first)] = UInt8(min(quarters, 63)) }
      }
      return costs
    }
  }

  /// The probability that a number of quarters stands for.
  private static func share(_ quarters: Int) -> Double {
    var share = 1.0
    for _ in 0..<quarters { share *= 0.778_800_783 }
    return share
  }

  func cost(of scalar: UInt32, _ language: Int) -> Float {
    guard Self.first..<0x10000 ~= scalar else { return -Float(Self.rare) / 4 }
    return -Float(costs[language][Int(scalar - Self.first)]) / 4
  }

  /// Characters and the share that they have of all together, the rarer ones first.
  private static func parts(of language: Substring) -> [([UInt32], Double)] {
    let high: ClosedRange<UInt8> = 0xA1...0xFE
    switch language {
    case "zh":
      return [
        (rows(0xD8...0xF7, high, "GB18030"), 0.04), (rows(0xB0...0xD7, high, "GB18030"), 0.40),
      ]
    case "zh-Hant":
      return [
        (rows(0xC9...0xF9, 0x40...0xFE, "Big5"), 0.04),
        (rows(0xA4...0xC6, 0x40...0xFE, "Big5"), 0.40),
      ]
    case "ja":
      return [
        (rows(0xD0...0xF4, high, "EUC-JP"), 0.03), (Array(0xFF66...0xFF9F), 0.02),
        (rows(0xB0...0xCF, high, "EUC-JP"), 0.25), (Array(0x3041...0x3093), 0.12),
        (Array(0x30A1...0x30F6) + [0x30FC], 0.12), ([0x3005], 0.01),
      ]
    default:
      return [
        (rows(0xCA...0xFD, high, "EUC-KR"), 0.01), (Array(0xAC00...0xD7A3), 0.005),
        (rows(0xB0...0xC8, high, "EUC-KR"), 0.28),
      ]
    }
  }

  /// The characters of two bytes.
  private static func rows(
    _ first: ClosedRange<UInt8>,
    _ second: ClosedRange<UInt8>,
    _ encoding: String
  ) -> [UInt32] {
    var scalars: [UInt32] = []
    guard var decoder = TextDecoder(encoding) else { return [] }
    for lead in first {
      for trail in second where !(0x7F...0xA0).contains(trail) {
        var text: [UInt8] = []
        do {
          try [lead, trail].withUnsafeBytes { try decoder.decode($0, isLast: true, to: &text) }
        } catch {
          continue
        }
        let found = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
        if found.count == 1, !(0xE000...0xF8FF).contains(found[0]) { scalars += found }
      }
    }
    return scalars
  }
}
