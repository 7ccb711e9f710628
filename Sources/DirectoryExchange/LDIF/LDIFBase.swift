import DirectoryModel

/// The entry that all others hang on, and its name.
package struct LDIFBase: Sendable {
  package static let standard = "o=staffbook"

  /// As RFC 4514 has it, however old the form was that was given.
  package let name: String
  private let naming: DistinguishedName.Attribute

  /// - Throws: `.usage` when it is not the name of a domain, an organisation or a unit.
  package init(_ name: String) throws(DirectoryError) {
    guard let parsed = DistinguishedName(name), let first = parsed.parts.first, first.count == 1,
      Self.classes(of: first[0].type) != nil
    else {
      throw DirectoryError(
        .usage,
        "cannot write LDIF: \(name) is not a usable base DN",
        advice: "give a base DN such as dc=example,dc=org, o=Company or ou=Staff,dc=example,dc=org"
      )
    }
    self.name = Self.text(of: parsed)
    naming = first[0]
  }

  private static func text(of name: DistinguishedName) -> String {
    let parts = name.parts.map { part in
      part.map { attribute in
        var value: [UInt8] = []
        DistinguishedName.append(escaped: attribute.value.utf8, to: &value)
        return attribute.type + "=" + String(decoding: value, as: UTF8.self)
      }
    }
    return parts.map { $0.joined(separator: "+") }.joined(separator: ",")
  }

  /// The base's object classes by the attribute that names it (RFC 4519 §3.3, §3.6, §3.11).
  private static func classes(of type: String) -> [String]? {
    switch type.lowercased() {
    case "dc": ["top", "organization", "dcObject"]
    case "o": ["top", "organization"]
    case "ou": ["top", "organizationalUnit"]
    default: nil
    }
  }

  func append(to bytes: inout [UInt8]) {
    LDIFLine.append("dn", Array(name.utf8), to: &bytes)
    for name in Self.classes(of: naming.type) ?? [] {
      LDIFLine.append("objectClass", name.utf8, to: &bytes)
    }
    LDIFLine.append(naming.type, Array(naming.value.utf8), to: &bytes)
    if naming.type.lowercased() == "dc" {
      // An organization must have a name.
      LDIFLine.append("o", Array(naming.value.utf8), to: &bytes)
    }
    bytes.append(0x0A)
  }
}
