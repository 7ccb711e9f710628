import DirectoryModel
import TextRules

/// Tells in what encoding a text is that is not UTF-8.
struct EncodingDetector {
  /// Bytes of the sample that ICU looks at.
  private static let sampleSize = 64 << 10
  /// What ICU must be sure of at least, of 100.
  private static let leastConfidence = 10

  /// Lines with characters beyond ASCII: the others say nothing.
  private(set) var sample: [UInt8] = []
  private var line: [UInt8] = []
  /// Sequences of several bytes that are well formed as UTF-8.
  private var wellFormed = 0
  private(set) var malformed = 0
  private(set) var hasNUL = false

  /// Takes the next piece of a file.
  mutating func take(_ piece: UnsafeRawBufferPointer) {
    if !hasNUL { hasNUL = piece.contains(0) }
    var rest = piece[...]
    while !rest.isEmpty {
      let most = rest.prefix(64 << 10)
      let end = most.firstIndex(of: 0x0A)
      line += end.map { most[...$0] } ?? most
      rest = rest[(end.map { $0 + 1 } ?? most.endIndex)...]
      if end != nil || line.count >= 64 << 10 { endLine() }
    }
  }

  mutating func endLine() {
    defer { line.removeAll(keepingCapacity: true) }
    guard line.contains(where: { $0 >= 0x80 }) else { return }
    var position = 0
    while position < line.count {
      let fault = line[position...].withUnsafeBytes { TextError.first(in: $0) }
      let good: Int
      switch fault {
      case nil: good = line.count - position
      case .nul(let at), .notUTF8(let at), .cut(let at): good = at
      }
      wellFormed += line[position..<(position + good)].count { $0 >= 0xC2 }
      position += good
      if fault != nil {
        if line[position] >= 0x80 { malformed += 1 }
        position += 1
      }
    }
    if sample.count < Self.sampleSize { sample += line }
  }

  /// UTF-16 without a mark, in which every character of ASCII has a zero on the same side; `nil` for
  /// anything else.
  static func wide(_ start: [UInt8]) -> String? {
    var zeros = [0, 0]
    for (place, byte) in start.enumerated() where byte == 0 { zeros[place & 1] += 1 }
    let (even, odd) = (zeros[0], zeros[1])
    // Line breaks and what parts fields are ASCII in any language, and binary files have zeros on both.
    guard even + odd > start.count / 50, FileSignature.isText(start) else { return nil }
    return even == 0 ? "UTF-16LE" : odd == 0 ? "UTF-16BE" : nil
  }

  /// Whether it is UTF-8 with a few faults, which no other encoding would mend.
  var isDamagedUTF8: Bool { wellFormed > 4 * malformed }

  /// Names of encodings that it may be in, the likeliest first.
  func candidates() -> [String] {
    var names: [String] = []
    for guess in TextEncodings.guesses(sample) where guess.confidence >= Self.leastConfidence {
      guard let name = Self.wider(guess.name), !names.contains(name) else { continue }
      names.append(name)
    }
    return names
  }

  /// The encoding of Windows of which another one is a part, as browsers have it (WHATWG, "Encoding");
  /// `nil` for one that lists are not written in.
  private static func wider(_ name: String) -> String? {
    if let same = known.first(where: { $0.0 == name }) { return same.1 }
    return name.hasPrefix("windows-") ? name : nil
  }

  private static let known = [
    ("ISO-8859-1", "windows-1252"), ("ISO-8859-2", "windows-1250"), ("ISO-8859-5", "ISO-8859-5"),
    ("ISO-8859-6", "windows-1256"), ("ISO-8859-7", "windows-1253"), ("ISO-8859-8", "windows-1255"),
    ("ISO-8859-8-I", "windows-1255"), ("ISO-8859-9", "windows-1254"), ("Shift_JIS", "windows-31j"),
    ("GB18030", "GB18030"), ("Big5", "Big5"), ("EUC-JP", "EUC-JP"), ("EUC-KR", "windows-949"),
    ("KOI8-R", "KOI8-R"), ("ISO-2022-JP", "ISO-2022-JP"),
  ]
}
