import CICU

/// The whole rule, for text whose scalars depend on each other; the table is made from it.
extension Folding {
  static func appendByNormalizer(_ utf8: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
    appendByNormalizer(String(decoding: utf8, as: UTF8.self), to: &folded)
  }

  static func appendByNormalizer(_ text: String, to folded: inout [UInt8]) {
    let prepared = text.unicodeScalars.flatMap { prepare($0).utf16 }
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

  /// Replaces signs that NFKC would take apart into a space and a mark.
  private static func prepare(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "\u{B4}", "\u{1FFD}", "\u{1FBD}", "\u{1FBF}", "\u{1FFE}": "'"
    case "\u{309B}": "\u{3099}"
    case "\u{309C}": "\u{309A}"
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
