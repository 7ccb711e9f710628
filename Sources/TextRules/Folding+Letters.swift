extension Folding {
  /// What a scalar beyond ASCII becomes after case folding and decomposition.
  static let replacements: [Unicode.Scalar: String] = {
    var replacements: [Unicode.Scalar: String] = [:]
    for group in letters.split(whereSeparator: { $0 == "|" || $0 == "\n" }) {
      let parts = group.split(separator: " ")
      guard let target = parts.first else { continue }
      for letter in parts.dropFirst().joined().unicodeScalars {
        replacements[letter] = String(target)
      }
    }
    for (target, sources) in signs {
      for scalar in sources.unicodeScalars { replacements[scalar] = target }
    }
    return replacements
  }()

  /// Target, then the letters that become it.
  ///
  /// Latin: CLDR 42 Latin-ASCII, as far as a letter is left after decomposition, and letters of
  /// African and Azerbaijani orthographies that it leaves out (ə ɔ ɣ ʒ ʃ …), by their usual stand-in.
  /// Arabic: Lucene's ArabicNormalizer and PersianNormalizer.
  private static let letters = """
    a ᴀᶏⱥ | aa ꜳ | ae æᴁ | ao ꜵ | au ꜷ | av ꜹꜻ | ay ꜽ | b ƀƃɓʙᴃᵬᶀ | c ƈȼɕᴄꞓ |
    d ðđƌȡɖɗᴅᴆᵭᶁᶑꝱꝺ | db ȸ | dz ʣʥ | e ǝɇəɛᴇᶒᶓⱸ | f ƒᵮᶂꜰꝼ | g ǥɠɡɢɣʛᶃꞡ | h ħɦɧʜⱨ | hv ƕ |
    i ıɨɩɪᵻᶖ | j ȷɉɟʝᴊ | k ƙᴋᶄⱪꝁꝃꝅꞣ | l łƚȴɫɬɭʟᴌᶅⱡꝇꝉꝲ | ll ỻ | ls ʪ | lz ʫ | m ɱᴍᵯᶆꝳ |
    n ŋƞȵɲɳɴᵰᶇꝴꞑꞥ | o øɔɵᴏⱺꝋꝍ | oe œɶ | oi ƣ | oo ꝏ | p ƥᴘᵱᵽᶈꝑꝓꝕ | q ĸʠꝗꝙ | qp ȹ |
    r ɍɼɽɾʀᵲᵳᶉꝵꝶꞧ | s ȿʂʃᵴᶊẜẝꜱꞩ | t ŧƫƭȶʈᴛᵵⱦꝷꞇ | th þᵺꝥꝧ | ts ʦ | u ʉʊᴜᵾᶙ | ue ᵫ | v ʋᴠᶌỽⱱⱴꝟ |
    vy ꝡ | w ƿᴡⱳ | x ᶍ | y ƴɏʏỿ | z ƶȥɀʐʑʒᴢᵶᶎⱬ |
    \u{627} \u{671} | \u{64A} \u{649}\u{6CC}\u{6D2} | \u{643} \u{6A9}
    \u{647} \u{629}\u{6C1}\u{6D5}\u{6BE}
    """

  private static let signs: [(String, String)] = [
    // Apostrophes, primes, and the letters and marks written for them.
    (
      "'",
      """
      \u{2018}\u{2019}\u{201A}\u{201B}\u{2032}\u{2035}\u{2B9}\u{2BB}\u{2BC}\u{2BD}\u{2BE}\u{2BF}\u{2C8}\
      \u{2CA}\u{2CB}\u{2EE}\u{55A}\u{55B}\u{5F3}\u{7F4}\u{7F5}\u{275B}\u{275C}\u{275F}\
      \u{A78B}\u{A78C}\u{FF40}
      """
    ),
    ("\"", "\u{201C}\u{201D}\u{201E}\u{201F}\u{2033}\u{2036}\u{2BA}\u{5F4}\u{AB}\u{BB}"),
    // Hyphens that Unicode does not count among its dashes: the modifier minus, the hyphen bullet.
    ("-", "\u{2D7}\u{2043}"),
    ("/", "\u{2044}\u{2215}"),
    (":", "\u{2D0}\u{A789}"),
    // Arabic tatweel only stretches a word.
    ("", "\u{640}"),
  ]
}
