/// Telephone numbers that are set aside for fiction, so that no one is called by mistake.
///
/// United States: 555-0100 to 0199 (ATIS-0300115). London: 020 7946 0000 to 0999 (Ofcom). Berlin:
/// 030 23125 000 to 999 (Bundesnetzagentur, Mitteilung 148/2021). Paris: 01 99 00 (ARCEP, decision
/// 2018-0881). Stockholm: 08-465 004 00 to 99 (PTS). Mobile: 07700 900000 to 900999 (Ofcom).
enum FictionalPhone: String, CaseIterable, Decodable {
  case boston, chicago, sanFrancisco, london, berlin, paris, stockholm, mobile

  /// Those of desks.
  static let all = allCases.filter { $0 != .mobile }

  /// What stands before the digits that may be chosen.
  var prefix: String {
    switch self {
    case .boston: "+1 617 555 01"
    case .chicago: "+1 312 555 01"
    case .sanFrancisco: "+1 415 555 01"
    case .london: "+44 20 7946 0"
    case .berlin: "+49 30 23125 "
    case .paris: "+33 1 99 00 "
    case .stockholm: "+46 8 465 004 "
    case .mobile: "+44 7700 900"
    }
  }

  /// How many digits may be chosen.
  var digits: Int {
    switch self {
    case .boston, .chicago, .sanFrancisco, .stockholm: 2
    case .london, .berlin, .mobile: 3
    case .paris: 4
    }
  }

  /// The number with the given choice, which wraps around.
  func number(_ choice: Int) -> String {
    var text: [UInt8] = []
    append(choice, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  func append(_ choice: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: prefix.utf8)
    var divisor = [1, 10, 100, 1_000, 10_000][digits]
    for place in 0..<digits {
      let rest = choice % divisor
      divisor /= 10
      if self == .paris, place == 2 { bytes.append(UInt8(ascii: " ")) }
      bytes.append(0x30 + UInt8(rest / divisor))
    }
  }
}
