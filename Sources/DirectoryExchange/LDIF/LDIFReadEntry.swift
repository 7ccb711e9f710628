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
  /// Values of `LDIFExtra.field`.
  var fieldTexts: [[UInt8]] = []
  /// Names of what was passed over and is of people, not of their server.
  var leftOut: [String] = []

  /// The attributes that are kept; others, such as photographs, are passed over.
  static let wanted: Set = [
    "objectclass", "uid", "samaccountname", "entryuuid", "cn", "sn", "givenname", "displayname",
    "ou", "o", "dc", "c", "l", "st", "name", "description", "title", "mail", "telephonenumber",
    "mobile", "homephone", "departmentnumber", "member", "uniquemember", "roleoccupant",
  ]

  /// What servers keep for themselves (RFC 4512 §3.4; OpenLDAP, 389 Directory Server and Active
  /// Directory), and what names an entry or says no more than others do.
  static let ofServers: Set = [
    "aci", "accountexpires", "admincount", "badpasswordtime", "badpwdcount", "codepage",
    "contextcsn", "countrycode", "createtimestamp", "creatorsname", "distinguishedname",
    "dscorepropagationdata", "entrycsn", "entrydn", "grouptype", "hassubordinates", "instancetype",
    "iscriticalsystemobject", "lastlogoff", "lastlogon", "lastlogontimestamp", "logoncount",
    "modifiersname", "modifytimestamp", "nsuniqueid", "numsubordinates", "objectcategory",
    "objectguid", "objectsid", "primarygroupid", "pwdlastset", "samaccounttype",
    "showinadvancedviewonly", "structuralobjectclass", "subschemasubentry", "systemflags",
    "useraccountcontrol", "userpassword", "usnchanged", "usncreated", "whenchanged", "whencreated",
  ]

  /// How many values there are beside the first of an attribute.
  func furtherCount(_ name: String) -> Int {
    max(attributes.count { $0.name == name && !$0.value.isEmpty && !$0.hasOptions } - 1, 0)
  }

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
    case membership
    case other
  }

  private static let departmentClasses: Set = [
    "organizationalunit", "organization", "dcobject", "domain", "country", "friendlycountry",
    "locality", "container",
  ]
  private static let personClasses: Set = [
    "person", "organizationalperson", "inetorgperson", "residentialperson", "openldapperson",
    "user", "account", "nsperson",
  ]
  private static let groupClasses: Set = ["groupofnames", "groupofuniquenames", "group"]

  /// By its object classes (RFC 4519 §3, RFC 2798, RFC 4524 §3, RFC 2247; `nsPerson` is 389 Directory
  /// Server's); by its name's first
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
      return values("roleoccupant").isEmpty ? .other : .membership
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
      if part.count == 1 { return Self.compared(part[0]) }
      return part.map(Self.compared).sorted().joined(separator: "\u{1}")
    }
  }

  private static func compared(_ attribute: Attribute) -> String {
    var text: [UInt8] = []
    for byte in attribute.type.utf8 { text.append(lowered(byte)) }
    text.append(UInt8(ascii: "="))
    let start = text.count
    // Most names are ASCII, for which no tables are needed.
    let isASCII = attribute.value.utf8.allSatisfy { $0 < 0x80 }
    let value = isASCII ? attribute.value : attribute.value.lowercased()
    for byte in value.utf8 {
      if byte == 0x20, text.count == start || text.last == 0x20 { continue }
      text.append(isASCII ? lowered(byte) : byte)
    }
    if text.count > start, text.last == 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
