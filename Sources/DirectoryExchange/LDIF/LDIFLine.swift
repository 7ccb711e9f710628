import DirectoryModel

/// Lines of an LDIF file (RFC 2849).
enum LDIFLine {
  /// Appends an attribute with its value: as it is where that is a SAFE-STRING, otherwise in base64.
  static func append(
    _ attribute: String,
    _ value: some Collection<UInt8>,
    to bytes: inout [UInt8]
  ) {
    let isSafe = isSafe(value)
    let length = attribute.utf8.count + (isSafe ? 2 + value.count : 3 + (value.count + 2) / 3 * 4)
    guard length > LineFolding.ldif.width else {
      appendWhole(attribute, value, isSafe, to: &bytes)
      bytes.append(0x0A)
      return
    }
    var line: [UInt8] = []
    line.reserveCapacity(length)
    appendWhole(attribute, value, isSafe, to: &line)
    LineFolding.ldif.append(line, to: &bytes)
  }

  private static func appendWhole(
    _ attribute: String,
    _ value: some Collection<UInt8>,
    _ isSafe: Bool,
    to bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: attribute.utf8)
    if isSafe {
      bytes.append(text: ": ")
      bytes.append(contentsOf: value)
    } else {
      bytes.append(text: ":: ")
      Base64.append(value, to: &bytes)
    }
  }

  /// Whether a value is a SAFE-STRING and does not end with a space (RFC 2849, notes 4 and 8).
  ///
  /// Control characters, which it may hold but for NUL, LF and CR, are not taken for safe: a file
  /// of theirs steers the terminal that it is looked at on.
  static func isSafe(_ value: some Collection<UInt8>) -> Bool {
    guard let first = value.first else { return true }
    if first == 0x20 || first == UInt8(ascii: ":") || first == UInt8(ascii: "<") { return false }
    var last = first
    for byte in value {
      guard 0x20..<0x7F ~= byte else { return false }
      last = byte
    }
    return last != 0x20
  }
}

/// What an entry has no attribute for, as a `description` with an option that says what it is.
///
/// Servers know only the options of languages, `lang-` and a tag (RFC 3866 §2); a tag of `x-` and a
/// word is for private use (RFC 5646 §2.2.7). Readers that do not know these read descriptions.
enum LDIFExtra: String, CaseIterable, CustomStringConvertible {
  /// A mail address that `mail` does not take.
  case mail
  /// A phone number that `telephoneNumber` does not take.
  case phone
  /// The `sort_order` of a department, or of a person there; left out where it is 0.
  case order
  /// The title of a role whose `cn` could be taken for the person's name.
  case title
  /// The id of a person's primary department, where that is not among the entries.
  case primary = "main"
  /// The id of the department above, where that is not among the entries.
  case parent
  /// `true` where the person leads the department.
  case leads
  /// Name and values of a declared field; an entry may have several.
  case field

  /// Of a contact field whose attribute does not take the value.
  init(_ field: Field) {
    self = field.kind == .phone ? .phone : .mail
  }

  /// The attribute, with its option.
  var description: String { "description;lang-x-\(rawValue)" }

  /// By an attribute in lower case, with its options.
  init?(attribute: String) {
    guard let found = Self.allCases.first(where: { $0.description == attribute }) else {
      return nil
    }
    self = found
  }
}
