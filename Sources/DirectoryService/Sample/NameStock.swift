/// Common given and family names of one language, from which people are made who do not exist.
struct NameStock: Sendable {
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

  /// - Parameters:
  ///   - weight: Its share, against those of the other stocks.
  ///   - order: How the parts are put together.
  ///   - given: Names parted by blanks, each `Zoë/zoe`, or `Anna` alone where that is ASCII.
  ///   - family: The same.
  init(_ weight: Int, _ order: Order = .givenFirst, given: String, family: String) {
    self.weight = weight
    self.order = order
    self.given = Self.parts(given)
    self.family = Self.parts(family)
  }

  /// The parts in such a list.
  static func parts(_ list: String) -> [Part] {
    list.split(separator: " ").map { entry in
      let pair = entry.split(separator: "/")
      let native = String(pair[0])
      return Part(native: native, ascii: pair.count > 1 ? String(pair[1]) : lowercased(native))
    }
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

  init(_ given: NameStock.Part, _ family: NameStock.Part, _ order: NameStock.Order) {
    switch order {
    case .givenFirst: full = "\(given.native) \(family.native)"
    case .familyFirst(let separator): full = family.native + separator + given.native
    }
    address = "\(given.ascii).\(family.ascii)"
  }

  /// A name drawn from one of the stocks, each as likely as the next.
  static func draw(from stocks: [NameStock], _ random: inout SplitMix64) -> SampleName {
    let stock = random.pick(stocks)
    return SampleName(random.pick(stock.given), random.pick(stock.family), stock.order)
  }
}

extension NameStock {
  /// Every stock as many times as it has weight.
  static let byWeight: [NameStock] = (latin + otherScripts).flatMap {
    Array(repeating: $0, count: $0.weight)
  }
}
