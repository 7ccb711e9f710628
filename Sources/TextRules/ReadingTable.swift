import CICU

/// The number of a reading: a set of spellings in `a`–`z` and `0`–`9` that a part of a text may have.
///
/// | number | is |
/// | --- | --- |
/// | 0 | a border between words |
/// | 1…36 | the letters `a` to `z` and the digits `0` to `9` |
/// | from 37 | a letter, mark, mora or group of them in an alphabet, the same for ideographs |
/// | 0xAC00…0xD7A3 | the Hangul syllable of that scalar |
///
/// Numbers mean something only together with ``ReadingTable/version``.
package typealias Reading = UInt16

/// The generated tables of `scripts/readings`; nothing is read or built before it is asked for.
package enum ReadingTable {
  /// Changes whenever a text can be read otherwise, or a number mean something else; what stores
  /// numbers must store it too.
  package static let version: UInt64 = staffbook_reading_version &+ rules

  /// One more with each change of how ``ReadingUnits`` goes from text to readings.
  private static let rules: UInt64 = 4

  package static let border: Reading = 0
  static let hangul: ClosedRange<Reading> = 0xAC00...0xD7A3

  /// The reading of a scalar on its own.
  ///
  /// - Complexity: O(1), two loads.
  @inline(__always)
  static func reading(of scalar: UInt32) -> Reading { staffbook_reading_of(scalar) }

  /// The reading of an ideograph in a Japanese name: Japanese ones behind those in Chinese.
  @inline(__always)
  static func japaneseReading(of scalar: UInt32) -> Reading {
    let reading = staffbook_japanese_reading_of(scalar)
    return reading == 0 ? self.reading(of: scalar) : reading
  }

  /// Whether a reading is that of an ideograph or a Hangul syllable, which one may write as its
  /// initial alone.
  @inline(__always)
  package static func isSyllable(_ reading: Reading) -> Bool {
    reading >= staffbook_first_syllable_reading
  }

  /// Whether a number is that of a reading; others may be asked nothing.
  @inline(__always)
  package static func isKnown(_ reading: Reading) -> Bool {
    reading < staffbook_reading_count || hangul.contains(reading)
  }

  /// Whether a reading is that of kana.
  @inline(__always)
  package static func isMora(_ reading: Reading) -> Bool {
    reading >= staffbook_first_mora_reading && reading < staffbook_first_syllable_reading
  }

  /// Whether a scalar is an ideograph with a reading.
  @inline(__always)
  static func isIdeograph(_ scalar: UInt32) -> Bool { isSyllable(reading(of: scalar)) }

  /// Whether an Indic consonant's reading ends in the vowel that it has without a sign; the next
  /// number is that of the bare consonant.
  @inline(__always)
  static func hasInherentVowel(_ reading: Reading) -> Bool {
    reading >= staffbook_first_inherent_reading && reading < staffbook_first_mora_reading
  }

  /// The reading of an ASCII letter or digit.
  @inline(__always)
  static func reading(ofASCII byte: UInt8) -> Reading? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Reading(byte - UInt8(ascii: "a")) + 1
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Reading(byte - UInt8(ascii: "0")) + 27
    default: nil
    }
  }

  /// The spellings of a reading that is not Hangul: a comma between two, a semicolon before those
  /// of other readings than the main one.
  @inline(__always)
  package static func withSpellings<Result>(
    of reading: Reading,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    var count: UInt32 = 0
    let start = staffbook_spellings(reading, &count)
    return body(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// Whether a letter may be left out: one of its spellings is empty.
  static func mayBeLeftOut(_ reading: Reading) -> Bool {
    !isSyllable(reading) && beginnings(of: reading) & leftOut != 0
  }

  /// The spellings of a reading, the main ones first.
  ///
  /// - Returns: Spellings and whether each is one of the main reading; an empty spelling means that
  ///   the letter may be left out.
  /// - Complexity: Allocates; for explanations and tests, not for matching.
  package static func spellings(of reading: Reading) -> [(text: String, isMain: Bool)] {
    if hangul.contains(reading) {
      return HangulSyllable(reading).spellings().map { ($0, true) }
    }
    return withSpellings(of: reading) { bytes in
      bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated()
        .flatMap { part, spellings in
          spellings.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { (String(decoding: $0, as: UTF8.self), part == 0) }
        }
    }
  }

  /// Calls `body` with each spelling of a reading, those of other readings than the main one too.
  package static func withEverySpelling(
    of reading: Reading,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    if hangul.contains(reading) {
      for spelling in HangulSyllable(reading).spellings() {
        Array(spelling.utf8).withUnsafeBufferPointer(body)
      }
      return
    }
    withSpellings(of: reading) { spellings in
      var start = 0
      while start <= spellings.count {
        var end = start
        while end < spellings.count, spellings[end] > 0x2F, spellings[end] != UInt8(ascii: ";") {
          end += 1
        }
        body(UnsafeBufferPointer(rebasing: spellings[start..<end]))
        start = end + 1
      }
    }
  }

  /// Appends the first spelling of the main reading.
  package static func appendMainSpelling(of reading: Reading, to letters: inout [UInt8]) {
    if hangul.contains(reading) {
      letters.append(contentsOf: (HangulSyllable(reading).spellings().first ?? "").utf8)
      return
    }
    withSpellings(of: reading) { spellings in
      letters.append(
        contentsOf: spellings.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
      )
    }
  }

  /// Letters and digits that a spelling of a reading may begin with, as bits: `a` is bit 0, `0` is
  /// bit 26; bit 36 when it may be left out.
  ///
  /// For Hangul some bits more may be set.
  ///
  /// - Complexity: O(1); the first call reads the table of spellings once, some 20 microseconds.
  @inline(__always)
  package static func beginnings(of reading: Reading) -> UInt64 {
    hangul.contains(reading)
      ? HangulSyllable.beginnings[(Int(reading) - 0xAC00) / 588] : beginnings[Int(reading)]
  }

  package static let leftOut: UInt64 = 1 << 36

  /// The bit of a letter or digit in ``beginnings(of:)``.
  @inline(__always)
  static func bit(of letter: UInt8) -> UInt64 {
    reading(ofASCII: letter).map { 1 << UInt64($0 - 1) } ?? 0
  }

  private static let beginnings: [UInt64] = (0..<staffbook_reading_count).map { reading in
    withSpellings(of: reading) { spellings in
      var bits: UInt64 = spellings.isEmpty ? leftOut : 0
      var isFirst = true
      for byte in spellings {
        let separates = byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
        if isFirst { bits |= separates ? leftOut : bit(of: byte) }
        isFirst = separates
      }
      return isFirst ? bits | leftOut : bits
    }
  }

  // MARK: - Groups

  /// Readings of several scalars together.
  struct GroupList: Sendable {
    /// Where the groups of one first scalar begin, by that scalar.
    private let firsts: [UInt32]
    private let starts: [Int]
    /// A bit for the low 16 of each first scalar, since most scalars begin no group.
    private let mayBegin: [UInt64]
    // The tables are constants of the program.
    nonisolated(unsafe) private let stream: UnsafePointer<UInt32>

    init(_ stream: UnsafePointer<UInt32>, count: Int) {
      var firsts: [UInt32] = []
      var starts: [Int] = []
      var index = 0
      while index < count {
        let first = stream[index + 2]
        if firsts.last != first {
          firsts.append(first)
          starts.append(index)
        }
        index += 2 + Int(stream[index]) + Int(stream[index + 1])
      }
      starts.append(count)
      var mayBegin = [UInt64](repeating: 0, count: 1_024)
      for first in firsts { mayBegin[Int(first >> 6 & 1_023)] |= 1 << UInt64(first & 63) }
      self.mayBegin = mayBegin
      self.stream = stream
      self.firsts = firsts
      self.starts = starts
    }

    /// The longest group that stands at an index.
    ///
    /// - Returns: Its scalars' and its readings' count, and the readings.
    /// - Complexity: O(log groups + groups with this first scalar).
    func longest(
      in scalars: [UInt32],
      at index: Int,
      atLeast shortest: Int
    ) -> (scalars: Int, readings: UnsafeBufferPointer<UInt32>)? {
      let first = scalars[index]
      guard mayBegin[Int(first >> 6 & 1_023)] >> UInt64(first & 63) & 1 == 1 else { return nil }
      var low = 0
      var high = firsts.count
      while low < high {
        let middle = (low + high) / 2
        if firsts[middle] < first { low = middle + 1 } else { high = middle }
      }
      guard low < firsts.count, firsts[low] == first else { return nil }
      var start = starts[low]
      while start < starts[low + 1] {
        let length = Int(stream[start])
        let count = Int(stream[start + 1])
        guard length >= shortest else { return nil }
        if index + length <= scalars.count,
          (1..<length).allSatisfy({ stream[start + 2 + $0] == scalars[index + $0] })
        {
          return (
            length, UnsafeBufferPointer(start: stream + start + 2 + length, count: count)
          )
        }
        start += 2 + length + count
      }
      return nil
    }
  }

  static let groups = GroupList(staffbook_groups(), count: Int(staffbook_reading_group_count))
  static let surnames = GroupList(staffbook_names(), count: Int(staffbook_surname_count))
  static let japaneseSurnames = GroupList(
    staffbook_japanese_names(),
    count: Int(staffbook_japanese_surname_count)
  )
}
