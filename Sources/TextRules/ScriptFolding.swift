import CICU

/// The form of folded text in which scripts with two forms for the same word come together:
/// Simplified ideographs for Traditional ones, katakana for hiragana.
///
/// Folding keeps them apart, so that what is quoted is taken literally. Plain words are looked for
/// in this form, in data and query alike: `重慶` finds 重庆, `あおき` アオキ.
/// Source: Unihan 15, kSimplifiedVariant, where there is one Simplified form and it is another.
package enum ScriptFolding {
  /// Appends the form of a folded text; every scalar stays one scalar of three or four bytes.
  ///
  /// - Returns: Whether it differs from the folded text.
  /// - Complexity: O(n) for ASCII, O(n log variants) for ideographs.
  @discardableResult
  package static func append(_ folded: UnsafeRawBufferPointer, to plain: inout [UInt8]) -> Bool {
    let ascii = UTF8Scan.asciiPrefix(folded)
    plain.append(contentsOf: folded[..<ascii])
    var differs = false
    var index = ascii
    while index < folded.count {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: folded)
      let form = Self.form(of: scalar)
      if length > 0, form != scalar, let other = Unicode.Scalar(form) {
        plain.append(other)
        differs = true
      } else {
        plain.append(contentsOf: folded[index..<index + max(length, 1)])
      }
      index += max(length, 1)
    }
    return differs
  }

  /// The form of a folded text.
  package static func form(of folded: String) -> String {
    var plain: [UInt8] = []
    folded.withUTF8Bytes { _ = append($0, to: &plain) }
    return String(decoding: plain, as: UTF8.self)
  }

  @inline(__always)
  private static func form(of scalar: UInt32) -> UInt32 {
    switch scalar {
    case 0x3041...0x3096, 0x309D, 0x309E: scalar + 0x60
    case 0x3400...0x9FFF, 0x20000...0x3FFFF: staffbook_simplified(scalar)
    default: scalar
    }
  }
}
