import DirectoryTestSupport
import Platform
import TestSupport
import Seeds
import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import SystemPackage
import Testing

extension Company {
  /// Searches of the same directory without an index and with one.
  func engines(
    phones: DialingPlan = .unknown
  ) throws -> (scan: SearchEngine, index: SearchEngine) {
    let folder = try ScratchFolder()
    try write(to: folder.snapshot)
    let snapshot = try DirectorySnapshot(path: folder.snapshot)
    let path = folder.path.appending("search.index")
    try SearchIndexBuilder.write(of: snapshot, to: path, phones: phones)
    guard case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: phones) else {
      throw TestFailure("the index just written is not usable")
    }
    return (
      try SearchEngine(snapshot, phones: phones),
      try SearchEngine(snapshot, phones: phones, index: index)
    )
  }
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Text of many scripts, made to hit: few syllables, much repetition, marks that fold away.
enum RandomText {
  private static let syllables = [
    "an", "An", "ÁN", "na", "strom", "Ström", "ß", "SS", "ı", "ﬁ", "fi", "o\u{301}", "\u{F3}",
    "Ёл", "ел", "ΟΣ", "ος", "王", "小明", "가", "ᄀ", "か", "が", "ｶﾞ", "ガ", "กำ", "นี้", "की", "شُ", "ش",
    "٤", "4", "2", "%", "_", "\\", "*", "-", "–", "\"", "'", "’", "@", ".", "+", "\u{200D}",
    "\u{202E}", "👩‍👩‍👧", "\u{301}", "\u{E31}", "\u{1F}", "Mü", "mue", "張", "张", "zh", "さ", "サ",
    "Щу", "кин", "ㄱ", "강", "wei", "伟", "重", "庆",
  ]

  static func word(using generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...4, using: &generator))
      .map { _ in syllables.randomElement(using: &generator) ?? "" }.joined()
  }

  static func text(words: ClosedRange<Int>, using generator: inout SeededGenerator) -> String {
    let blanks = [" ", " ", "  ", "\u{A0}", "\u{3000}", "\t"]
    var text = ""
    for index in 0..<Int.random(in: words, using: &generator) {
      if index > 0 { text += blanks.randomElement(using: &generator) ?? " " }
      text += word(using: &generator)
    }
    return text
  }
}

/// Whether bytes contain others, by looking everywhere.
func naivelyContains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
  guard word.count <= text.count else { return false }
  return (0...text.count - word.count).contains { start in
    text[start] == word[0] && text[start..<start + word.count].elementsEqual(word)
  }
}
