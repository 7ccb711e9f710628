import DirectoryModel

/// Where declared fields stand in cards: under the property that the catalogue knows, and what that
/// cannot carry exactly in `VCardProperty.field`.
struct VCardFields: Sendable {
  /// A field's property.
  struct Place: Sendable {
    let field: Field
    /// Such as `TEL`.
    let property: String
    /// Such as `TYPE` and `CELL`, in upper case.
    let parameter: (name: String, value: String)?
    /// Place among the components of a structured value, from 0.
    let component: Int?
    /// The built-in field that has the first one of the property; this one takes the rest.
    let restOf: Field?
    /// The field's name in UTF-8.
    fileprivate let name: [UInt8]
    /// Whether RFC 6350 and RFC 9554 know it, and RFC 2426 does not.
    fileprivate let isNew: Bool
    /// What stands behind the property's name, in version 4 and in version 3.
    private let parameters: (v4: String, v3: String)

    fileprivate init(_ field: Field, _ spelling: String, restOf contact: Field?) {
      self.field = field
      restOf = contact
      let parts = spelling.uppercased().split(separator: ";")
      let head = parts[0].split(separator: "[")
      property = String(head[0])
      component = head.count > 1 ? Int(head[1].dropLast()).map { $0 - 1 } : nil
      let parameter = parts.dropFirst().first?.split(separator: "=").map(String.init)
      self.parameter = parameter.map { ($0[0], $0[1]) }
      name = Array(field.name.utf8)
      isNew =
        ["PRONOUNS", "LANG", "RELATED"].contains(property) || self.parameter?.name == "PHONETIC"
      parameters =
        self.parameter.map { (";\($0.name)=\($0.value.lowercased())", ";\($0.name)=\($0.value)") }
        ?? ("", "")
    }

    /// What stands behind the property's name.
    func parameters(_ version: VCardVersion) -> String {
      version == .v4 ? parameters.v4 : parameters.v3
    }
  }

  private let fields: [Field]
  /// In the catalogue's order.
  let places: [Place]

  init(_ declared: [Field], of owner: RecordKind) {
    fields = declared.of(owner)
    places = fields.known(as: \.vCard, of: owner)
      .filter { owner == .user || !$0.spelling.contains("[") }
      .map { Place($0.field, $0.spelling, restOf: $0.restOf) }
  }

  var isEmpty: Bool { fields.isEmpty }

  /// Names of the properties that fields have.
  var properties: Set<String> { Set(places.map(\.property)) }

  /// Whether cards may name people whom fields of theirs name.
  var namesPeople: Bool { places.contains { $0.field.kind == .person } }

  func place(of entry: RowValues.Entry) -> Place? { places.first { entry.isNamed($0.name) } }

  /// The field whose value is a component of the property, such as `N`.
  func name(ofComponent component: Int, of property: String) -> String? {
    places.first { $0.property == property && $0.component == component && !$0.field.isMultiple }?
      .field.name
  }

  func place(takingRestOf field: Field) -> Place? { places.first { $0.restOf == field } }

  func field(_ name: String) -> Field? { fields.first { $0.name == name } }

  /// The field that a property of a card is the value of.
  func place(claiming property: VCardReadProperty) -> Place? {
    places.first { place in
      guard place.property == property.name, place.component == nil, place.restOf == nil else {
        return false
      }
      guard let parameter = place.parameter else { return true }
      // Which script a name is read in does not matter.
      if parameter.name != "TYPE" { return !property.words(of: parameter.name).isEmpty }
      return property.words(of: parameter.name).contains(parameter.value)
        // An address is the one there is, whatever it is called.
        || place.property == "ADR"
    }
  }
}

extension VCardFields.Place {
  /// A value as the property has it; `nil` where it would not come back as it is.
  func written(_ value: [UInt8], _ version: VCardVersion) -> [UInt8]? {
    guard version == .v4 || !isNew, component == nil else { return nil }
    var text: [UInt8] = []
    switch field.kind {
    case .person: return nil
    case .date: return Self.written(date: value, version)
    case .url:
      let isPlain = !value.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }
      return isPlain ? value : nil
    case .text where property == "LANG":
      // A tag (RFC 5646 §2.1).
      let isTag = value.allSatisfy {
        (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
      return isTag && value.count > 1 ? value : nil
    case .text where property == "ADR":
      // It is unknown which part of it is what: all of it is the street (RFC 6350 §6.3.1).
      text.append(contentsOf: ";;".utf8)
      value.withUnsafeBytes { VCardText.append($0, to: &text) }
      text.append(contentsOf: ";;;;".utf8)
      return text
    default:
      value.withUnsafeBytes { VCardText.append($0, to: &text) }
      return text
    }
  }

  /// The value that stands in a property; `nil` where it is none of the kind.
  func value(in property: VCardReadProperty, isOld: Bool) throws(VCardError) -> [UInt8]? {
    let text = try property.text()
    var value: [UInt8]
    switch field.kind {
    case .date: value = Self.date(text, omittedYear: property.words(of: "X-APPLE-OMIT-YEAR").first)
    case .phone: value = VCardText.number(of: property, VCardText.text(of: text, isOld: isOld))
    case .text where property.name == "ADR":
      let parts = VCardText.components(of: text, isOld: isOld).filter { !$0.isEmpty }
      value = Array(parts.joined(separator: Array(", ".utf8)))
    default: value = VCardText.text(of: text, isOld: isOld)
    }
    return !value.isEmpty && field.kind.accepts(value) ? value : nil
  }

  /// `19850412`, `--0412` (RFC 6350 §4.3.1); `1985-04-12` (RFC 2426 §3.1.5).
  private static func written(date: [UInt8], _ version: VCardVersion) -> [UInt8]? {
    guard version == .v4 else { return date.count == 10 ? date : nil }
    return date.count == 10
      ? date.filter { $0 != UInt8(ascii: "-") } : Array("--".utf8) + date[2...3] + date[5...6]
  }

  /// A date, with or without hyphens, its time left out, and what some programs write behind it.
  ///
  /// Apple's address books write a day of no year in a year that its parameter names; 1604 is the one that they
  /// take, and is no year without the parameter, either.
  private static func date(_ text: [UInt8], omittedYear: String?) -> [UInt8] {
    let day = text.drop { $0 == 0x20 }.prefix { !"T ;".utf8.contains($0) }
    let digits = day.filter { $0 != UInt8(ascii: "-") }
    let year = String(decoding: digits.prefix(4), as: UTF8.self)
    switch digits.count {
    case 8 where year == "1604" || year == omittedYear:
      return Array("--".utf8) + digits[4..<6] + Array("-".utf8) + digits[6...]
    case 8: return digits[..<4] + Array("-".utf8) + digits[4..<6] + Array("-".utf8) + digits[6...]
    case 4 where day.starts(with: "--".utf8):
      return Array("--".utf8) + digits[..<2] + Array("-".utf8) + digits[2...]
    default: return []
    }
  }
}

extension VCardText {
  /// A number without the scheme of a URI (RFC 3966).
  static func number(of property: VCardReadProperty, _ text: [UInt8]) -> [UInt8] {
    let scheme = Array("tel:".utf8)
    let isURI = property.words(of: "VALUE") == ["URI"] && text.starts(with: scheme)
    return isURI ? Array(text.dropFirst(scheme.count)) : text
  }
}
