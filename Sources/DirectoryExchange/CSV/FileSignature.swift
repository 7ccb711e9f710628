import DirectoryModel

/// What a file is that is not UTF-8 text with commas, told by its first bytes.
package enum FileSignature: Hashable, Sendable {
  case utf16, utf32, zip, gzip, oldExcel, otherArchive, pdf, markup

  /// Bytes that are enough to tell.
  static let length = 16

  init?(_ start: UnsafeRawBufferPointer) {
    guard let found = Self.byMarks(start) ?? Self.byZeros(start) ?? Self.byMarkup(start) else {
      return nil
    }
    self = found
  }

  /// What it is, as a problem's reason.
  var reason: String {
    switch self {
    case .utf16: "is UTF-16 text"
    case .utf32: "is UTF-32 text"
    case .zip: "is not UTF-8 text: it begins like an Excel workbook or another ZIP archive"
    case .oldExcel: "is not UTF-8 text: it begins like an old Excel workbook"
    case .gzip: "is not text: it is compressed with gzip"
    case .otherArchive: "is not text: it is compressed"
    case .pdf: "is not text: it begins like a PDF"
    case .markup:
      "is not CSV: it begins like HTML or XML, perhaps a web page saved in place of the file"
    }
  }

  /// What to do about it.
  var advice: Advice? {
    switch self {
    case .utf16: "save it as UTF-8, or import it with \(.encoding) UTF-16"
    case .utf32: "save it as UTF-8, or import it with \(.encoding) UTF-32"
    case .zip, .oldExcel: "save the sheet as \"CSV UTF-8\""
    case .gzip, .otherArchive: "decompress it first"
    case .pdf, .markup: nil
    }
  }

  /// Fixed marks; those of UTF-32 come first, since one of them begins with one of UTF-16's.
  private static let marks: [([UInt8], FileSignature)] =
    [
      ([0xFF, 0xFE, 0, 0], .utf32), ([0, 0, 0xFE, 0xFF], .utf32),
      ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16),
      (Array("PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{5}\u{6}".utf8), .zip),
      ([0x1F, 0x8B], .gzip), ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .oldExcel),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], .otherArchive),  // xz
      ([0x28, 0xB5, 0x2F, 0xFD], .otherArchive),  // zstd
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .otherArchive),  // 7z
      (Array("%PDF-".utf8), .pdf),
    ]
    // bzip2: the size of its blocks stands between its name and that of the first one.
    + (1...9).map { (Array("BZh\($0)1AY&SY".utf8), .otherArchive) }

  private static func byMarks(_ start: UnsafeRawBufferPointer) -> FileSignature? {
    marks.first { start.starts(with: $0.0) }?.1
  }

  /// UTF-16 and UTF-32 without a byte order mark: every character of a header is ASCII.
  private static func byZeros(_ start: UnsafeRawBufferPointer) -> FileSignature? {
    guard start.count >= 8 else { return nil }
    let zeros = (0..<8).map { start[$0] == 0 }
    switch zeros {
    case [false, true, false, true, false, true, false, true],
      [true, false, true, false, true, false, true, false]:
      return .utf16
    case [false, true, true, true, false, true, true, true],
      [true, true, true, false, true, true, true, false]:
      return .utf32
    default: return nil
    }
  }

  /// The encoding of a text by how it begins, where its first bytes leave no doubt.
  static func encoding(of start: [UInt8]) -> String? {
    let isWide = start.withUnsafeBytes {
      [.utf16, .utf32].contains(FileSignature(UnsafeRawBufferPointer(rebasing: $0.prefix(length))))
    }
    guard isWide, start.count >= 4 else { return nil }
    switch (start[0], start[1], start[2], start[3]) {
    case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): return "UTF-32"
    case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _): return "UTF-16"
    case (_, 0, 0, 0): return "UTF-32LE"
    case (0, 0, 0, _): return "UTF-32BE"
    case (_, 0, _, _): return "UTF-16LE"
    default: return "UTF-16BE"
    }
  }

  /// Whether a file may be text of some encoding.
  static func isText(_ start: [UInt8]) -> Bool {
    let signature = start.withUnsafeBytes {
      FileSignature(UnsafeRawBufferPointer(rebasing: $0.prefix(length)))
    }
    return [nil, .utf16, .utf32].contains(signature)
  }

  private static func byMarkup(_ start: UnsafeRawBufferPointer) -> FileSignature? {
    let text = start.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    let beginnings = ["<!doctype", "<html", "<?xml"]
    return beginnings.contains { text.starts(with: $0.utf8) } ? .markup : nil
  }
}
