@testable import TextRules

extension Unicode.Scalar {
  /// Every scalar of the planes where neighbours differ, and every 61st of the ideographs, private
  /// use and unassigned ones beyond them, which are alike.
  static var all: some Sequence<Unicode.Scalar> {
    let alike = stride(from: 0x20000, through: 0x10FFFF, by: 61) as StrideThrough<UInt32>
    let supplement = (0x2F800...0x2FA1F) as ClosedRange<UInt32>
    let ends = (0x10FFFE...0x10FFFF) as ClosedRange<UInt32>
    let tags = (0xE0000...0xE0FFF) as ClosedRange<UInt32>
    return [Array(0...0x1FFFF), Array(supplement), Array(tags), Array(alike), Array(ends)].lazy
      .joined().compactMap(Unicode.Scalar.init)
  }
}

extension String {
  /// The canonical decomposition, of one level only where that suffices: made from the standard
  /// library's canonical equivalence, which compares by NFC.
  init(decomposing text: String) {
    self = text.unicodeScalars.map { Self.canonicalParts($0) }.joined()
  }

  /// Finds the canonical parts of a Latin, Greek or Cyrillic letter by trying marks.
  private static func canonicalParts(_ scalar: Unicode.Scalar) -> String {
    decompositions[scalar] ?? String(scalar)
  }

  private static let decompositions: [Unicode.Scalar: String] = {
    var found: [Unicode.Scalar: String] = [:]
    let bases = (0x20...0x4FF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    let marks = (0x300...0x345 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    for base in bases {
      for mark in marks {
        let pair = "\(base)\(mark)"
        if let whole = composed[pair] { found[whole] = pair }
      }
    }
    return found
  }()

  /// Scalars by what they are canonically equivalent to.
  private static let composed: [String: Unicode.Scalar] = {
    let letters = (0xC0...0x1FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    return Dictionary(letters.map { (String($0), $0) }, uniquingKeysWith: { first, _ in first })
  }()

  /// A text of a few scalars, weighted to those that act on their neighbours.
  static func random(using random: inout SplitMix64) -> String {
    let pools: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x20...0x22, 0xA0...0x24F, 0x250...0x36F, 0x370...0x52F, 0x590...0x6FF,
      0x900...0xDFF, 0xE00...0xEFF, 0x1100...0x11FF, 0x1E00...0x1FFF, 0x2000...0x206F,
      0x20D0...0x2150, 0x3040...0x30FF, 0x3099...0x309C, 0xAC00...0xAC40, 0xF900...0xFFFF,
      0xFF61...0xFF9F, 0x1F1E6...0x1F200, 0x1F300...0x1F6FF, 0xFE0E...0xFE0F, 0x200B...0x200F,
      0x0...0x10FFFF,
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 1...7, using: &random) {
      let pool = pools[Int.random(in: 0..<pools.count, using: &random)]
      if let scalar = Unicode.Scalar(UInt32.random(in: pool, using: &random)) {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

/// Sebastiano Vigna's SplitMix64: small, and the same everywhere for one seed.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
