/// Digits of a telephone number in a word, so that numbers sort by their first or last eight.
///
/// Eight digits in base eleven, the first to be compared uppermost, 0 for none; then four bits with
/// the number of digits, 15 for more.
enum PhoneKeys {
  static let digits = 8
  private static let lengthBits: UInt32 = 4
  static let most = 15

  static func prefix(_ number: [UInt8]) -> UInt32 { key(number.lazy.map { $0 }, number.count) }

  static func suffix(_ number: [UInt8]) -> UInt32 { key(number.reversed(), number.count) }

  /// How many digits a key's number has, up to 15.
  static func count(_ key: UInt32) -> Int { Int(key & (1 << lengthBits - 1)) }

  /// A key's eight digits, in base eleven; always below 11⁸, whatever a file holds.
  static func digits(_ key: UInt32) -> UInt32 { min(key >> lengthBits, 214_358_880) }

  private static func key(_ number: some Sequence<UInt8>, _ count: Int) -> UInt32 {
    packed(number) << lengthBits | UInt32(min(count, most))
  }

  /// At most 11⁸ = 214,358,881 and so below 2²⁸.
  private static func packed(_ number: some Sequence<UInt8>) -> UInt32 {
    var value: UInt32 = 0
    var count = 0
    for digit in number.prefix(digits) {
      value = value * 11 + UInt32(digit - 0x30) + 1
      count += 1
    }
    for _ in count..<digits { value *= 11 }
    return value
  }

  /// The keys of all numbers that have these digits first; at most eight of them tell.
  static func range(first number: some Sequence<UInt8>) -> ClosedRange<UInt32> {
    let wanted = Array(number.prefix(digits))
    let low = packed(wanted)
    var span: UInt32 = 1
    for _ in wanted.count..<digits { span *= 11 }
    return low << lengthBits...((low + (span - 1)) << lengthBits | UInt32(most))
  }
}
