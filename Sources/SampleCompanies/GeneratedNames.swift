/// Names of one language for a company of any size: those of its stock, and many more that are put
/// together the way its names are.
///
/// Among a million people some 350,000 different full names come about, of some 75,000 different
/// words: most people bear a name that others have too, as in every large directory.
struct GeneratedNames: Sendable {
  private let given: NamePartChoice
  private let family: NamePartChoice
  private let order: NameVocabulary.Order
  /// How many of a hundred people have a second given name, and a second family name.
  private let secondGiven: Int
  private let secondFamily: Int
  private let familySeparator: [UInt8]

  /// What a language has beside its common names.
  struct Parts: Decodable {
    /// Further given names.
    let given: [NameVocabulary.Part]?
    /// Beginnings and ends of which further ones are made.
    let givenBeginnings: [NameVocabulary.Part]?
    let givenEnds: [NameVocabulary.Part]?
    /// How many of a hundred have two.
    let secondGiven: Int?
    /// The same of family names.
    let family: [NameVocabulary.Part]?
    let familyBeginnings: [NameVocabulary.Part]?
    let familyEnds: [NameVocabulary.Part]?
    let secondFamily: Int?
    /// What stands between two family names.
    let familySeparator: String?
  }

  /// - Parameters:
  ///   - stock: Names that are common, and how full ones are put together.
  ///   - parts: What further ones there are.
  init(_ stock: NameVocabulary, _ parts: Parts) {
    given = NamePartChoice(stock.given, parts.given, parts.givenBeginnings, parts.givenEnds)
    family = NamePartChoice(stock.family, parts.family, parts.familyBeginnings, parts.familyEnds)
    order = stock.order
    secondGiven = parts.secondGiven ?? 0
    secondFamily = parts.secondFamily ?? 0
    familySeparator = Array((parts.familySeparator ?? "").utf8)
  }

  /// Appends a name as it is written; it holds nothing that CSV quotes.
  ///
  /// - Returns: The same name for a mail address, `given.family` in ASCII.
  func append(to bytes: inout [UInt8], _ random: inout SplitMix64) -> GeneratedName {
    let name = GeneratedName(given: given.draw(&random), family: family.draw(&random))
    let second = random.below(100) < secondGiven ? given.draw(&random) : nil
    switch order {
    case .givenFirst:
      name.given.append(to: &bytes)
      append(UInt8(ascii: " "), second, to: &bytes)
      bytes.append(UInt8(ascii: " "))
      appendFamily(name.family, to: &bytes, &random)
    case .familyFirst(let separator):
      appendFamily(name.family, to: &bytes, &random)
      bytes.append(contentsOf: separator.utf8)
      name.given.append(to: &bytes)
      append(UInt8(ascii: " "), second, to: &bytes)
    }
    return name
  }

  private func append(_ separator: UInt8, _ part: GeneratedNamePart?, to bytes: inout [UInt8]) {
    guard let part else { return }
    bytes.append(separator)
    part.append(to: &bytes)
  }

  private func appendFamily(
    _ first: GeneratedNamePart,
    to bytes: inout [UInt8],
    _ random: inout SplitMix64
  ) {
    first.append(to: &bytes)
    guard random.below(100) < secondFamily else { return }
    bytes.append(contentsOf: familySeparator)
    family.draw(&random).append(to: &bytes)
  }
}

/// A given or a family name: whole, or a beginning and an end.
struct GeneratedNamePart: Sendable {
  fileprivate let beginning: EncodedPart
  fileprivate let end: EncodedPart?

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: beginning.native)
    if let end { bytes.append(contentsOf: end.native) }
  }

  fileprivate func appendASCII(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: beginning.ascii)
    if let end { bytes.append(contentsOf: end.ascii) }
  }
}

/// What a mail address is made of.
struct GeneratedName: Sendable {
  fileprivate let given: GeneratedNamePart
  fileprivate let family: GeneratedNamePart

  func appendAddress(to bytes: inout [UInt8]) {
    given.appendASCII(to: &bytes)
    bytes.append(UInt8(ascii: "."))
    family.appendASCII(to: &bytes)
  }
}

private struct EncodedPart: Sendable {
  let native: [UInt8]
  let ascii: [UInt8]

  init(_ part: NameVocabulary.Part) {
    native = Array(part.native.utf8)
    ascii = Array(part.ascii.utf8)
  }
}

/// What a part of a name is drawn from.
private struct NamePartChoice: Sendable {
  private let common: [EncodedPart]
  private let beginnings: [EncodedPart]
  private let ends: [EncodedPart]

  init(
    _ stock: [NameVocabulary.Part],
    _ further: [NameVocabulary.Part]?,
    _ beginnings: [NameVocabulary.Part]?,
    _ ends: [NameVocabulary.Part]?
  ) {
    common = ((further ?? []) + stock).map { EncodedPart($0) }
    self.beginnings = (beginnings ?? []).map { EncodedPart($0) }
    self.ends = (ends ?? []).map { EncodedPart($0) }
  }

  /// Every second one is made where there is anything to make it of; of the others those that stand
  /// first in the list are more common.
  func draw(_ random: inout SplitMix64) -> GeneratedNamePart {
    if !beginnings.isEmpty, random.oneIn(2) {
      return GeneratedNamePart(beginning: random.pick(beginnings), end: random.pick(ends))
    }
    let place = min(random.below(common.count), random.below(common.count))
    return GeneratedNamePart(beginning: common[place], end: nil)
  }
}
