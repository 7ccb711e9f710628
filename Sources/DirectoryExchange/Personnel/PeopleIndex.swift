import DirectoryModel

/// The ids of people by all that lists name them by: id, number, mail address, name and
/// distinguished name.
///
/// It holds every person of the files in memory, as hashes and ids, and is made only where a list
/// names people.
struct PeopleIndex {
  /// What a text finds.
  enum Result: Equatable {
    case id([UInt8])
    /// A number that none of the people has, though theirs look like it.
    case number([UInt8])
    case none, several
  }

  /// What is known of a person; empty where it is not.
  struct Person {
    var id: [UInt8]
    var name: [UInt8] = []
    var address: [UInt8] = []
    var number: [UInt8] = []
    var distinguishedName: [UInt8] = []
  }

  private enum Key: UInt8 {
    case id, idInAnyCase, number, address, name, distinguishedName, withoutZeros
  }

  private static let several: Int32 = -1

  private var ids: [[UInt8]] = []
  /// Places in `ids` by the hash of a text and what it is.
  private var found: [UInt64: Int32] = [:]
  /// The forms of the people's ids and numbers.
  private var shapes: Set<[UInt8]> = []

  var isEmpty: Bool { ids.isEmpty }

  // MARK: Filling

  mutating func add(_ person: Person) {
    let id = person.id
    guard !id.isEmpty else { return }
    let key = Self.hash(id, .id)
    let place = found[key] ?? Int32(ids.count)
    if found[key] == nil {
      ids.append(id)
      found[key] = place
      note(number: id)
      let lowered = Self.lowered(id)
      if lowered != id { add(lowered, .idInAnyCase, place) }
    }
    add(person.number, .number, place)
    note(number: person.number)
    add(Self.lowered(person.address), .address, place)
    addName(person.name, place)
    if let key = Self.key(ofDN: person.distinguishedName) { add(key, .distinguishedName, place) }
  }

  private mutating func addName(_ name: [UInt8], _ place: Int32) {
    add(Self.comparedName(name), .name, place)
    if name.contains(UInt8(ascii: ",")), let turned = WrittenReference.turned(name) {
      add(Self.comparedName(turned), .name, place)
    }
    // `Jan Berg (JAW0005)` as the name itself.
    if name.last == UInt8(ascii: ")"), let open = name.lastIndex(of: UInt8(ascii: "(")), open > 0 {
      add(Self.comparedName(Array(name[..<open])), .name, place)
    }
  }

  private mutating func add(_ text: [UInt8], _ key: Key, _ place: Int32) {
    guard !text.isEmpty else { return }
    let hash = Self.hash(text, key)
    switch found[hash] {
    case nil: found[hash] = place
    case place, Self.several: break
    default: found[hash] = Self.several
    }
  }

  private mutating func note(number: [UInt8]) {
    guard number.contains(where: WrittenReference.isDigit) else { return }
    if shapes.count < 1_000 { shapes.insert(WrittenReference.shape(of: number)) }
    if number.first == UInt8(ascii: "0"), number.allSatisfy(WrittenReference.isDigit) {
      let place = found[Self.hash(number, .id)] ?? found[Self.hash(number, .number)]
      let stripped = Array(number.drop { $0 == UInt8(ascii: "0") })
      if let place, place >= 0 { add(stripped, .withoutZeros, place) }
    }
  }

  // MARK: Looking up

  /// Finds whom a text names.
  ///
  /// A number decides where there is one; a name only where one person has it. Then come parts of
  /// the text, as `WrittenReference` has them, and the first part of a distinguished name.
  func look(for text: [UInt8]) -> Result {
    if let place = whole(text) { return .id(ids[place]) }
    if text.contains(UInt8(ascii: "=")),
      let name = DistinguishedName(ofOthers: String(decoding: text, as: UTF8.self))
    {
      return look(for: name)
    }
    return look(for: WrittenReference(text))
  }

  /// The person whom a text names as it stands.
  private func whole(_ text: [UInt8]) -> Int? {
    place(ofNumber: text) ?? one(Self.lowered(text), .address)
      ?? one(Self.comparedName(text), .name)
  }

  private func place(ofNumber text: [UInt8]) -> Int? {
    if let place = one(text, .id) ?? one(text, .number) { return place }
    let lowered = Self.lowered(text)
    return one(lowered, .id) ?? one(lowered, .idInAnyCase)
  }

  /// The part that is nearest tells who it is (RFC 4514 §2.3).
  private func look(for name: DistinguishedName) -> Result {
    if let place = one(Self.key(of: name), .distinguishedName) { return .id(ids[place]) }
    var isSeveral = false
    for attribute in name.parts.first ?? [] {
      let value = Array(attribute.value.utf8)
      if let place = whole(value) { return .id(ids[place]) }
      switch look(for: WrittenReference(value)) {
      case .none: continue
      case .several: isSeveral = true
      case .number: continue
      case .id(let id): return .id(id)
      }
    }
    return isSeveral ? .several : .none
  }

  private func look(for reference: WrittenReference) -> Result {
    let named = place(ofNames: reference.names)
    var numbered = Set(reference.numbers.compactMap { place(ofNumber: $0) })
    if numbered.isEmpty {
      numbered = Set(reference.numbers.compactMap { one(Self.withoutZeros($0), .withoutZeros) })
    }
    if numbered.isEmpty {
      // A word that stands with a name is its number unless the name is another person's.
      for (number, name) in reference.words {
        guard let place = place(ofNumber: number) else { continue }
        let other = self.place(ofNames: [name])
        if case .one(let other) = other, other != place { return .several }
        numbered.insert(place)
      }
    }
    if numbered.isEmpty {
      numbered = Set(reference.addresses.compactMap { one(Self.lowered($0), .address) })
    }
    if numbered.count == 1, let place = numbered.first { return .id(ids[place]) }
    if numbered.count > 1 { return .several }
    // `Jan Berg 2` is a name, too.
    let words = reference.words.map(\.number).filter { $0.count > 2 }
    let unknown = (reference.numbers + words).first {
      $0.contains(where: WrittenReference.isDigit)
        && shapes.contains(WrittenReference.shape(of: $0))
    }
    if let unknown { return .number(unknown) }
    switch named {
    case .one(let place): return .id(ids[place])
    case .several: return .several
    case .none: return .none
    }
  }

  private enum Named {
    case none, several
    case one(Int)
  }

  private func place(ofNames names: [[UInt8]]) -> Named {
    for name in names {
      for form in WrittenReference.forms(of: name) {
        switch found[Self.hash(Self.comparedName(form), .name)] {
        case nil: continue
        case Self.several: return .several
        case let place?: return .one(Int(place))
        }
      }
    }
    return .none
  }

  private func one(_ text: [UInt8], _ key: Key) -> Int? {
    guard !text.isEmpty, let place = found[Self.hash(text, key)], place >= 0 else { return nil }
    return Int(place)
  }

  // MARK: Keys

  private static func hash(_ text: [UInt8], _ key: Key) -> UInt64 {
    (text + [key.rawValue]).withUnsafeBytes { XXHash64.digest($0) }
  }

  private static func lowered(_ text: [UInt8]) -> [UInt8] {
    text.allSatisfy { $0 < 0x80 }
      ? text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      : Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
  }

  private static func comparedName(_ text: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    lowered(text).withUnsafeBytes { _ = CellText.append($0, to: &key) }
    return key
  }

  private static func withoutZeros(_ text: [UInt8]) -> [UInt8] {
    text.allSatisfy(WrittenReference.isDigit) ? Array(text.drop { $0 == UInt8(ascii: "0") }) : []
  }

  private static func key(of name: DistinguishedName) -> [UInt8] {
    Array(name.comparedParts.joined(separator: "\u{2}").utf8)
  }

  private static func key(ofDN text: [UInt8]) -> [UInt8]? {
    guard !text.isEmpty else { return nil }
    return DistinguishedName(ofOthers: String(decoding: text, as: UTF8.self)).map { key(of: $0) }
  }
}
