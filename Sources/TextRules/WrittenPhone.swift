/// A telephone number as people write it: what is dialled, and the extension that is asked for then.
///
/// | text | digits | extension |
/// | --- | --- | --- |
/// | `+1 (650) 253-0000 x136` | 16502530000 | 136 |
/// | `030 1234567 Durchwahl 12`, `030 1234567,12` | 0301234567 | 12 |
/// | `+49 (0)30 1234` | 49301234 | |
/// | `1-800-FLOWERS` | 1800, spelled 18003569377 | |
/// | `ext. 136` | | 136 |
///
/// Marks of extensions are those of RFC 3966 §5.3 (`;ext=`), of keypads (`,` for a pause, `#`) and the
/// words that countries have; letters are those of ITU-T E.161.
package struct WrittenPhone: Hashable, Sendable {
  /// ASCII digits without a `(0)` behind the country code.
  package private(set) var digits: [UInt8] = []
  /// Whether a plus stands before them.
  package private(set) var isInternational = false
  /// The digits behind a mark of an extension.
  package private(set) var `extension`: [UInt8] = []
  /// The digits with those of the letters that continue them; empty where there are no such letters.
  package private(set) var spelled: [UInt8] = []

  /// Whether there is nothing but a number and an extension that is marked as one, or that alone.
  package private(set) var isWithExtension = false

  /// More digits than this are cut: E.164 allows 15, carrier codes take some.
  package static let most = 32
  /// E.164 §6.
  private static let longestNumber = 15
  /// The longest extension (libphonenumber: `ext_limit_after_explicit_label`).
  private static let longestExtension = 20
  /// Other words end a number that has so many digits.
  private static let fewestBeforeWords = 5

  /// Reads a text.
  ///
  /// - Parameter folded: Folded UTF-8, so that digits of all scripts are ASCII.
  /// - Complexity: O(n).
  package init(folded: [UInt8]) {
    // How much of "(0)" was read; the parentheses and what is between them then go.
    var group = 0
    var hasLetters = false
    var end = folded.count
    var at = 0
    scan: while at < folded.count {
      let byte = folded[at]
      switch byte {
      case 0x30...0x39:
        digits.append(byte)
        group = group == 1 && byte == 0x30 ? 2 : 0
        if digits.count >= Self.most { break scan }
      case UInt8(ascii: "+") where digits.isEmpty:
        isInternational = true
      case UInt8(ascii: "("):
        group = digits.isEmpty ? 0 : 1
      case UInt8(ascii: ")"):
        if group == 2, isInternational || digits.starts(with: [0x30, 0x30]) { digits.removeLast() }
        group = 0
      case 0x61...0x7A, UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: ","), 0x80...:
        if let found = Self.extension(in: folded, at: at, after: digits.count) {
          `extension` = found.digits
          isWithExtension = found.isMarked && found.isLast && !hasLetters
          end = at
          break scan
        }
        if byte >= 0x80 {
          hasLetters = true
        } else {
          if digits.count >= Self.fewestBeforeWords { break scan }
          if byte >= 0x61 { hasLetters = true }
        }
        group = 0
      default:
        if byte != 0x20 { group = 0 }
      }
      at += 1
    }
    if hasLetters { spelled = Self.spelled(folded[..<end]) }
  }

  /// Reads a text as it stands in a record.
  package init(_ text: String) { self.init(folded: Array(Folding.fold(text).utf8)) }

  // MARK: - Extensions

  /// Words before an extension, folded; longer ones before those that begin them.
  private static let marks: [[UInt8]] = [
    "extension", "extensao", "extn", "ext", "xt", "x", "durchwahl", "dw", "apparat", "app",
    "nebenstelle",
    "nst", "poste", "interno", "int", "anexo", "ramal", "toestel", "tst", "anknytning", "ankn",
    "lokal", "lok", "wewnetrzny", "wewn", "wew", "linka", "klapka", "доб", "дод", "вн", "内線",
    "内线", "分机", "分機", "转", "轉", "내선", "داخلی", "داخلي", "שלוחה", "εσωτ",
  ].map { Array(Folding.fold($0).utf8) }

  /// The digits of an extension whose mark stands at an offset; `nil` where none does.
  ///
  /// - Parameters:
  ///   - text: Folded UTF-8.
  ///   - start: Where the mark may stand.
  ///   - count: Digits before it.
  /// - Returns: The digits, whether a word or `#` says what they are, and whether nothing follows.
  private static func `extension`(
    in text: [UInt8],
    at start: Int,
    after count: Int
  ) -> (digits: [UInt8], isMarked: Bool, isLast: Bool)? {
    var at = start
    func skip(_ signs: String) {
      while at < text.count, signs.utf8.contains(text[at]) { at += 1 }
    }
    // Behind a letter a word goes on.
    if start > 0, text[start] >= 0x61, isLetter(text[start - 1]) { return nil }
    skip(";, ")
    let isPause = at > start
    let rest = text[at...]
    var isMarked = false
    if let mark = marks.first(where: { rest.starts(with: $0) }) {
      at += mark.count
      isMarked = true
    } else if at < text.count, text[at] == UInt8(ascii: "#") {
      at += 1
    } else if !isPause {
      return nil
    }
    // A bare sign says so behind a number alone; a word also behind a short one, or alone.
    guard isMarked ? count == 0 || count > 2 : count >= fewestBeforeWords else { return nil }
    if isMarked, at < text.count, isLetter(text[at]) { return nil }
    skip(".:= -#")
    let digits = text[at...].prefix { (0x30...0x39).contains($0) }
    guard (1...longestExtension).contains(digits.count) else { return nil }
    // Behind a comma there may be another number.
    let behind = text[digits.endIndex...]
    let isLast = !behind.contains { (0x30...0x39).contains($0) || isLetter($0) }
    guard isMarked && count > 0 || isLast && digits.count <= 9 else { return nil }
    return (Array(digits), isMarked, isLast)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || byte >= 0x80
  }

  /// Whether a folded word says that an extension follows, whatever stands before it.
  package static func isMark(_ word: [UInt8]) -> Bool {
    let letters = word.prefix { !".:=".utf8.contains($0) }
    return marks.contains { letters.elementsEqual($0) } && !ambiguous.contains(Array(letters))
      && word[letters.endIndex...].allSatisfy { ".:=".utf8.contains($0) }
  }

  /// Marks that are words of titles and departments too.
  private static let ambiguous = Set(
    ["app", "int", "interno", "poste", "lok", "lokal", "linka", "klapka", "вн", "转", "轉"]
      .map { Array(Folding.fold($0).utf8) }
  )

  // MARK: - Letters

  /// Keys of a to z (ITU-T E.161).
  private static let keys = Array("22233344455566677778889999".utf8)

  /// A number that begins with digits and goes on in letters, in digits; empty for other texts.
  private static func spelled(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    var letters = 0
    for byte in text {
      switch byte {
      case 0x30...0x39: digits.append(byte)
      case 0x61...0x7A:
        guard !digits.isEmpty else { return [] }
        letters += 1
        digits.append(keys[Int(byte - 0x61)])
      case 0x20, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("),
        UInt8(ascii: ")"), UInt8(ascii: "/"):
        break
      default: return []
      }
    }
    return letters >= 3 && digits.count - letters >= 2 && (7...15).contains(digits.count)
      ? digits : []
  }

  // MARK: - Dialling

  /// A number and its extension as a link dials them (RFC 3966 §3, §5.3), such as
  /// `tel:+16502530000;ext=136`.
  ///
  /// Letters are dialled where they are capitals, as those of a number's word are: `4711 intern` is 4711.
  ///
  /// - Returns: `nil` where there is nothing to dial.
  package static func link(_ text: String) -> String? {
    let phone = WrittenPhone(text)
    // Two numbers, of which one call is made.
    if phone.digits.count > longestNumber,
      let end = text.firstIndex(where: { "/|\n".contains($0) }),
      let first = link(String(text[..<end]))
    {
      return first
    }
    let isWord =
      !phone.spelled.isEmpty
      && !text.unicodeScalars.prefix { $0 != ";" }.contains {
        ("a"..."z").contains($0) && $0 != "x"
      }
    let digits = isWord ? phone.spelled : phone.digits
    if digits.isEmpty, phone.extension.isEmpty {
      // Services of a network, such as *21#.
      return nil
    }
    var link = "tel:" + (phone.isInternational ? "+" : "")
    if digits.isEmpty { return link + String(decoding: phone.extension, as: UTF8.self) }
    if phone.extension.isEmpty, let service = service(text) { return "tel:" + service }
    link += String(decoding: digits, as: UTF8.self)
    if !phone.extension.isEmpty {
      link += ";ext=" + String(decoding: phone.extension, as: UTF8.self)
    }
    return link
  }

  /// A code with stars and hashes and nothing but these and digits.
  private static func service(_ text: String) -> String? {
    let signs = text.filter { $0 != " " && $0 != "-" }
    guard signs.contains(where: { $0 == "*" || $0 == "#" }),
      signs.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "*" || $0 == "#") })
    else { return nil }
    return signs.replacing("#", with: "%23")
  }
}
