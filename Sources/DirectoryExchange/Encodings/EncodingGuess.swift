import DirectoryModel
import TextRules

/// In which encoding a text is, by what it would say in each.
///
/// Each encoding is judged by the words that it yields: letters as one of its languages has them, one
/// behind the other, no signs and no capitals inside words, and known names and headings. Texts that are
/// the same are one reading.
enum EncodingGuess {
  /// Names of encodings that yield the same text, the likeliest first; others are much less likely.
  case certain([String])
  /// Encodings that yield different texts, each of which may be meant, the likeliest first.
  case doubtful([EncodingQuestion.Reading])
  /// None yields words.
  case unknown

  /// How much likelier the best reading must be than the next, a natural logarithm.
  private static let margin = 4.0
  /// What is added for a single word, and shared by several.
  private static let marginOfOneWord = 1.0
  /// Readings that are offered.
  private static let mostReadings = 3
  /// What words of a language are at least, for each letter and border.
  private static let leastLikely: Float = -4.7
  private static let leastLikelyIdeograph: Float = -9.5

  init(_ sample: TextSample) {
    let words = WordSample(sample)
    var candidates = Self.simple(sample, words) + Self.others(sample, words)
    candidates.sort { $0.likelihood > $1.likelihood }
    guard let best = candidates.first, best.isText else {
      self = .unknown
      return
    }
    let margin = Self.margin + Self.marginOfOneWord / Double(max(1, words.high.count))
    let rivals = candidates.dropFirst().filter { $0.likelihood > best.likelihood - margin }
    if rivals.isEmpty {
      self = .certain([best.name] + best.others)
    } else {
      let all = ([best] + rivals).prefix(Self.mostReadings)
      self = .doubtful(ReadingExamples(sample).readings(all.map(\.name)))
    }
  }

  /// A reading of the text.
  private struct Candidate {
    let name: String
    /// Those in which characters have several bytes and the sample is the same.
    var others: [String] = []
    let likelihood: Double
    /// Whether it has words.
    let isText: Bool
  }

  /// Encodings in which a byte is a character.
  private static func simple(_ sample: TextSample, _ words: WordSample) -> [Candidate] {
    var scorer = WordScorer()
    let plain = words.plain.map { scorer.score($0) }
    var texts: [(key: [UInt32], scores: [[Float]], bonus: Double, isText: Bool)] = []
    var best: [Candidate?] = []
    for (page, characters) in CodePage.simple {
      let used = (0..<0x80).filter { sample.bytes[$0] }
      guard used.allSatisfy({ characters[$0] != 0 }) else { continue }
      let key = used.map { Self.sameLetter(characters[$0]) }
      let place: Int
      if let known = texts.firstIndex(where: { $0.key == key }) {
        place = known
      } else {
        let read = words.high.map { Self.read($0, characters) }
        let scores = read.map { scorer.score($0) }
        let headings = words.headings.map { Self.read($0, characters) }
        texts.append((key, scores + plain, Self.bonus(headings), Self.isText(read, scores)))
        best.append(nil)
        place = texts.count - 1
      }
      let text = texts[place]
      let mixture = LanguageMixture(text.scores, page)
      let candidate = Candidate(
        name: page.name,
        likelihood: mixture.likelihood + mixture.weight + text.bonus,
        isText: text.isText
      )
      if candidate.likelihood > best[place]?.likelihood ?? -.infinity { best[place] = candidate }
    }
    return best.compactMap(\.self)
  }

  private static func read(_ word: [UInt8], _ characters: [UInt32]) -> [UInt32] {
    let scalars = word.map { $0 < 0x80 ? UInt32($0) : characters[Int($0 - 0x80)] }
    guard scalars.contains(where: { (0x300...0x323).contains($0) }) else { return scalars }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars.compactMap(Unicode.Scalar.init))
    return Folding.composed(String(text)).unicodeScalars.map(\.value)
  }

  /// Romanian has a comma below two letters that code pages have with a cedilla: one text in two spellings.
  private static func sameLetter(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case 0x15E: 0x218
    case 0x15F: 0x219
    case 0x162: 0x21A
    case 0x163: 0x21B
    default: scalar
    }
  }

  /// Encodings in which characters have several bytes.
  private static func others(_ sample: TextSample, _ words: WordSample) -> [Candidate] {
    var candidates: [(text: [UInt32], Candidate)] = []
    var scorer: WordScorer?
    for page in CodePage.all where !page.isSimple {
      guard let text = text(sample.lines, page.name) else { continue }
      if let same = candidates.firstIndex(where: { $0.text == text }) {
        candidates[same].1.others.append(page.name)
        continue
      }
      var judge = scorer ?? WordScorer(ideographs: IdeographCosts.all)
      let read = WordSample.words(of: text)
      let high = read.filter { word in word.contains { $0 >= 0x80 } }
      let plain = read.filter { word in word.allSatisfy { $0 < 0x80 } } + words.plain
      let scores = high.map { judge.score($0) }
      let mixture = LanguageMixture(scores + plain.map { judge.score($0) }, page)
      let headings = WordSample.cells(of: text).prefix(WordSample.mostHeadings)
      let candidate = Candidate(
        name: page.name,
        likelihood: mixture.likelihood + mixture.weight + bonus(Array(headings)),
        isText: isText(high, scores)
      )
      candidates.append((text, candidate))
      scorer = judge
    }
    return candidates.map(\.1)
  }

  private static func text(_ lines: [[UInt8]], _ encoding: String) -> [UInt32]? {
    guard var decoder = TextDecoder(encoding) else { return nil }
    var text: [UInt8] = []
    for line in lines {
      do {
        try line.withUnsafeBytes { try decoder.decode($0, isLast: true, to: &text) }
      } catch {
        return nil
      }
      text.append(0x0A)
    }
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
    return scalars.contains { $0.isOutsideText } ? nil : scalars
  }

  private static let longestHeading = 80

  /// Known headings say more than words.
  private static func bonus(_ cells: [[UInt32]]) -> Double {
    let known = cells.count { cell in
      guard cell.count <= longestHeading else { return false }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: cell.compactMap(Unicode.Scalar.init))
      return !Heading(String(text)).meanings.isEmpty
    }
    return 3 * Double(known)
  }

  /// Whether words are such in any language.
  private static func isText(_ words: [[UInt32]], _ scores: [[Float]]) -> Bool {
    var sum: Float = 0
    var least: Float = 0
    for (word, scores) in zip(words, scores) {
      sum += scores.max() ?? 0
      for scalar in word { least += scalar >= 0x2E80 ? leastLikelyIdeograph : leastLikely }
      least += leastLikely
    }
    return !words.isEmpty && sum >= least
  }
}

extension UInt32 {
  /// Whether it stands where an encoding has nothing: a control character, or one for private use.
  var isOutsideText: Bool { (0x80..<0xA0).contains(self) || (0xE000...0xF8FF).contains(self) }
}

/// The words of a sample.
struct WordSample {
  /// Words that are judged; further ones only where they have bytes that are rare.
  private static let most = 400
  private static let mostPlain = 200
  static let mostHeadings = 20
  private static let wordsOfByte: UInt8 = 4

  /// Those with bytes beyond ASCII, and those without, each once.
  private(set) var high: [[UInt8]] = []
  private(set) var plain: [[UInt32]] = []
  /// The first cells with bytes beyond ASCII.
  private(set) var headings: [[UInt8]] = []

  init(_ sample: TextSample) {
    var seen: Set<[UInt8]> = []
    var counts = [UInt8](repeating: 0, count: 0x80)
    for line in sample.lines {
      for word in line.split(whereSeparator: { !Self.isPart(UInt32($0)) }) {
        take(Array(word), &seen, &counts)
      }
    }
    for line in sample.plainLines where plain.count < Self.mostPlain {
      for word in line.split(whereSeparator: { !Self.isPart(UInt32($0)) }) {
        take(Array(word), &seen, &counts)
      }
    }
    for line in sample.lines.prefix(3) {
      let room = max(0, Self.mostHeadings - headings.count)
      headings += Self.cells(of: line).prefix(room)
    }
  }

  private mutating func take(_ word: [UInt8], _ seen: inout Set<[UInt8]>, _ counts: inout [UInt8]) {
    let isHigh = word.contains { $0 >= 0x80 }
    guard isHigh || word.count > 1 && plain.count < Self.mostPlain else { return }
    let isWanted = word.contains { $0 >= 0x80 && counts[Int($0 - 0x80)] < Self.wordsOfByte }
    guard isWanted || !isHigh || high.count < Self.most, word.count <= 64,
      seen.insert(word).inserted
    else { return }
    guard isHigh else { return plain.append(word.map { UInt32($0) }) }
    high.append(word)
    for byte in word where byte >= 0x80 && counts[Int(byte - 0x80)] < Self.wordsOfByte {
      counts[Int(byte - 0x80)] += 1
    }
  }

  /// The words of a text that is read already.
  static func words(of text: [UInt32]) -> [[UInt32]] {
    var seen: Set<[UInt32]> = []
    var words: [[UInt32]] = []
    for part in text.split(whereSeparator: { !isPart($0) }) {
      let word = Array(part.prefix(64))
      guard word.count > 1 || word[0] >= 0x80, seen.insert(word).inserted else { continue }
      words.append(word)
      if words.count == most + mostPlain { break }
    }
    return words
  }

  /// The cells of a text, or the values of other formats, that have characters beyond ASCII.
  static func cells<Unit: FixedWidthInteger>(of text: [Unit]) -> [[Unit]] {
    text.split { [0x09, 0x0A, 0x0D, 0x22, 0x2C, 0x3A, 0x3B, 0x7C].contains($0) }
      .filter { cell in cell.contains { $0 >= 0x80 } }
      .map { Array($0) }
  }

  /// Letters of ASCII and whatever is beyond it.
  private static func isPart(_ unit: UInt32) -> Bool {
    unit >= 0x80 || (0x41...0x5A).contains(unit & ~0x20)
  }
}
