/// What the values of a column look like.
struct ColumnValues {
  /// Distinct values that are kept.
  private static let most = 2_000

  private(set) var count = 0
  private(set) var first: [UInt8] = []
  private(set) var distinct: Set<[UInt8]> = []
  private(set) var emails = 0
  private(set) var ideographic = 0
  private var signs: [String: Int] = [:]
  private(set) var dates: (dayFirst: Int, monthFirst: Int, ambiguous: Int, short: Int) = (
    0, 0, 0, 0
  )

  /// Signs that may part the levels of a path, and those that may part several values.
  static let levelSigns = [" > ", "/", "\\", " | ", "»", ">"]
  static let listSigns = [";", "；", "、", "\n"]

  mutating func take(_ cell: UnsafeRawBufferPointer) {
    var value: [UInt8] = []
    guard CellText.append(cell, to: &value) else { return }
    count += 1
    if first.isEmpty { first = value }
    if distinct.count < Self.most { distinct.insert(value) }
    if value.dropFirst().dropLast().contains(UInt8(ascii: "@")) { emails += 1 }
    // From U+3000 on: kana, ideographs, Hangul.
    if let lead = value.first, (0xE3...0xED).contains(lead) { ideographic += 1 }
    for sign in Self.levelSigns + Self.listSigns where Self.has(value, Array(sign.utf8)) {
      signs[sign, default: 0] += 1
    }
    noteDate(value)
  }

  private mutating func noteDate(_ value: [UInt8]) {
    guard let first = value.first, (0x30...0x39).contains(first), value.count <= 40 else { return }
    if DateText(value, nil) == .shortYear { dates.short += 1 }
    let day = DateText(value, .dayFirst, from: 1950)
    switch DateText(value, nil, from: 1950) {
    case .ambiguous: dates.ambiguous += 1
    case .date where day != DateText(value, .monthFirst, from: 1950):
      // 13/4 and 4/13 tell which of both it is; 2021-04-13 does not.
      if day == .contradictory { dates.monthFirst += 1 } else { dates.dayFirst += 1 }
    default: break
    }
  }

  private static func has(_ value: [UInt8], _ sign: [UInt8]) -> Bool {
    guard value.count > sign.count else { return false }
    return (0...(value.count - sign.count)).contains {
      value[$0] == sign[0] && value[$0..<($0 + sign.count)].elementsEqual(sign)
    }
  }

  func count(of sign: String) -> Int { signs[sign] ?? 0 }
}
