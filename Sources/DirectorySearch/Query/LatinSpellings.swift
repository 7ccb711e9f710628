import TextRules

/// How words in Cyrillic or Greek letters are written in Latin ones, by the languages that write names
/// so: `џеко` as `dzeko`, `шевченко` as `shevchenko`, `schewtschenko` and `sevcenko`.
///
/// A word is taken as one system writes it, all words of a query by the same one. Spellings are folded, as
/// the names are that they are compared with.
///
/// Sources: the Serbian and Macedonian alphabets; BGN/PCGN 1947 and ICAO 9303 for Russian; resolution 55 of
/// the Ukrainian cabinet (2010); the Bulgarian transliteration act (2009); Duden's transcription for German;
/// ISO 9:1968 without its marks; ISO 843 and ELOT 743 for Greek. The tables were written for Staffbook.
enum LatinSpellings {
  /// The readings of a query, each by another system.
  ///
  /// - Returns: None where no word is Cyrillic or Greek.
  /// - Complexity: O(bytes of the query · systems).
  static func readings(of terms: [SearchTerm]) -> [[SearchTerm]] {
    guard terms.contains(where: isSpelled) else { return [] }
    var readings: [[SearchTerm]] = []
    for system in systems {
      let reading = terms.map { term in
        guard isSpelled(term), let text = system.spelling(of: term.text) else { return term }
        var latin = SearchTerm(text: text, field: term.field)
        latin.means = .beginnings
        return latin
      }.uniqued
      if reading != terms, !readings.contains(reading) { readings.append(reading) }
    }
    return readings
  }

  private static func isSpelled(_ term: SearchTerm) -> Bool {
    // Greek and Cyrillic begin with CE to D4.
    term.isPlain && term.text.contains { 0xCE...0xD4 ~= $0 }
  }

  /// One way to write a script.
  private struct System {
    var letters: [Unicode.Scalar: String] = [:]
    var groups: [String: String] = [:]
    /// Of the letter и, or й, which folds to it, behind a vowel and at the end of a word.
    var glide: String?

    /// - Parameters:
    ///   - tables: Letters or groups of them, each with what it is written as behind `=`; of two, the last counts.
    ///   - glide: What `glide` is.
    init(_ tables: [String], glide: String? = nil) {
      self.glide = glide
      for pair in tables.joined(separator: " ").split(separator: " ") {
        let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
        let letters = Folding.fold(String(parts[0]))
        if letters.unicodeScalars.count == 1, let letter = letters.unicodeScalars.first {
          self.letters[letter] = String(parts[1])
        } else {
          groups[letters] = String(parts[1])
        }
      }
    }

    /// - Returns: `nil` where a letter is of another script, but for ASCII.
    func spelling(of word: [UInt8]) -> [UInt8]? {
      let scalars = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
      var spelled = ""
      var index = 0
      while index < scalars.count {
        var pair = String.UnicodeScalarView()
        pair.append(contentsOf: scalars[index..<min(index + 2, scalars.count)])
        if let glide, index > 0, scalars[index] == "и",
          LatinSpellings.vowels.contains(scalars[index - 1])
        {
          spelled += glide
        } else if let group = groups[String(pair)] {
          spelled += group
          index += 1
        } else if let letter = letters[scalars[index]] {
          spelled += letter
        } else if scalars[index].isASCII {
          spelled.unicodeScalars.append(scalars[index])
        } else {
          return nil
        }
        index += 1
      }
      return spelled.isEmpty ? nil : Array(spelled.utf8)
    }
  }

  private static let vowels = Set("аеиоуыэюяіє".unicodeScalars)

  private static let cyrillic = """
    а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y \
    ь= э=e ю=yu я=ya і=i є=ye ґ=g ђ=d ј=j љ=lj њ=nj ћ=c џ=dz ѕ=dz ѓ=g ќ=k ә=a ғ=g қ=k ң=n ө=o ұ=u ү=u һ=h
    """

  private static let scholarly = "ж=z х=h ц=c ч=c ш=s щ=sc ю=ju я=ja є=je"

  private static let greek = """
    α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o ου=ou αυ=av \
    ευ=ev γγ=ng γχ=nch γξ=nx
    """

  private static let systems: [System] = [
    System([cyrillic, scholarly]),
    System([cyrillic, scholarly, "ђ=dj"]),
    System([cyrillic], glide: "y"),
    System([cyrillic, "ю=iu я=ia ъ=ie"]),
    System([cyrillic, "ии=y ыи=y"], glide: "y"),
    System([cyrillic, "г=h и=y ю=iu я=ia є=ie"], glide: "i"),
    System([cyrillic, "г=h и=y ии=yi"], glide: "y"),
    System([cyrillic, "ъ=a щ=sht х=h ь=y"], glide: "y"),
    System([cyrillic, "х=h ъ=a щ=sht"]),
    System([cyrillic, "в=w ж=sch з=s х=ch ц=z ч=tsch ш=sch щ=schtsch ю=ju я=ja є=je ии=i"]),
    System([cyrillic, "в=w х=ch ц=z ч=tsch ш=sch щ=schtsch ю=ju я=ja ии=i"], glide: "j"),
    System([cyrillic, scholarly, "х=ch"], glide: "j"),
    System([cyrillic, "ш=ch ч=tch ж=j у=ou ю=iou я=ia щ=chtch ии=i"]),
    System([cyrillic, "в=w ж=z х=ch ц=c ч=cz ш=sz щ=szcz ю=ju я=ja ии=i"], glide: "j"),
    System([greek]),
    System([greek, "β=b χ=h υ=i φ=ph αυ=au ευ=eu μπ=b ντ=d γκ=g"]),
    System([greek, "χ=h η=e υ=i ντ=nt μπ=mp ου=u"]),
  ]
}
