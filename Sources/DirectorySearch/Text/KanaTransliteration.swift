import TextRules

/// A foreign name as it may be written in katakana: `michael` マイケル, `smith` スミス.
///
/// Katakana keeps the consonants and not the vowels, so that consonants alone are compared, each as
/// Japanese hears it: `th` as s, `l` as r, `v` as b, and an `r` that is not spoken not at all.
/// Source: the usual transcriptions of European names, written down for Staffbook.
struct KanaTransliteration: Sendable {
  /// What each consonant of the word may sound like, one behind the other.
  private let sounds: [[[UInt8]]]
  private let first: UInt8

  /// Whether the word alone tells who is meant: it has consonants enough.
  var isDistinct: Bool { sounds.count >= 3 }

  /// - Returns: `nil` for what is not all Latin letters, or too short to be known by its consonants.
  init?(_ word: [UInt8]) {
    guard 3...24 ~= word.count, word.allSatisfy({ $0 &- 0x61 < 26 }), let first = word.first else {
      return nil
    }
    var sounds: [[[UInt8]]] = []
    var index = 0
    while index < word.count {
      let rest = word[index...]
      let (length, heard) = Self.heard(rest, isFirst: index == 0)
      if !heard.isEmpty { sounds.append(heard) }
      index += length
    }
    if sounds.isEmpty { return nil }
    (self.sounds, self.first) = (sounds, first)
  }

  /// Whether a word in kana of some readings may sound so.
  func isHeard(in readings: UnsafeBufferPointer<Reading>) -> Bool {
    var start = 0
    while start < readings.count {
      let end = readings[start...].firstIndex(of: ReadingTable.border) ?? readings.count
      if start < end, readings[start..<end].allSatisfy(ReadingTable.isMora),
        isHeard(readings[start..<end])
      {
        return true
      }
      start = end + 1
    }
    return false
  }

  private func isHeard(_ word: Slice<UnsafeBufferPointer<Reading>>) -> Bool {
    var consonants: [UInt8] = []
    var letters: [UInt8] = []
    for (place, reading) in word.enumerated() {
      letters.removeAll(keepingCapacity: true)
      ReadingTable.appendMainSpelling(of: reading, to: &letters)
      if place == 0, !mayBegin(with: letters.first) { return false }
      Self.appendConsonants(of: letters, to: &consonants)
    }
    guard 1...32 ~= consonants.count else { return false }
    var positions: UInt64 = 1
    for options in sounds {
      var next: UInt64 = 0
      for option in options {
        for start in 0...consonants.count where positions >> UInt64(start) & 1 == 1 {
          if consonants[start...].starts(with: option) { next |= 1 << UInt64(start + option.count) }
        }
      }
      positions = next
      if positions == 0 { return false }
    }
    return positions >> UInt64(consonants.count) & 1 == 1
  }

  private func mayBegin(with letter: UInt8?) -> Bool {
    guard let letter else { return false }
    let beginsOpen = "aeiouyw".utf8.contains(letter)
    if beginsOpen { return "aeiouywhjv".utf8.contains(first) }
    return !"aeiou".utf8.contains(first)
  }

  /// The consonants of a mora as they are compared.
  private static func appendConsonants(of mora: [UInt8], to consonants: inout [UInt8]) {
    var last: UInt8 = 0
    for (index, letter) in mora.enumerated() {
      let before = index > 0 ? mora[index - 1] : 0
      switch letter {
      case UInt8(ascii: "h") where "scp".utf8.contains(before): continue
      case UInt8(ascii: "s") where before == UInt8(ascii: "t"): continue
      case UInt8(ascii: "c"): if last != UInt8(ascii: "t") { consonants.append(UInt8(ascii: "t")) }
      case UInt8(ascii: "j"): consonants.append(UInt8(ascii: "z"))
      case UInt8(ascii: "v"): consonants.append(UInt8(ascii: "b"))
      case UInt8(ascii: "m"): consonants.append(UInt8(ascii: "n"))
      case _ where "aeiouyw".utf8.contains(letter): break
      // A small tsu doubles what follows.
      case _ where letter == last: continue
      default: consonants.append(letter)
      }
      last = letter == UInt8(ascii: "c") ? UInt8(ascii: "t") : letter
    }
  }

  /// What the letters at the start of a text are heard as.
  private static func heard(
    _ text: ArraySlice<UInt8>,
    isFirst: Bool
  ) -> (length: Int, heard: [[UInt8]]) {
    guard let letter = text.first else { return (1, []) }
    for (letters, heard) in groups where text.starts(with: letters) {
      return (letters.count, heard)
    }
    let twice = text.dropFirst().first == letter
    let length = twice ? 2 : 1
    let behind = text.dropFirst(length).first
    let isBeforeVowel = behind.map { "aeiouy".utf8.contains($0) } ?? false
    switch letter {
    case UInt8(ascii: "w") where isFirst: return (1, options(", b"))
    case UInt8(ascii: "h") where isFirst: return (1, options("h,"))
    case UInt8(ascii: "m"), UInt8(ascii: "n"):
      return (length, twice ? options("n,nn") : options(behind == nil ? "n," : "n"))
    case UInt8(ascii: "l"): return (length, options(isBeforeVowel || behind == nil ? "r" : "r,"))
    case UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "s"):
      let single = letter == UInt8(ascii: "t") ? "t" : letter == UInt8(ascii: "d") ? "d,t" : "s,z"
      return (length, options(isBeforeVowel ? single : single + ","))
    default: return (length, single[letter] ?? [])
    }
  }

  private static func options(_ text: String) -> [[UInt8]] {
    text.split(separator: ",", omittingEmptySubsequences: false).map {
      Array($0.utf8.filter { $0 != 0x20 })
    }
  }

  private static let groups: [(letters: [UInt8], heard: [[UInt8]])] = [
    ("tsch", "t"), ("sch", "s,sk"), ("tch", "t"), ("chr", "kr"), ("ght", "t"), ("ch", "t,k,s,h"),
    ("sh", "s"), ("ph", "f,b"), ("th", "s,t,z"), ("gh", ",g"), ("gn", "n,gn"), ("ck", "k"),
    ("dt", "t"), ("kn", "n,kn"), ("wr", "r"), ("qu", "k"), ("cz", "t"), ("sz", "s"), ("zh", "z"),
    ("ts", "t"), ("ds", "z,d"), ("tz", "t"), ("dg", "z"), ("mpb", "nb"), ("mp", "np,n"),
    ("mb", "nb,n"),
    ("gl", "gr,r"), ("zz", "t,z"), ("cc", "k,t"),
  ].map { (Array($0.0.utf8), options($0.1)) }

  private static let single: [UInt8: [[UInt8]]] = Dictionary(
    uniqueKeysWithValues: [
      ("b", "b,"), ("c", "k,s,t"), ("f", "f,h"), ("g", "g,z,"), ("h", ",h"), ("j", "z,,h"),
      ("k", "k"), ("p", "p,"), ("q", "k"), ("r", "r,"), ("v", "b,f,"), ("w", ",b"),
      ("x", "ks,z,s,"),
      ("z", "z,t,s"), ("y", ""),
    ].map { (Array($0.0.utf8)[0], $0.1.isEmpty ? [] : options($0.1)) }
  )
}
