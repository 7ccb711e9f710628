/// The lines of a file that tell in what encoding it is, where it is not UTF-8.
struct TextSample {
  /// Bytes of lines with characters beyond ASCII, and of those without, that are kept.
  private static let most = 64 << 10
  private static let mostPlain = 16 << 10
  /// Bytes of a line that are kept.
  private static let longest = 64 << 10
  /// Lines in which a byte is wanted, however many lines there are.
  private static let linesOfByte: UInt8 = 8

  /// Lines with characters beyond ASCII, without their ends.
  private(set) var lines: [[UInt8]] = []
  /// The first of the others, whose words tell the language.
  private(set) var plainLines: [[UInt8]] = []
  /// Which bytes from 0x80 the file has.
  private(set) var bytes = [Bool](repeating: false, count: 0x80)
  private(set) var hasNUL = false
  /// What announces other characters in an encoding of seven bits: ISO-2022, or HZ.
  private(set) var shift: String?

  private var counts = [UInt8](repeating: 0, count: 0x80)
  private var size = 0
  private var plainSize = 0
  private var line: [UInt8] = []
  private var utf8 = UTF8Counter()

  var malformed: Int { utf8.malformed }
  /// Whether it is UTF-8 with a few faults, which no other encoding would mend.
  var isDamagedUTF8: Bool { malformed > 0 && utf8.wellFormed > 4 * malformed }

  /// Whether what is well formed as UTF-8 is all of it of scripts that stand in no list, inside words of
  /// ASCII, as `ță` of a Romanian Mac is.
  var isUnlikelyUTF8: Bool {
    guard malformed == 0, !lines.isEmpty else { return false }
    return lines.allSatisfy { line in
      let scalars = String(decoding: line, as: UTF8.self).unicodeScalars.map(\.value)
      return scalars.indices.allSatisfy { place in
        let isOdd =
          (0x80...0x9F).contains(scalars[place]) || (0x530...0x58F).contains(scalars[place])
          || (0x700...0x7FF).contains(scalars[place])
        let isBehindLetter = place > 0 && (0x61...0x7A).contains(scalars[place - 1] | 0x20)
        return scalars[place] < 0x80 || isOdd && isBehindLetter
      }
    }
  }

  /// Takes the next piece of a file.
  mutating func take(_ piece: UnsafeRawBufferPointer) {
    if !hasNUL { hasNUL = piece.contains(0) }
    for byte in piece where byte >= 0x80 || utf8.isInside { utf8.take(byte) }
    var rest = piece[...]
    while !rest.isEmpty {
      let most = rest.prefix(Self.longest)
      let end = most.firstIndex { $0 == 0x0A || $0 == 0x0D }
      line += end.map { most[..<$0] } ?? most
      rest = rest[(end.map { $0 + 1 } ?? most.endIndex)...]
      if end != nil || line.count >= Self.longest { endLine() }
    }
  }

  mutating func finish() {
    utf8.finish()
    endLine()
  }

  private mutating func endLine() {
    defer { line.removeAll(keepingCapacity: true) }
    var isPlain = true
    var isWanted = false
    for byte in line where byte >= 0x80 {
      isPlain = false
      let place = Int(byte - 0x80)
      bytes[place] = true
      if counts[place] < Self.linesOfByte { isWanted = true }
    }
    guard !isPlain else { return endPlainLine() }
    guard isWanted || size < Self.most else { return }
    for byte in line where byte >= 0x80 && counts[Int(byte - 0x80)] < Self.linesOfByte {
      counts[Int(byte - 0x80)] += 1
    }
    size += line.count
    lines.append(line)
  }

  private mutating func endPlainLine() {
    if shift == nil { shift = Self.shift(of: line) }
    guard plainSize < Self.mostPlain, !line.isEmpty else { return }
    plainSize += line.count
    plainLines.append(line)
  }

  /// RFC 1468, 1557, 1922 and 1843.
  private static let shifts: [([UInt8], String)] = [
    (Array("\u{1B}$)C".utf8), "ISO-2022-KR"), (Array("\u{1B}$)A".utf8), "ISO-2022-CN"),
    (Array("\u{1B}$B".utf8), "ISO-2022-JP"), (Array("\u{1B}$@".utf8), "ISO-2022-JP"),
    (Array("\u{1B}$(D".utf8), "ISO-2022-JP-2"), (Array("~{".utf8), "HZ"),
  ]

  private static func shift(of line: [UInt8]) -> String? {
    for place in line.indices where line[place] == 0x1B || line[place] == 0x7E {
      let rest = line[place...]
      if let found = shifts.first(where: { rest.starts(with: $0.0) }) {
        let isWhole = found.1 != "HZ" || zip(rest, rest.dropFirst()).contains { $0 == (0x7E, 0x7D) }
        if isWhole { return found.1 }
      }
    }
    return nil
  }
}

/// Counts what a text would be as UTF-8 (The Unicode Standard, table 3-7); bytes of ASCII outside
/// characters need not be given.
struct UTF8Counter {
  /// Characters of several bytes.
  private(set) var wellFormed = 0
  /// Bytes that are part of none.
  private(set) var malformed = 0
  private var missing = 0
  private var taken = 0
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether a character is unfinished.
  var isInside: Bool { missing > 0 }

  mutating func take(_ byte: UInt8) {
    if missing > 0 {
      if next.contains(byte) {
        missing -= 1
        taken += 1
        next = 0x80...0xBF
        if missing == 0 { wellFormed += 1 }
        return
      }
      malformed += taken
      missing = 0
    }
    next = 0x80...0xBF
    taken = 1
    switch byte {
    case 0..<0x80: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, next) = (2, 0xA0...0xBF)
    case 0xED: (missing, next) = (2, 0x80...0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, next) = (3, 0x90...0xBF)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, next) = (3, 0x80...0x8F)
    default: malformed += 1
    }
  }

  mutating func finish() {
    if missing > 0 { malformed += taken }
    missing = 0
  }
}

/// Tells UTF-16 without a mark.
enum WideText {
  /// What parts words and fields; no letter has the same bytes in the other order.
  private static let separators: Set<UInt16> = [0x09, 0x0A, 0x0D, 0x20, 0x2C, 0x3A, 0x3B]

  /// UTF-16 in which fields are parted by characters of ASCII, as they are in any language.
  ///
  /// - Parameter start: The beginning of a file.
  /// - Returns: `nil` for anything else.
  static func encoding(of start: [UInt8]) -> String? {
    guard start.contains(0), FileSignature.isText(start) else { return nil }
    let little = stride(from: 0, to: start.count - 1, by: 2).map {
      UInt16(start[$0 + 1]) << 8 | UInt16(start[$0])
    }
    if isText(little) { return "UTF-16LE" }
    return isText(little.map(\.byteSwapped)) ? "UTF-16BE" : nil
  }

  /// Whether units are characters, one in ten of ASCII, and none a control character of a binary file.
  private static func isText(_ units: [UInt16]) -> Bool {
    var isHigh = false
    var plain = 0
    var separating = 0
    var swapped = 0
    for unit in units {
      let isLow = (0xDC00...0xDFFF).contains(unit)
      guard isLow == isHigh, unit >= 0x20 || (0x09...0x0D).contains(unit), unit < 0xFFFE else {
        return false
      }
      isHigh = (0xD800...0xDBFF).contains(unit)
      if unit < 0x80 { plain += 1 }
      if separators.contains(unit) { separating += 1 }
      if separators.contains(unit.byteSwapped) { swapped += 1 }
    }
    return plain > 2 && 10 * plain > units.count && separating > 8 * swapped
  }
}
