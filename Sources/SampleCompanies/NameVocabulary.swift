/// Common given and family names of one language, from which people are made who do not exist.
///
/// Where a family name has a form for women and one for men, one language has one of the two.
struct NameVocabulary: Sendable {
  /// A name as it is written, and in ASCII as it stands in a mail address.
  struct Part: Sendable {
    let native: String
    let ascii: String
  }

  /// How a full name is put together.
  enum Order: Sendable {
    case givenFirst
    /// Family name first, with a space between or none.
    case familyFirst(separator: String)
  }

  let given: [Part]
  let family: [Part]
  let order: Order
  /// Its share, against those of the other stocks.
  let weight: Int
}

extension NameVocabulary.Part: Decodable {
  init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// - Parameter entry: `Zoë/zoe`, or `Anna` alone where that is ASCII.
  private init(_ entry: String) {
    let pair = entry.split(separator: "/", maxSplits: 1)
    native = String(pair[0])
    ascii = pair.count > 1 ? String(pair[1]) : Self.lowercased(native)
  }

  private static func lowercased(_ ascii: String) -> String {
    String(decoding: ascii.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

/// A person's name, as written and as a mail address has it.
struct SampleName: Sendable {
  let full: String
  /// `given.family` in ASCII.
  let address: String

  init(_ given: NameVocabulary.Part, _ family: NameVocabulary.Part, _ order: NameVocabulary.Order) {
    switch order {
    case .givenFirst: full = "\(given.native) \(family.native)"
    case .familyFirst(let separator): full = family.native + separator + given.native
    }
    address = "\(given.ascii).\(family.ascii)"
  }

  /// A name drawn from one of the stocks, each as likely as the next.
  static func draw(from stocks: [NameVocabulary], _ random: inout SplitMix64) -> SampleName {
    let stock = random.pick(stocks)
    return SampleName(random.pick(stock.given), random.pick(stock.family), stock.order)
  }
}
