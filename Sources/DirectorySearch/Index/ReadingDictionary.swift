import DirectorySnapshot
import OutlineEngine
import Platform
import Synchronization
import TextRules

/// The readings of a field's texts, and the documents they stand in.
struct ReadingDictionary: Sendable {
  private let readings: TextColumn
  private let documentStarts: SnapshotColumn<UInt32>
  private let documents: SnapshotColumn<UInt32>
  private let starts: SnapshotColumn<UInt64>
  private let firsts: SnapshotColumn<UInt32>
  private let firstStarts: SnapshotColumn<UInt32>
  private let beginnings: SnapshotColumn<UInt64>
  private let known = FirstReadingCache()

  init(_ file: SnapshotFile, _ section: IndexSection) throws(SnapshotError) {
    readings = try file.text(section.part(.readingsText), ends: section.part(.readingsEnds))
    documentStarts = try file.column(section.part(.readingDocumentStarts), as: UInt32.self)
    documents = try file.column(section.part(.readingDocuments), as: UInt32.self)
    starts = try file.column(section.part(.starts), as: UInt64.self)
    firsts = try file.column(section.part(.firstReadings), as: UInt32.self)
    firstStarts = try file.column(section.part(.firstStarts), as: UInt32.self)
    beginnings = try file.column(section.part(.firstBeginnings), as: UInt64.self)
    guard documentStarts.count == readings.count + 1 else { throw documentStarts.damaged }
    guard firstStarts.count == firsts.count + 1, beginnings.count == firsts.count else {
      throw firsts.damaged
    }
  }

  /// The documents of the texts with some readings, readings after readings.
  ///
  /// - Parameters:
  ///   - numbers: Of readings.
  ///   - body: Gets documents, rising for one number; nothing is known of their range.
  /// - Throws: `SnapshotError.damaged`.
  func withDocuments(
    of numbers: [UInt32],
    _ body: (UnsafeBufferPointer<UInt32>) -> Void
  ) throws(SnapshotError) {
    let starts = try documentStarts.verified()
    let isSound = try documents.withElements(in: 0..<documents.count) { documents in
      starts.withUnsafeBufferPointer { starts in
        for number in numbers {
          guard Int(number) + 1 < starts.count else { return false }
          let (start, end) = (Int(starts[Int(number)]), Int(starts[Int(number) + 1]))
          guard start <= end, end <= documents.count else { return false }
          body(UnsafeBufferPointer(rebasing: documents[start..<end]))
        }
        return true
      }
    }
    guard isSound else { throw documentStarts.damaged }
  }

  /// Finds a typed word.
  ///
  /// - Parameters:
  ///   - word: Folded.
  ///   - pattern: The same, to be compared with readings.
  ///   - means: What may find it: what may not is not looked for as far as that saves time.
  ///   - patience: Where it is over, looking ends, and what is found is not all.
  /// - Returns: Numbers of readings and how the word is found in them.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: The places where a query may begin that go on as far as it does, and some
  ///   hundred steps to find them.
  func matches(
    of word: [UInt8],
    _ pattern: ReadingPattern,
    _ means: SearchTerm.Mechanism,
    _ patience: SearchDeadline
  ) throws(SnapshotError) -> [(number: Int, quality: MatchQuality)] {
    try withView { (view, firsts) throws(SnapshotError) in
      var walk = ReadingWalk(view, pattern.latinLetters ?? word, means)
      for first in firsts where walk.mayBegin(with: first.reading, first.beginnings) {
        if patience.isOver { return [] }
        walk.visit(first.starts)
      }
      return look(at: &walk.found, view, patience) { pattern.firstMatch(in: $0).map { .init($0) } }
    }
  }

  /// Finds a word that is typed with errors.
  ///
  /// - Parameters:
  ///   - errors: The word, and how many it may have.
  ///   - patience: Where it is over, looking ends, and what is found is not all.
  ///   - exact: How the word is found in readings in which it may be.
  /// - Returns: Numbers of readings and what `exact` gave.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: As far as beginnings of readings can still be within the limit.
  func matches(
    within errors: ReadingErrors,
    _ patience: SearchDeadline,
    _ exact: (UnsafeBufferPointer<Reading>) -> MatchQuality?
  ) throws(SnapshotError) -> [(number: Int, quality: MatchQuality)] {
    try withView { (view, firsts) throws(SnapshotError) in
      var walk = FuzzyReadingWalk(view, errors)
      for first in firsts where errors.mayBegin(with: first.beginnings) {
        if patience.isOver { return [] }
        walk.visit(first.starts)
      }
      return look(at: &walk.found, view, patience, exact)
    }
  }

  /// Looks at all readings in which a word of kana begins.
  ///
  /// - Parameters:
  ///   - patience: Where it is over, looking ends, and what is found is not all.
  ///   - exact: How a word is found in some.
  /// - Returns: Numbers of readings and what `exact` gave.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(places in words of kana).
  func matchesInKana(
    _ patience: SearchDeadline,
    _ exact: (UnsafeBufferPointer<Reading>) -> MatchQuality?
  ) throws(SnapshotError) -> [(number: Int, quality: MatchQuality)] {
    try withView { (view, firsts) throws(SnapshotError) in
      var found: [UInt32] = []
      for first in firsts where ReadingTable.isMora(first.reading) {
        for start in first.starts where view.beginsWord(start) {
          if let number = view.number(ofStart: start) { found.append(UInt32(number)) }
        }
      }
      return look(at: &found, view, patience, exact)
    }
  }

  /// Compares readings that may have a word.
  private func look(
    at numbers: inout [UInt32],
    _ view: ReadingsView,
    _ patience: SearchDeadline,
    _ exact: (UnsafeBufferPointer<Reading>) -> MatchQuality?
  ) -> [(number: Int, quality: MatchQuality)] {
    var matches: [(number: Int, quality: MatchQuality)] = []
    numbers.sort()
    var last: UInt32?
    for (place, number) in numbers.enumerated() where number != last {
      if place % 1_024 == 0, patience.isOver { return [] }
      last = number
      if let quality = view.readings(Int(number)).withReadings(exact) {
        matches.append((Int(number), quality))
      }
    }
    return matches
  }

  private func withView<Result>(
    _ body: (ReadingsView, [FirstReadingCache.First]) throws(SnapshotError) -> Result
  ) throws(SnapshotError) -> Result {
    let rows = try readings.verified()
    let starts = try starts.verified()
    let firsts = try known.firsts { () throws(SnapshotError) in try readFirsts() }
    let result = rows.withAllBytes { bytes, ends in
      starts.withUnsafeBufferPointer { starts in
        let view = ReadingsView(bytes: bytes, ends: ends, starts: starts)
        return Swift.Result { () throws(SnapshotError) in try body(view, firsts) }
      }
    }
    return try result.get()
  }

  private func readFirsts() throws(SnapshotError) -> [FirstReadingCache.First] {
    var known: [FirstReadingCache.First] = []
    known.reserveCapacity(firsts.count)
    for index in 0..<firsts.count {
      let (start, end) = (Int(try firstStarts[index]), Int(try firstStarts[index + 1]))
      guard start <= end, end <= starts.count else { throw firstStarts.damaged }
      known.append(
        FirstReadingCache.First(
          reading: Reading(truncatingIfNeeded: try firsts[index]),
          beginnings: try beginnings[index],
          starts: start..<end
        )
      )
    }
    return known
  }
}

/// The readings that stand first where a query may begin, verified when they are first needed.
private final class FirstReadingCache: Sendable {
  struct First: Sendable {
    let reading: Reading
    /// `ReadingTable.beginnings` of it.
    let beginnings: UInt64
    let starts: Range<Int>
  }

  private let known = Mutex<[First]?>(nil)

  func firsts(_ read: () throws(SnapshotError) -> [First]) throws(SnapshotError) -> [First] {
    if let firsts = known.withLock({ $0 }) { return firsts }
    let firsts = try read()
    known.withLock { $0 = firsts }
    return firsts
  }
}

/// The readings and the places where queries may begin, as pointers; valid while they are borrowed.
private struct ReadingsView {
  let bytes: UnsafeRawBufferPointer
  let ends: UnsafeBufferPointer<UInt32>
  let starts: UnsafeBufferPointer<UInt64>

  @inline(__always)
  func readings(_ number: Int) -> ReadingSequence {
    let start = number == 0 ? 0 : Int(ends[number - 1])
    return ReadingSequence(UnsafeRawBufferPointer(rebasing: bytes[start..<Int(ends[number])]))
  }

  /// The number of the readings that a start is in; `nil` where it is none.
  @inline(__always)
  func number(ofStart start: Int) -> Int? {
    let number = Int(starts[start] >> 32)
    return number < ends.count ? number : nil
  }

  /// The reading at so many places behind a start; `nil` past the end.
  @inline(__always)
  func reading(_ start: Int, _ depth: Int) -> Reading? {
    guard let number = number(ofStart: start) else { return nil }
    let units = readings(number)
    let index = Int(starts[start] & 0xFFFF_FFFF) + depth
    return index < units.count ? units[index] : nil
  }

  /// Whether a word of the text begins at a start.
  func beginsWord(_ start: Int) -> Bool {
    guard let number = number(ofStart: start) else { return false }
    let index = Int(starts[start] & 0xFFFF_FFFF)
    let units = readings(number)
    return index == 0 || index <= units.count && units[index - 1] == ReadingSequence.border
  }

  /// Past the last of some starts that have the same reading at so many places behind, as far as they
  /// are sorted.
  func end(of starts: Range<Int>, _ depth: Int, _ reading: Reading) -> Int {
    if depth == 0 { return starts.upperBound }
    return starts.dropFirst().nearPartitionPoint { self.reading($0, depth) == reading }
  }

  /// Appends the numbers of the readings of some starts.
  func append(_ starts: Range<Int>, to numbers: inout [UInt32]) {
    for start in starts {
      if let number = number(ofStart: start) { numbers.append(UInt32(number)) }
    }
  }
}

/// Goes down the tree of readings that sorted starts are.
///
/// With it goes the set of positions up to which the typed letters are used up. What it finds may be
/// too much, never too little.
private struct ReadingWalk {
  private let view: ReadingsView
  /// The letters of the word, without what parts syllables.
  private let letters: [UInt8]
  private let isLatin: Bool
  private let means: SearchTerm.Mechanism
  /// Those of Hangul, which are put together; others stand in the table.
  private var spellings: [Reading: [[UInt8]]] = [:]
  /// Numbers of readings, perhaps repeatedly.
  var found: [UInt32] = []

  init(_ view: ReadingsView, _ word: [UInt8], _ means: SearchTerm.Mechanism) {
    self.view = view
    self.means = means
    letters = word.filter { !WordSearch.isSeparator($0) }
    isLatin = letters.allSatisfy { $0 < 0x80 }
  }

  /// Whether a reading can be the first one of the word.
  func mayBegin(with reading: Reading, _ beginnings: UInt64) -> Bool {
    guard isLatin else { return Self.hangul ~= reading }
    guard let first = letters.first else { return false }
    let bit = first >= 0x61 ? UInt64(first - 0x61) : UInt64(first - 0x30) + 26
    return beginnings & (1 << bit | 1 << 36) != 0
  }

  mutating func visit(_ starts: Range<Int>) {
    guard letters.count < 64 else { return }
    if isLatin {
      visit(starts, depth: 0, positions: 1, after: nil)
    } else {
      // Initial consonants: few Hangul texts begin alike, and each is compared anyway.
      view.append(starts, to: &found)
    }
  }

  private mutating func visit(
    _ starts: Range<Int>,
    depth: Int,
    positions: UInt64,
    after last: Reading?
  ) {
    // Of a word that is to be read as a whole, and is written in letters.
    let isUsedUp = positions >> UInt64(letters.count) & 1 == 1
    var first = starts.lowerBound
    while first < starts.upperBound {
      guard let reading = view.reading(first, depth) else {
        if isUsedUp { view.append(first..<first + 1, to: &found) }
        first += 1
        continue
      }
      let end = view.end(of: first..<starts.upperBound, depth, reading)
      let mayEnd =
        isUsedUp
        && (reading == ReadingSequence.border
          || ReadingPattern.place(of: reading, after: last) == .word)
      let step = mayEnd ? (next: 0, isDone: true) : advance(positions, over: reading)
      if step.isDone {
        view.append(first..<end, to: &found)
      } else if step.next != 0 {
        visit(first..<end, depth: depth + 1, positions: step.next, after: reading)
      }
      first = end
    }
  }

  /// - Returns: The positions behind the reading, and whether the letters can end with it.
  private mutating func advance(
    _ positions: UInt64,
    over reading: Reading
  ) -> (next: UInt64, isDone: Bool) {
    if reading == ReadingSequence.border { return (positions, false) }
    let composed = Self.hangul ~= reading ? spellings(of: reading) : []
    let isSyllable = ReadingTable.isSyllable(reading)
    let endsWithWord = means == .whole && !isSyllable && !ReadingTable.isMora(reading)
    return letters.withUnsafeBufferPointer { letters in
      var step = ReadingStep(
        letters,
        positions,
        mayBeInitial: means.mayFind(.readingWithin) && isSyllable,
        mayBeBegun: means != .whole,
        mayBeLast: !endsWithWord
      )
      if Self.hangul ~= reading {
        for text in composed { text.withUnsafeBufferPointer { step.take($0) } }
      } else {
        ReadingTable.withSpellings(of: reading) { step.take(each: $0) }
      }
      if endsWithWord { return (step.next, false) }
      if step.isDone || step.next >> UInt64(letters.count) & 1 == 1 { return (0, true) }
      return (step.next, false)
    }
  }

  private static let hangul: ClosedRange<Reading> = 0xAC00...0xD7A3

  private mutating func spellings(of reading: Reading) -> [[UInt8]] {
    if let known = spellings[reading] { return known }
    let texts = Array(Set(ReadingTable.spellings(of: reading).map { Array($0.text.utf8) }))
    spellings[reading] = texts
    return texts
  }
}

/// Goes down the same tree with the positions of a word that has errors.
private struct FuzzyReadingWalk {
  private let view: ReadingsView
  private let errors: ReadingErrors
  /// Numbers of readings that may have the word, perhaps repeatedly.
  var found: [UInt32] = []

  init(_ view: ReadingsView, _ errors: ReadingErrors) {
    self.view = view
    self.errors = errors
  }

  mutating func visit(_ starts: Range<Int>) { visit(starts, depth: 0, errors.start) }

  private mutating func visit(_ starts: Range<Int>, depth: Int, _ state: ReadingErrors.State) {
    var first = starts.lowerBound
    while first < starts.upperBound {
      guard let reading = view.reading(first, depth) else {
        if errors.count(at: state) != nil { view.append(first..<first + 1, to: &found) }
        first += 1
        continue
      }
      let end = view.end(of: first..<starts.upperBound, depth, reading)
      if reading == ReadingSequence.border {
        if errors.count(at: state) != nil { view.append(first..<end, to: &found) }
        visit(first..<end, depth: depth + 1, state)
      } else if let next = errors.advance(state, over: reading) {
        visit(first..<end, depth: depth + 1, next)
      }
      first = end
    }
  }
}

/// One reading taken over by the letters of a word.
private struct ReadingStep {
  private let letters: UnsafeBufferPointer<UInt8>
  private let positions: UInt64
  /// Whether it may be written as its initial, and whether the letters may end within it, or with it.
  private let mayBeInitial: Bool
  private let mayBeBegun: Bool
  private let mayBeLast: Bool
  /// The positions behind it.
  private(set) var next: UInt64 = 0
  /// Whether the letters end within it.
  private(set) var isDone = false

  init(
    _ letters: UnsafeBufferPointer<UInt8>,
    _ positions: UInt64,
    mayBeInitial: Bool,
    mayBeBegun: Bool,
    mayBeLast: Bool
  ) {
    self.letters = letters
    self.positions = positions
    self.mayBeInitial = mayBeInitial
    self.mayBeBegun = mayBeBegun
    self.mayBeLast = mayBeLast
  }

  /// Takes the spellings as the table has them.
  mutating func take(each spellings: UnsafeBufferPointer<UInt8>) {
    var start = 0
    while start <= spellings.count, !isDone {
      var end = start
      while end < spellings.count, spellings[end] != UInt8(ascii: ","),
        spellings[end] != UInt8(ascii: ";")
      {
        end += 1
      }
      take(UnsafeBufferPointer(rebasing: spellings[start..<end]))
      start = end + 1
    }
  }

  mutating func take(_ text: UnsafeBufferPointer<UInt8>) {
    var open = positions
    while open != 0 {
      let position = open.trailingZeroBitCount
      open &= open - 1
      var common = 0
      while common < text.count, position + common < letters.count,
        text[common] == letters[position + common]
      {
        common += 1
      }
      if mayBeLast, position + common == letters.count, mayBeBegun || common == text.count {
        isDone = true
        return
      }
      if common == text.count { next |= 1 << UInt64(position + common) }
      guard mayBeInitial else { continue }
      // An initial is one letter or two.
      for length in 1...2 where length < text.count && length <= common {
        next |= 1 << UInt64(position + length)
      }
    }
  }
}
