/// Three or four digits side by side, to be found among the eight of a `PhoneKeys` key.
///
/// A key's digits are looked up four by four: in a table for its first four and in one for its last.
struct DigitSequence {
  static let longest = 4
  private static let halves = 14_641
  /// Powers of eleven, the base of a key's digits.
  private static let powers = [1, 11, 121, 1_331, halves]
  /// What is known of each half a key may have, by its value.
  ///
  /// Uppermost bit: it holds the run. Bit `n`: an upper half ends with the first `n` digits of the
  /// run, a lower half begins with those after them.
  private var upper = [UInt8](repeating: 0, count: halves)
  private var lower = [UInt8](repeating: 0, count: halves)
  private static let whole: UInt8 = 0x80

  /// Marks the halves that matter, some 1,500, instead of looking at each of the 14,641.
  ///
  /// - Parameter digits: ASCII, at most four.
  init(_ digits: [UInt8]) {
    let run = digits.map { Int($0 - 0x30) + 1 }
    markHolding(run)
    for count in 1..<run.count {
      let bit: UInt8 = 1 << UInt8(count)
      let ending = Self.number(run.prefix(count))
      for half in stride(from: ending, to: Self.halves, by: Self.powers[count]) {
        upper[half] |= bit
      }
      let width = Self.powers[4 - run.count + count]
      let beginning = Self.number(run.dropFirst(count)) * width
      for half in beginning..<beginning + width { lower[half] |= bit }
    }
  }

  private mutating func markHolding(_ run: [Int]) {
    let number = Self.number(run[...])
    for before in 0...4 - run.count {
      let width = Self.powers[4 - run.count - before]
      for first in 0..<Self.powers[before] {
        let start = (first * Self.powers[run.count] + number) * width
        for half in start..<start + width {
          upper[half] |= Self.whole
          lower[half] |= Self.whole
        }
      }
    }
  }

  private static func number(_ digits: ArraySlice<Int>) -> Int {
    digits.reduce(0) { $0 * 11 + $1 }
  }

  @inline(__always)
  func isHeld(by key: UInt32) -> Bool {
    let digits = Int(PhoneKeys.digits(key))
    let (first, last) = (upper[digits / Self.halves], lower[digits % Self.halves])
    return (first | last) & Self.whole != 0 || first & last != 0
  }
}
