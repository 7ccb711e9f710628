import TextRules

/// What was typed with another keyboard layout than was meant: `jhkjd` for орлов, `фвф` for `ada`.
///
/// Source: the standard layouts as X.Org's xkeyboard-config names them: `us`, `ru`, `ua`, `gr`, `il`, `ara`;
/// the keys of letters and those beside them that carry letters elsewhere, written down for Staffbook.
enum KeyboardLayouts {
  struct Layout: Sendable {
    let name: String
    /// Scalars by the key of a US keyboard, folded.
    let letters: [Unicode.Scalar: [Unicode.Scalar]]
    /// Keys by folded scalar; of two keys for one, that of the commoner letter.
    let keys: [Unicode.Scalar: Unicode.Scalar]

    init(_ name: String, _ table: String) {
      self.name = name
      var letters: [Unicode.Scalar: [Unicode.Scalar]] = [:]
      var keys: [Unicode.Scalar: Unicode.Scalar] = [:]
      for pair in table.split(separator: " ") {
        guard let key = pair.unicodeScalars.first else { continue }
        let folded = Array(Folding.fold(String(pair.unicodeScalars.dropFirst())).unicodeScalars)
        letters[key] = folded
        if folded.count == 1, keys[folded[0]] == nil { keys[folded[0]] = key }
      }
      (self.letters, self.keys) = (letters, keys)
    }
  }

  static let all = [
    Layout(
      "Russian",
      """
      fа bи ,б dв uг lд tе `ё ;ж pз rк kл vм yн jо gп hр cс nт eу aф [х wц xч iш oщ ]ъ sы mь 'э .ю zя qй
      """.singleLine
    ),
    Layout(
      "Ukrainian",
      """
      fа bи ,б dв uг lд tе ;ж pз rк kл vм yн jо gп hр cс nт eу aф [х wц xч iш oщ ]ї sі mь 'є .ю zя qй
      """.singleLine
    ),
    Layout(
      "Greek",
      "aα bβ gγ dδ eε zζ hη uθ iι kκ lλ mμ nν jξ oο pπ rρ sσ wς tτ yυ fφ xχ cψ vω"
    ),
    Layout(
      "Hebrew",
      "tא cב dג sד vה uו zז jח yט hי fכ lך kל nמ oם bנ iן xס gע pפ ;ף mצ .ץ eק rר aש ,ת"
    ),
    Layout(
      "Arabic",
      "hا fب jت eث [ج pح oخ ]د `ذ vر .ز sس aش wص qض 'ط /ظ uع yغ tف rق ;ك gل lم kن iه ,و dي zئ xء cؤ mة nى bلا"
    ),
  ]

  /// A query's words as another layout has them.
  struct Reading: Sendable {
    var layout: String
    var words: [[UInt8]]
  }

  /// What may have been meant, where every word has a letter on each of its keys.
  static func readings(of words: [[UInt8]]) -> [Reading] {
    all.flatMap { layout in
      [
        (layout.name, words.map { mapped($0) { layout.letters[$0] } }),
        ("Latin", words.map { mapped($0) { layout.keys[$0].map { [$0] } } }),
      ].compactMap { name, words in
        let found = words.compactMap { $0 }
        return found.count == words.count ? Reading(layout: name, words: found) : nil
      }
    }
  }

  private static func mapped(
    _ word: [UInt8],
    _ map: (Unicode.Scalar) -> [Unicode.Scalar]?
  ) -> [UInt8]? {
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: word, as: UTF8.self).unicodeScalars {
      guard let letters = map(scalar) else { return nil }
      text.append(contentsOf: letters)
    }
    let folded = Array(Folding.fold(String(text)).utf8)
    // Keys beside the letters are not letters of a Latin name.
    return folded.contains { $0 < 0x80 && !($0 &- 0x61 < 26) } ? nil : folded
  }
}

extension String {
  /// A table may be written over several lines.
  fileprivate var singleLine: String { split(separator: "\n").joined(separator: " ") }
}
