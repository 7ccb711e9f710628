import DirectoryModel

/// Where declared fields stand in entries: in the attribute that the catalogue knows, and what that
/// cannot carry exactly in `LDIFExtra.field`.
struct LDIFFields: Sendable {
  /// A field's attribute.
  struct Place: Sendable {
    let field: Field
    /// As servers spell it.
    let attribute: String
    /// The built-in field that has the attribute's first value; this one takes the rest.
    let restOf: Field?
    /// The attribute in small letters.
    let key: String
    /// The field's name in UTF-8.
    fileprivate let name: [UInt8]
    fileprivate let isSingleValued: Bool

    fileprivate init(_ field: Field, _ attribute: String, restOf contact: Field?) {
      self.field = field
      self.attribute = attribute
      restOf = contact
      key = attribute.lowercased()
      name = Array(field.name.utf8)
      isSingleValued = LDIFFields.singleValued.contains(attribute)
    }
  }

  /// Attributes with one value at most (RFC 2798 §2.4, §2.7).
  private static let singleValued: Set = ["employeeNumber", "preferredLanguage"]
  /// Attributes whose values are telephone numbers (RFC 4517 §3.3.31, §3.3.11).
  private static let numbers: Set = [
    "mobile", "homePhone", "facsimileTelephoneNumber", "telephoneNumber",
  ]
  /// Attributes whose values are ASCII (RFC 4524 §2.16).
  private static let ascii: Set = ["mail"]

  private let fields: [Field]
  let places: [Place]

  init(_ declared: [Field], of owner: RecordKind) {
    fields = declared.of(owner)
    places = fields.known(as: \.ldap, of: owner)
      .map { Place($0.field, $0.spelling, restOf: $0.restOf) }
  }

  /// Names of the attributes that fields have, in small letters.
  var attributes: Set<String> { Set(places.map(\.key)) }

  var namesPeople: Bool { places.contains { $0.field.kind == .person } }

  func field(_ name: String) -> Field? { fields.first { $0.name == name } }

  func place(of entry: RowValues.Entry) -> Place? { places.first { entry.isNamed($0.name) } }

  func has(_ attribute: String) -> Bool { places.contains { $0.key == attribute } }
}

extension LDIFFields.Place {
  /// Values as the attribute has them; `nil` where they would not come back as they are, or where a
  /// server would not take them.
  ///
  /// People are written by the encoder, which knows their entries.
  func written(_ entry: RowValues.Entry, beside row: RowFields) -> [[UInt8]]? {
    guard !entry.isSeveral || !isSingleValued || entry.values.count == 1 else { return nil }
    // A server compares values without regard to case and takes each once.
    var compared: Set<String> = []
    if let field = restOf {
      guard let first = row.contacts?[field], !first.isEmpty,
        LDIFFields.isTaken(first, by: attribute)
      else { return nil }
      compared.insert(Self.compared(first))
    }
    var written: [[UInt8]] = []
    let values = entry.values
    let isCompared = restOf != nil || values.count > 1
    for value in values {
      let isFit = value.withUnsafeBytes { LDIFFields.isTaken($0, by: attribute) }
      let isNew =
        !isCompared || value.withUnsafeBytes { compared.insert(Self.compared($0)).inserted }
      guard isFit, isNew else { return nil }
      // As it would be if it were unknown which part of the name is the family's.
      if key == "sn", value.elementsEqual(row.name) { return nil }
      written.append(attribute == "postalAddress" ? Self.postalAddress(value) : value)
    }
    return written
  }

  /// The value that an attribute has; `nil` where it is none of the kind.
  func value(_ value: [UInt8]) -> [UInt8]? {
    var read = value
    switch key {
    case "postaladdress": read = Self.text(ofPostalAddress: value)
    // A label may follow (RFC 2079).
    case "labeleduri": read = Array(value.prefix { $0 != 0x20 })
    default: break
    }
    return !read.isEmpty && field.kind.accepts(read) ? read : nil
  }

  private static func compared(_ value: UnsafeRawBufferPointer) -> String {
    String(decoding: value.filter { $0 != 0x20 && $0 != UInt8(ascii: "-") }, as: UTF8.self)
      .lowercased()
  }

  /// Lines parted by dollar signs (RFC 4517 §3.3.28).
  private static func postalAddress(_ text: [UInt8]) -> [UInt8] {
    var address: [UInt8] = []
    for byte in text {
      switch byte {
      case UInt8(ascii: "$"): address.append(text: "\\24")
      case UInt8(ascii: "\\"): address.append(text: "\\5C")
      case 0x0A: address.append(UInt8(ascii: "$"))
      default: address.append(byte)
      }
    }
    return address
  }

  private static func text(ofPostalAddress address: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var rest = address[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "$") {
        text.append(0x0A)
      } else if byte == UInt8(ascii: "\\"), let low = rest.dropFirst().first, let high = rest.first,
        high == UInt8(ascii: "2") && low == UInt8(ascii: "4")
          || high == UInt8(ascii: "5") && low | 0x20 == UInt8(ascii: "c")
      {
        text.append(high == UInt8(ascii: "2") ? UInt8(ascii: "$") : UInt8(ascii: "\\"))
        rest = rest.dropFirst(2)
      } else {
        text.append(byte)
      }
    }
    return text
  }
}

extension LDIFFields {
  /// Whether a server takes a value of an attribute.
  static func isTaken(_ value: UnsafeRawBufferPointer, by attribute: String) -> Bool {
    if ascii.contains(attribute) { return value.allSatisfy { 0x20..<0x7F ~= $0 } }
    if numbers.contains(attribute) { return LDIFEncoder.isTelephoneNumber(value) }
    // Something is left of it when it is compared (RFC 4518 §2.6.1).
    return value.contains { $0 != 0x20 }
  }

  /// Name and values of a field as `LDIFExtra.field` has them: `languages: de;fr`.
  static func extra(_ entry: RowValues.Entry) -> [UInt8] {
    var text = Array(entry.name.utf8) + Array(": ".utf8)
    if entry.isSeveral {
      FieldList.append(entry.values, to: &text)
    } else {
      text += entry.values[0]
    }
    return text
  }

  /// The field that a value of `LDIFExtra.field` is of, and its values.
  func read(extra: [UInt8]) -> (name: String, values: [[UInt8]])? {
    guard let colon = extra.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = String(decoding: extra[..<colon], as: UTF8.self)
    guard let field = field(name), extra[colon...].starts(with: ": ".utf8) else { return nil }
    let rest = extra[(colon + 2)...]
    return (name, field.isMultiple ? FieldList.values(of: rest) : [Array(rest)])
  }
}

/// Takes the values of declared fields out of an entry.
struct LDIFReadValues {
  /// By the field's name.
  private(set) var values: [String: [[UInt8]]] = [:]
  /// Names of attributes whose values no field takes.
  private(set) var leftOut: [String] = []

  /// - Parameters:
  ///   - entry: A department or a person.
  ///   - fields: The fields of those.
  ///   - people: The id of a person by the compared name of the entry.
  init(_ entry: LDIFEntry, _ fields: LDIFFields, people: [String: [UInt8]]) {
    for place in fields.places {
      var texts = entry.values(place.key).filter { !$0.isEmpty }
      if place.restOf != nil { texts = Array(texts.dropFirst()) }
      if place.key == "sn", let name = entry.first("displayname", "cn") {
        texts.removeAll { $0 == name }
      }
      for text in texts {
        let value = place.field.kind == .person ? people[Self.key(text)] : place.value(text)
        guard let value, place.field.isMultiple || values[place.field.name] == nil else {
          leftOut.append(place.key)
          continue
        }
        values[place.field.name, default: []].append(value)
      }
    }
    for extra in entry.fieldTexts {
      guard let (name, texts) = fields.read(extra: extra) else {
        leftOut.append("\(LDIFExtra.field)")
        continue
      }
      values[name] = texts
    }
  }

  private static func key(_ name: [UInt8]) -> String {
    DistinguishedName(ofOthers: String(decoding: name, as: UTF8.self))
      .map { LDIFDepartments.key($0.comparedParts) } ?? ""
  }
}
