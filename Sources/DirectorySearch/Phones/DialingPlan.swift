/// How telephone numbers are dialled in a country: its calling code, and what comes before a number
/// within the country.
package struct DialingPlan: Sendable, Hashable {
  /// ISO 3166-1 alpha-2, in capitals; empty where no country is known.
  private let country: [UInt8]
  /// Digits of the calling code; empty where no country is known.
  let code: [UInt8]
  /// The national prefix, which goes where the calling code comes; often `0`, may be empty.
  let trunk: [UInt8]

  fileprivate var countryName: String { String(decoding: country, as: UTF8.self) }

  /// What else may stand before a number; `nil` where that is the national prefix alone.
  private let pattern: PrefixPattern?

  /// Without a country: only numbers that state their own are known in full.
  package static let unknown = DialingPlan()

  private init() {
    country = []
    code = []
    trunk = []
    pattern = nil
  }

  package static func == (left: DialingPlan, right: DialingPlan) -> Bool {
    left.country == right.country
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(country) }

  /// As an index states them.
  var text: [UInt8] { country + [UInt8(ascii: "/")] }

  init?(text: [UInt8]) {
    guard text.last == UInt8(ascii: "/") else { return nil }
    if text.count == 1 {
      self = .unknown
    } else {
      self.init(country: String(decoding: text.dropLast(), as: UTF8.self))
    }
  }

  /// The rules of a country; `nil` when it is not in the table.
  ///
  /// - Parameter country: ISO 3166-1 alpha-2, in any case.
  package init?(country: String) {
    let wanted = country.utf8.map { $0 & 0xDF }
    guard wanted.count == 2 else { return nil }
    for line in CallingCodes.table.split(separator: " ") {
      // Countries, code and national prefix: `DE49/0`, `GG,GB,IM,JE44/0`.
      let halves = line.split(separator: "/", omittingEmptySubsequences: false)
      let countries = halves[0].prefix { !$0.isNumber }
      guard countries.split(separator: ",").contains(where: { $0.utf8.elementsEqual(wanted) })
      else { continue }
      code = Array(halves[0].dropFirst(countries.count).utf8)
      trunk = halves.count > 1 ? Array(halves[1].utf8) : []
      self.country = wanted
      pattern = CallingCodes.patterns[String(decoding: wanted, as: UTF8.self)]
      return
    }
    return nil
  }

  /// A number with its calling code.
  ///
  /// - Parameters:
  ///   - digits: As written.
  ///   - isInternational: Whether a plus stood before them.
  /// - Returns: The same digits where nothing more can be told.
  func full(_ digits: [UInt8], isInternational: Bool) -> [UInt8] {
    if isInternational { return Self.international(digits) }
    // ITU-T E.164 recommends 00 for calls abroad; numbers within the country do not begin so.
    if digits.count > 4, digits.starts(with: [0x30, 0x30]) {
      return Self.international(Array(digits.dropFirst(2)))
    }
    guard !code.isEmpty else { return digits }
    if let national = unusual(digits) { return code + national }
    if trunk.isEmpty {
      return digits.starts(with: code) && digits.count > 9 ? digits : code + digits
    }
    if digits.starts(with: trunk) {
      let national = Array(digits.dropFirst(trunk.count))
      // In North America prefix and calling code are both 1.
      return code + national
    }
    // There a number without the prefix is whole as well.
    return trunk == code ? code + digits : digits
  }

  /// A national number where something else than the national prefix stands before it.
  private func unusual(_ digits: [UInt8]) -> [UInt8]? {
    guard let (number, removed) = pattern?.national(digits), !number.isEmpty,
      !removed.elementsEqual(trunk)
    else { return nil }
    // National numbers that begin with a zero are few.
    return removed.first == 0x30 || CallingCodes.isLong(number, code) ? number : nil
  }

  /// A number with its calling code, without what is dialled within the country alone.
  ///
  /// `+44 020 …` is `+44 20 …`, `+52 1 55 …` is `+52 55 …`, and `+54 11 15 …` is `+54 9 11 …`, if the number
  /// that remains is as long as those of the country, as libphonenumber does
  /// (`maybeStripNationalPrefixAndCarrierCode`, with lengths alone).
  private static func international(_ digits: [UInt8]) -> [UInt8] {
    guard let (plan, national) = CallingCodes.plan(of: digits) else { return digits }
    let stripped: [UInt8]
    let first: UInt8?
    if let (number, removed) = plan.pattern?.national(national) {
      (stripped, first) = (number, removed.first)
    } else if plan.pattern == nil, !plan.trunk.isEmpty, national.starts(with: plan.trunk) {
      (stripped, first) = (Array(national.dropFirst(plan.trunk.count)), plan.trunk.first)
    } else {
      return digits
    }
    guard CallingCodes.isLong(stripped, plan.code),
      first == 0x30 || !CallingCodes.isLong(national, plan.code)
    else { return digits }
    return plan.code + stripped
  }

  /// A number in full as it is dialled within its country, where that is written with digits amid it.
  static func dialledWithin(_ full: [UInt8]) -> [UInt8]? {
    guard let (plan, national) = CallingCodes.plan(of: full),
      CallingCodes.isLong(national, plan.code)
    else { return nil }
    return plan.pattern?.dialled(national)
  }

  /// A number as it is dialled within some country, in full for each one it can be of.
  ///
  /// - Returns: Nothing for a number without a national prefix, or where the country is known.
  func fullAbroad(_ digits: [UInt8]) -> [[UInt8]] {
    guard code.isEmpty else { return [] }
    let usual = CallingCodes.withPrefix.compactMap { country in
      digits.count > country.trunk.count && digits.starts(with: country.trunk)
        ? country.code + digits.dropFirst(country.trunk.count) : nil
    }
    return usual
      + CallingCodes.withPattern.compactMap { plan in
        guard let number = plan.unusual(digits), CallingCodes.isLong(number, plan.code) else {
          return nil
        }
        return plan.code + number
      }
  }
}

/// Countries by calling code, and the national prefix.
///
/// Sources: ITU-T E.164 (list of assigned country codes) and ITU-T E.164 annex "dialling procedures"
/// (national prefixes), both of the ITU's operational bulletins.
private enum CallingCodes {
  /// The codes of countries that have a national prefix, but for those where it is the code itself.
  static let withPrefix: [(code: [UInt8], trunk: [UInt8])] = table.split(separator: " ")
    .compactMap { line in
      let halves = line.split(separator: "/")
      guard halves.count == 2 else { return nil }
      let code = Array(halves[0].drop { !$0.isNumber }.utf8)
      let trunk = Array(halves[1].utf8)
      return code == trunk ? nil : (code, trunk)
    }

  /// By country; only where there is more than the national prefix.
  static let patterns = Dictionary(
    uniqueKeysWithValues: NumberingPlans.prefixes.split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      let rule = parts.count > 2 ? parts[2] : nil
      return (String(parts[0]), PrefixPattern(parts[1], rule: rule))
    }
  )

  /// Plans of the countries that numbers of a calling code belong to, unless they say otherwise, and the lengths
  /// of their national numbers, a bit for each.
  private static let byCode: [Int: (plan: DialingPlan, lengths: UInt32)] = Dictionary(
    uniqueKeysWithValues: NumberingPlans.lengths.split(separator: " ").compactMap { line in
      let parts = line.split(separator: "/")
      guard let code = Int(parts[0]), let plan = DialingPlan(country: String(parts[1])),
        let lengths = UInt32(parts[2], radix: 16)
      else { return nil }
      return (code, (plan, lengths))
    }
  )

  /// Those where a number may be known by what stands before it.
  static let withPattern = byCode.values.map(\.plan).filter {
    patterns[$0.countryName] != nil && $0.trunk != $0.code
  }
  .sorted { $0.code.lexicographicallyPrecedes($1.code) }

  /// The plan of a number with its calling code, and its digits behind that.
  static func plan(of digits: [UInt8]) -> (DialingPlan, national: [UInt8])? {
    var code = 0
    for (index, digit) in digits.prefix(3).enumerated() {
      code = code * 10 + Int(digit - 0x30)
      if let found = byCode[code] { return (found.plan, Array(digits[(index + 1)...])) }
    }
    return nil
  }

  /// Whether national numbers of a calling code may be so long.
  static func isLong(_ national: [UInt8], _ code: [UInt8]) -> Bool {
    let number = code.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard let lengths = byCode[number]?.lengths, national.count < 32 else { return false }
    return lengths >> UInt32(national.count) & 1 == 1
  }

  static let table = """
    AG,AI,AS,BB,BM,BS,CA,DM,DO,GD,GU,JM,KN,KY,LC,MP,MS,PR,SX,TC,TT,US,VC,VG,VI1/1 \
    EG20/0 SS211/0 EH,MA212/0 DZ213/0 TN216 LY218/0 GM220 SN221 MR222 ML223 GN224 CI225 BF226 NE227 \
    TG228 BJ229 MU230 LR231/0 SL232/0 GH233/0 NG234/0 TD235 CF236 CM237 CV238 ST239 GQ240 GA241 \
    CG242 CD243/0 AO244 GW245 IO246 SC248 SD249/0 RW250/0 ET251/0 SO252/0 DJ253 KE254/0 TZ255/0 \
    UG256/0 BI257 MZ258 ZM260/0 MG261/0 RE,YT262/0 ZW263/0 NA264/0 MW265/0 LS266 BW267 SZ268 KM269 \
    ZA27/0 SH290 ER291/0 AW297 FO298 GL299 \
    GR30 NL31/0 BE32/0 FR33/0 ES34 GI350 PT351 LU352 IE353/0 IS354 AL355/0 MT356 CY357 AX,FI358/0 \
    BG359/0 HU36/06 LT370/0 LV371 EE372 MD373/0 AM374/0 BY375/80 AD376 MC377 SM378 VA379 UA380/0 \
    RS381/0 ME382/0 XK383/0 HR385/0 SI386/0 BA387/0 MK389/0 IT39 RO40/0 CH41/0 CZ420 SK421/0 LI423 \
    AT43/0 GB,GG,IM,JE44/0 DK45 SE46/0 NO,SJ47 PL48 DE49/0 FK500 BZ501 GT502 SV503 HN504 NI505 \
    CR506 PA507 PM508/0 HT509 PE51/0 MX52 CU53/0 AR54/0 BR55/0 CL56 CO57 VE58/0 BL,GP,MF590/0 \
    BO591/0 GY592 EC593/0 GF594/0 PY595/0 MQ596/0 SR597/0 UY598/0 BQ,CW599 MY60/0 AU,CC,CX61/0 \
    ID62/0 PH63/0 NZ64/0 SG65 TH66/0 TL670 NF672 BN673 NR674 PG675 TO676 SB677 VU678 FJ679 PW680 \
    WF681 CK682 NU683 WS685 KI686 NC687 TV688 PF689 TK690 FM691 MH692 KZ,RU7/8 JP81/0 KR82/0 VN84/0 \
    KP850/0 HK852 MO853 KH855/0 LA856/0 CN86/0 BD880/0 TW886/0 TR90/0 IN91/0 PK92/0 AF93/0 LK94/0 \
    MM95/0 MV960 LB961/0 JO962/0 SY963/0 IQ964/0 KW965 SA966/0 YE967/0 OM968 PS970/0 AE971/0 \
    IL972/0 BH973 QA974 BT975 MN976/0 NP977/0 IR98/0 TJ992 TM993/8 AZ994/0 GE995/0 KG996/0 UZ998
    """
}
