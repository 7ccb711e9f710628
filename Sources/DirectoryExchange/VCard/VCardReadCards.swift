import DirectoryModel

/// A card's properties as they stand, of those that a directory has a use for.
struct VCardCard {
  /// Where it begins.
  var line = 0
  var properties: [VCardReadProperty] = []
  /// vCard 2.1.
  var isOld = false
  /// Names of what was passed over and is of people, not of the program that wrote the card.
  var leftOut: [String] = []

  static let wanted = Set<String>([
    VCardProperty.version, VCardProperty.kind, VCardProperty.uid, VCardProperty.formattedName,
    VCardProperty.name, VCardProperty.organization, VCardProperty.title, VCardProperty.note,
    VCardProperty.member, VCardProperty.id, VCardProperty.parent, VCardProperty.department,
    VCardProperty.primary, VCardProperty.order, VCardProperty.appleKind, VCardProperty.appleMember,
    VCardProperty.leads, VCardProperty.field,
  ]).union(VCardProperty.contacts.all)

  /// What is of the card itself, or says no more than other properties do.
  static let ofPrograms: Set = [
    VCardProperty.begin, VCardProperty.end, "PRODID", "REV", "CLASS", "MAILER", "CLIENTPIDMAP",
    "XML",
    "SORT-STRING", "LABEL", "PROFILE", "SOURCE", "X-ABLABEL", "X-ABADR", "X-ABUID", "X-ABSHOWAS",
    "X-MS-OL-DESIGN", "X-MS-OL-DEFAULT-POSTAL-ADDRESS",
  ]

  /// The first property of a name in each group of properties.
  func firstByGroup(_ name: String) -> [String: VCardReadProperty] {
    Dictionary(all(name).map { ($0.group, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func all(_ name: String) -> [VCardReadProperty] { properties.filter { $0.name == name } }

  /// The text of the first property of a name that is not empty.
  func text(_ name: String) throws(VCardError) -> [UInt8]? {
    for property in all(name) {
      let text = VCardText.text(of: try property.text(), isOld: isOld)
      if !text.isEmpty { return text }
    }
    return nil
  }
}

/// Reads cards of versions 2.1, 3.0 and 4.0, one by one: unfolded, what is inside others left out.
struct VCardCards: ~Copyable {
  /// Gets what is wrong, unless it is told when the file is read again.
  private let rows: ListRowBuilder?
  private var lines: TextLines
  /// Names of the properties that are kept.
  private let wanted: Set<String>

  /// - Parameters:
  ///   - file: The file, from its first byte.
  ///   - rows: Gets what is wrong, if it is to be told.
  ///   - fields: Names of the properties that declared fields have.
  /// - Throws: `.cannotRead`.
  init(
    _ file: InputFile,
    _ rows: ListRowBuilder? = nil,
    fields: Set<String> = []
  ) throws(DirectoryError) {
    self.rows = rows
    wanted = VCardCard.wanted.union(fields)
    lines = try TextLines(file)
  }

  /// The next card that can be read, or `nil` at the end.
  mutating func next() -> VCardCard? {
    do {
      while let (number, line, property) = try logicalLine(isOld: false) {
        guard let property else {
          rows?.refuse("is not a vCard property: \(Self.shown(line))", line: number)
          continue
        }
        if property.name == VCardProperty.begin, Self.isCard(property) {
          if let card = try readCard(number) { return card }
        } else {
          rows?.refuse("is outside a card: \(Self.shown(line))", line: number)
        }
      }
    } catch {
      rows?.refuse(error)
    }
    return nil
  }

  private static func shown(_ line: [UInt8]) -> String {
    guard line.withUnsafeBytes({ TextError.first(in: $0) }) == nil else {
      return "bytes that are not UTF-8"
    }
    return QuotedValue.text(line)
  }

  private static func isCard(_ property: VCardReadProperty) -> Bool {
    let value = property.value.filter { $0 != 0x20 }
    return String(decoding: value, as: UTF8.self).uppercased() == "VCARD"
  }

  /// The rest of a card; cards inside it (an agent's, in vCard 2.1) are passed over.
  private mutating func readCard(_ start: Int) throws(InputError) -> VCardCard? {
    var card = VCardCard(line: start)
    var depth = 0
    var isSound = true
    while let (number, line, property) = try logicalLine(isOld: card.isOld) {
      guard let property else {
        if depth == 0 {
          rows?.refuse("is not a vCard property: \(Self.shown(line))", line: number)
          isSound = false
        }
        continue
      }
      if property.name == VCardProperty.begin, Self.isCard(property) { depth += 1 }
      if property.name == VCardProperty.end, Self.isCard(property) {
        if depth == 0 { return isSound ? card : nil }
        depth -= 1
        continue
      }
      guard depth == 0 else {
        if depth == 1, property.name == VCardProperty.begin { card.leftOut.append("AGENT") }
        continue
      }
      guard wanted.contains(property.name) else {
        if !VCardCard.ofPrograms.contains(property.name), property.name != "AGENT" {
          card.leftOut.append(property.name)
        }
        continue
      }
      if property.name == VCardProperty.version {
        card.isOld = property.value.starts(with: "2".utf8)
      }
      card.properties.append(property)
    }
    rows?.refuse("the card that begins here does not end; the file may be truncated", line: start)
    return nil
  }

  // MARK: Lines

  /// A line with all that continues it, empty ones left out; of what is not read, such as
  /// photographs, only the beginning.
  ///
  /// A line that begins with a blank continues the one before: without the blank (RFC 6350 §3.2),
  /// in vCard 2.1 with it (§2.1.3). A quoted-printable line goes on behind a final `=`, and base64, as
  /// some phones write it, without a blank.
  private mutating func logicalLine(
    isOld: Bool
  ) throws(InputError) -> (number: Int, text: [UInt8], property: VCardReadProperty?)? {
    while let (number, first) = try lines.next() {
      guard first.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      var line = first
      var isChanged = false
      let property = VCardReadProperty(line)
      let isKept = property.map { wanted.contains($0.name) } ?? true
      let isQuoted = property?.isQuotedPrintable == true
      let isBase64 = property?.isBase64 == true
      var isContinued = isQuoted && line.last == UInt8(ascii: "=")
      while let more = try lines.next() {
        if isContinued {
          if isKept {
            line.removeLast()
            line += more.text
          }
          isContinued = more.text.last == UInt8(ascii: "=")
        } else if more.text.first == 0x20 || more.text.first == 0x09 {
          if isKept { line += isOld ? more.text[...] : more.text.dropFirst() }
          isContinued = isQuoted && more.text.last == UInt8(ascii: "=")
        } else if isBase64, Self.isBase64(more.text) {
          if isKept { line += more.text }
        } else {
          lines.putBack(more)
          break
        }
        isChanged = isChanged || isKept
        guard line.count <= ByteWindow.longestPiece else {
          throw InputError(
            line: number,
            reason: "the property is longer than \(ByteWindow.longestPiece >> 20) MiB"
          )
        }
      }
      return (number, line, isChanged ? VCardReadProperty(line) : property)
    }
    return nil
  }

  /// Whether a line is nothing but base64, in which no property can be written.
  private static func isBase64(_ line: [UInt8]) -> Bool {
    !line.isEmpty
      && line.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || "+/=".utf8.contains($0)
      }
  }
}
