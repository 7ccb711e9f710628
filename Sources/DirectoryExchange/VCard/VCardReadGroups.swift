import DirectoryModel

/// The groups of an address book, and whom they name.
struct VCardGroups {
  /// Ids of departments that cards stand for and that ways of names lead to as well.
  private(set) var ways: Set<[UInt8]> = []
  /// Departments by the UID of a member.
  private var memberships: [[UInt8]: [[UInt8]]] = [:]
  /// The ids of people by UID, where others may name them.
  private(set) var people: [[UInt8]: [UInt8]] = [:]

  /// Reads a whole file; what is wrong with it is told when it is read again.
  mutating func read(_ file: InputFile, withPeople: Bool) throws(DirectoryError) {
    var cards = try VCardCards(file)
    while let card = cards.next() {
      try? take(card)
      if withPeople { try? takePerson(card) }
    }
  }

  private mutating func takePerson(_ card: VCardCard) throws(VCardError) {
    guard !card.isGroup, let uid = card.all(VCardProperty.uid).first else { return }
    people[VCardCard.comparedUID(uid.value)] = try card.identifier()
  }

  private mutating func take(_ card: VCardCard) throws(VCardError) {
    // Cards of ours say by themselves where they belong.
    guard card.isGroup, try card.own(VCardProperty.id) == nil else { return }
    let id = try Self.id(of: card)
    if try Self.wayID(of: card) == id { ways.insert(id) }
    for property in card.all(VCardProperty.member) + card.all(VCardProperty.appleMember) {
      memberships[VCardCard.comparedUID(property.value), default: []].append(id)
    }
  }

  /// Whom groups name, each once.
  var memberCount: Int { memberships.count }

  /// Ids of the departments that name a person's card as a member.
  func departments(of card: VCardCard) -> [[UInt8]] {
    guard let uid = card.all(VCardProperty.uid).first else { return [] }
    return memberships[VCardCard.comparedUID(uid.value)] ?? []
  }

  /// The id of a group: our own, that of the way of names that it ends, its UID, or its name.
  static func id(of card: VCardCard) throws(VCardError) -> [UInt8] {
    if let id = try card.own(VCardProperty.id) { return id }
    if let way = try wayID(of: card) { return way }
    if let uid = try card.identifier() { return uid }
    return try card.name() ?? []
  }

  private static func wayID(of card: VCardCard) throws(VCardError) -> [UInt8]? {
    let name = try card.name()
    guard let way = try card.ways().first?.names, way.last == name else { return nil }
    return id(ofWay: way[...])
  }

  /// A way of names as an id: the names with slashes between them (`PathText`); where that is longer
  /// than an id can be, its SHA-256.
  static func id(ofWay way: ArraySlice<[UInt8]>) -> [UInt8] {
    var id: [UInt8] = []
    for (index, name) in way.enumerated() {
      name.withUnsafeBytes { PathText.append(name: $0, isFirst: index == 0, to: &id) }
    }
    return OversizedID.id(of: id)
  }
}

extension VCardCard {
  var isGroup: Bool {
    (all(VCardProperty.kind) + all(VCardProperty.appleKind)).contains {
      ["group", "org"].contains(String(decoding: $0.value, as: UTF8.self).lowercased())
    }
  }

  /// A value of ours, percent-decoded.
  func own(_ name: String) throws(VCardError) -> [UInt8]? {
    guard let property = all(name).first else { return nil }
    let id = try property.id()
    return id.isEmpty ? nil : id
  }

  /// Our own id, else the UID.
  func identifier() throws(VCardError) -> [UInt8]? {
    if let id = try own(VCardProperty.id) { return id }
    guard let uid = try text(VCardProperty.uid) else { return nil }
    return Self.bareUID(uid)
  }

  /// A UID without the prefix that makes it a URN (RFC 9562 §4).
  static func bareUID(_ uid: [UInt8]) -> [UInt8] {
    let prefix = Array("urn:uuid:".utf8)
    let start = uid.prefix(prefix.count).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    return start == prefix ? Array(uid.dropFirst(prefix.count)) : uid
  }

  /// A UID as members name it: of a UUID case does not count (RFC 9562 §4), nor whether the prefix
  /// is there, which Apple's address book writes for members alone.
  static func comparedUID(_ uid: [UInt8]) -> [UInt8] {
    let bare = bareUID(uid)
    guard bare.count < uid.count || isUUID(bare) else { return bare }
    return bare.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
  }

  /// Whether a text is a UUID: hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  private static func isUUID(_ text: [UInt8]) -> Bool {
    let groups = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// `FN`, else the parts of `N` in the order in which they are said.
  func name() throws(VCardError) -> [UInt8]? {
    // How it is read is another one (RFC 9554 §4.6).
    let formatted = all(VCardProperty.formattedName).filter { $0.words(of: "PHONETIC").isEmpty }
    for property in formatted {
      let text = VCardText.text(of: try property.text(), isOld: isOld)
      if !text.isEmpty { return text }
    }
    guard let property = all(VCardProperty.name).first else { return nil }
    var parts = VCardText.components(of: try property.text(), isOld: isOld)
    // Family, given, additional names, prefixes, suffixes (RFC 6350 §6.2.2).
    while parts.count < 5 { parts.append([]) }
    let said = [parts[3], parts[1], parts[2], parts[0], parts[4]].filter { !$0.isEmpty }
    return said.isEmpty ? nil : Array(said.joined(separator: [0x20]))
  }

  /// What a person's card is called: its name, else the organisation, as address books show it, else the mail
  /// address.
  ///
  /// - Parameter address: The preferred one.
  /// - Returns: `nil` for a card without any of them.
  /// - Throws: What is wrong with the card.
  func title(_ address: [UInt8]?) throws(VCardError) -> [UInt8]? {
    if let name = try name() { return name }
    return try ways().first?.names.first ?? address
  }

  /// Departments below each other in one `ORG`.
  static let deepestWay = 100

  /// The ways of names in `ORG`, from the outermost, empty parts left out.
  func ways() throws(VCardError) -> [(group: String, names: [[UInt8]])] {
    var ways: [(group: String, names: [[UInt8]])] = []
    for property in all(VCardProperty.organization) {
      let names = VCardText.components(of: try property.text(), isOld: isOld)
        .filter { RowCells.isNameable($0) }
      guard names.count <= Self.deepestWay else {
        throw VCardError(reason: "ORG has more than \(Self.deepestWay) parts")
      }
      if !names.isEmpty { ways.append((property.group, names)) }
    }
    return ways
  }

  /// The preferred address or number, else one for work; no fax or pager where there is another.
  ///
  /// - Returns: It, and the others.
  func preferred(_ name: String) throws(VCardError) -> (text: [UInt8]?, rest: [[UInt8]]) {
    var texts: [[UInt8]] = []
    var best: (rank: Int, place: Int)?
    for property in all(name) {
      let text = VCardText.text(of: try property.text(), isOld: isOld)
      guard !text.isEmpty else { continue }
      let rank = Self.rank(of: property)
      if best.map({ rank < $0.rank }) ?? true { best = (rank, texts.count) }
      texts.append(VCardText.number(of: property, text))
    }
    guard let best else { return (nil, []) }
    let text = texts.remove(at: best.place)
    return (text.isEmpty ? nil : text, texts)
  }

  private static func rank(of property: VCardReadProperty) -> Int {
    let types = Set(property.words(of: "TYPE"))
    if !types.isDisjoint(with: ["FAX", "PAGER", "MODEM", "TEXTPHONE"]) { return 200 }
    if let preference = property.words(of: "PREF").first.flatMap({ Int($0) }) {
      return min(max(preference, 1), 100)
    }
    if types.contains("PREF") { return 1 }
    if types.contains("WORK") { return 110 }
    return types.contains("CELL") ? 120 : types.contains("HOME") ? 140 : 130
  }
}
