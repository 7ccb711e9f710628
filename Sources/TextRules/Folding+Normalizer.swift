import CICU

/// The whole rule, for text whose scalars depend on each other; the table is made from it.
extension Folding {
  static func appendByNormalizer(_ utf8: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
    appendByNormalizer(String(decoding: utf8, as: UTF8.self), to: &folded)
  }

  static func appendByNormalizer(_ text: String, to folded: inout [UInt8]) {
    var prepared: [UInt16] = []
    prepared.reserveCapacity(text.utf16.count)
    var afterDropped = false
    for scalar in text.unicodeScalars {
      // A decomposed accent that stands alone goes with all of its parts.
      if afterDropped, ScalarTraits.table[scalar.value].isDiacritic { continue }
      let kept = prepare(scalar)
      afterDropped = kept == nil
      if let kept { prepared.append(contentsOf: kept.utf16) }
    }
    let caseless = normalize(prepared, STAFFBOOK_NFKC_CASEFOLD)
    let plain = simplify(normalize(caseless, STAFFBOOK_NFD))
    let composed = normalize(plain, STAFFBOOK_NFC)
    folded.append(contentsOf: String(decoding: composed, as: UTF16.self).utf8)
  }

  /// Whether what stands before a scalar can neither change its folding nor be changed by it.
  static func foldsAlone(_ scalar: Unicode.Scalar) -> Bool {
    let traits = ScalarTraits.table[scalar.value]
    return traits.foldsAlone && !traits.isDiacritic && prepare(scalar) == scalar
  }

  /// Whether a text may be cut before a scalar, so that the parts fold to parts of the whole.
  static func startsPiece(_ value: UInt32) -> Bool {
    let traits = ScalarTraits.table[value]
    guard traits.foldsAlone, !traits.isMark, !traits.isDroppedByFolding else { return false }
    guard value >= 0xA8, let scalar = Unicode.Scalar(value) else { return true }
    // What is dropped leaves a mark behind it to what stands before it; so does a tatweel.
    switch value {
    case 0x640, 0xFCF2...0xFCF4, 0xFE71, 0xFE77, 0xFE79, 0xFE7B, 0xFE7D, 0xFE7F: return false
    default: break
    }
    return prepare(scalar).map { !ScalarTraits.table[$0.value].isMark } ?? false
  }

  /// Replaces or drops the signs that NFKC would take apart into a space and a mark.
  ///
  /// An accent that stands alone is a diacritic of nothing; as a space it would be found between
  /// any two words.
  private static func prepare(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0..<0xA8: scalar
    case 0xB4, 0x384, 0x1FBD, 0x1FBF, 0x1FCD...0x1FCF, 0x1FDD...0x1FDF, 0x1FFD, 0x1FFE: "'"
    case 0x309B: "\u{3099}"
    case 0x309C: "\u{309A}"
    case 0xA8, 0xAF, 0xB8, 0x2D8...0x2DD, 0x37A, 0x385, 0x1FC0, 0x1FC1, 0x1FED, 0x1FEE,
      0x2017, 0x203E, 0xFC5E...0xFC63, 0xFE49...0xFE4C, 0xFE70, 0xFE72, 0xFE74, 0xFE76, 0xFE78,
      0xFE7A, 0xFE7C, 0xFE7E, 0xFFE3:
      nil
    default: scalar
    }
  }

  /// Drops diacritics and what is invisible, and maps letters, digits, dashes and spaces.
  ///
  /// - Parameter units: Decomposed text (NFD), so that marks follow their base in canonical order.
  /// - Returns: Text that composing (NFC) makes the folded form.
  private static func simplify(_ units: [UInt16]) -> [UInt16] {
    let table = ScalarTraits.table
    var result: [UInt16] = []
    result.reserveCapacity(units.count)
    var marksAreDiacritics = true
    var afterSpace = false
    for scalar in String(decoding: units, as: UTF16.self).unicodeScalars {
      let traits = table[scalar.value]
      if traits.isDroppedByFolding || (traits.isDiacritic && marksAreDiacritics) { continue }
      if traits.isWhiteSpace {
        if !afterSpace { result.append(0x20) }
        afterSpace = true
        marksAreDiacritics = true
      } else if let replacement = replacement(for: scalar, traits) {
        // Always of a script whose marks are diacritics, whatever script it comes from.
        result.append(contentsOf: replacement.utf16)
        if !replacement.isEmpty { afterSpace = false }
        marksAreDiacritics = true
      } else {
        result.append(contentsOf: scalar.utf16)
        afterSpace = false
        if !traits.isMark { marksAreDiacritics = traits.marksAreDiacritics }
      }
    }
    return result
  }

  private static func replacement(
    for scalar: Unicode.Scalar,
    _ traits: ScalarTraits
  ) -> String? {
    if scalar.isASCII { return scalar == "`" ? "'" : nil }
    if traits.isDash { return "-" }
    if let digit = traits.digit { return String(digit) }
    return replacements[scalar]
  }

  /// The same text with letters and their marks as one character where there is one (NFC).
  package static func composed(_ text: String) -> String {
    String(decoding: normalize(Array(text.utf16), STAFFBOOK_NFC), as: UTF16.self)
  }

  private static func normalize(_ units: [UInt16], _ form: staffbook_normal_form) -> [UInt16] {
    guard !units.isEmpty else { return [] }
    var capacity = units.count * 2 + 16
    while true {
      var needed = 0
      let result = [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
        needed = Int(
          staffbook_normalize(
            form,
            units,
            Int32(units.count),
            buffer.baseAddress,
            Int32(buffer.count)
          )
        )
        count = max(0, min(needed, buffer.count))
      }
      precondition(needed >= 0, "ICU cannot normalize \(units.count) UTF-16 units")
      if needed <= capacity { return result }
      capacity = needed
    }
  }
}
