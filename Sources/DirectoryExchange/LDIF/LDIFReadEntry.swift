/// One entry of an LDIF file, with the attributes that a directory has a use for.
struct LDIFEntry {
  struct Attribute {
    /// In lower case, without options.
    var name: String
    var value: [UInt8]
    /// Whether it has options, such as the language in `cn;lang-fr`.
    var hasOptions: Bool
  }

  /// Where its `dn` stands.
  var line = 0
  var dn = ""
  var attributes: [Attribute] = []
  var extras: [LDIFExtra: [UInt8]] = [:]

  /// The attributes that are kept; others, such as photographs, are passed over.
  static let wanted: Set = [
    "objectclass", "uid", "samaccountname", "entryuuid", "cn", "sn", "givenname", "displayname",
    "ou", "o", "dc", "c", "l", "st", "name", "description", "title", "mail", "telephonenumber",
    "mobile", "homephone", "departmentnumber", "member", "uniquemember", "roleoccupant",
  ]

  /// All values of an attribute, those without options first.
  func values(_ name: String) -> [[UInt8]] {
    let all = attributes.filter { $0.name == name }
    return all.filter { !$0.hasOptions }.map(\.value) + all.filter(\.hasOptions).map(\.value)
  }

  /// The first value of the first of these attributes that has one that is not empty.
  func first(_ names: String...) -> [UInt8]? {
    for name in names {
      if let value = values(name).first(where: { !$0.isEmpty }) { return value }
    }
    return nil
  }

  /// Object classes in lower case.
  var classes: Set<String> {
    Set(values("objectclass").map { String(decoding: $0, as: UTF8.self).lowercased() })
  }
}

extension LDIFEntry {
  /// What an entry is to a directory.
  enum Role {
    case department, person
    /// A department that lists its people.
    case group
    /// A person's further department: an `organizationalRole`.
    case post
    case other
  }

  private static let departmentClasses: Set = [
    "organizationalunit", "organization", "dcobject", "domain", "country", "friendlycountry",
    "locality", "container",
  ]
  private static let personClasses: Set = [
    "person", "organizationalperson", "inetorgperson", "residentialperson", "openldapperson",
    "user", "account",
  ]
  private static let groupClasses: Set = ["groupofnames", "groupofuniquenames", "group"]

  /// By its object classes (RFC 4519 §3, RFC 2798, RFC 4524 §3, RFC 2247); by its name's first
  /// attribute where the file has none.
  func role(naming: String) -> Role {
    let classes = classes
    if classes.isEmpty {
      switch naming {
      case "ou", "o", "dc", "c", "l": return .department
      case "uid", "cn": return .person
      default: return .other
      }
    }
    if classes.contains("organizationalrole") {
      return values("roleoccupant").isEmpty ? .other : .post
    }
    if !classes.isDisjoint(with: Self.groupClasses) { return .group }
    if !classes.isDisjoint(with: Self.personClasses) {
      return classes.contains("computer") ? .other : .person
    }
    return classes.isDisjoint(with: Self.departmentClasses) ? .other : .department
  }
}

extension DistinguishedName {
  /// The parts as a server compares them, without regard to case and to how many blanks there are
  /// (RFC 4518 §2, caseIgnoreMatch), the nearest part first.
  var comparedParts: [String] {
    parts.map { part in
      part.map { attribute in
        let words = attribute.value.lowercased().split(separator: " ")
        return "\(attribute.type.lowercased())=\(words.joined(separator: " "))"
      }.sorted().joined(separator: "\u{1}")
    }
  }
}
