/// How telephone numbers are dialled in a country: its calling code, and what comes before a number
/// within the country.
package struct DialingPlan: Sendable, Hashable {
  /// Digits of the calling code; empty where no country is known.
  let code: [UInt8]
  /// The national prefix, which goes where the calling code comes; often `0`, may be empty.
  let trunk: [UInt8]

  /// Without a country: only numbers that state their own are known in full.
  package static let unknown = DialingPlan(code: [], trunk: [])

  private init(code: [UInt8], trunk: [UInt8]) {
    self.code = code
    self.trunk = trunk
  }

  /// As an index states them.
  var text: [UInt8] { code + [UInt8(ascii: "/")] + trunk }

  init?(text: [UInt8]) {
    let halves = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    self.init(code: Array(halves[0]), trunk: Array(halves[1]))
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
    if isInternational { return digits }
    // ITU-T E.164 recommends 00 for calls abroad; numbers within the country do not begin so.
    if digits.count > 4, digits.starts(with: [0x30, 0x30]) { return Array(digits.dropFirst(2)) }
    guard !code.isEmpty else { return digits }
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

  /// A number as it is dialled within some country, in full for each one it can be of.
  ///
  /// - Returns: Nothing for a number without a national prefix, or where the country is known.
  func fullAbroad(_ digits: [UInt8]) -> [[UInt8]] {
    guard code.isEmpty else { return [] }
    return CallingCodes.withPrefix.compactMap { country in
      digits.count > country.trunk.count && digits.starts(with: country.trunk)
        ? country.code + digits.dropFirst(country.trunk.count) : nil
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
