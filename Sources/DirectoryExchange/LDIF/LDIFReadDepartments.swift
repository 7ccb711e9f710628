import DirectoryModel

/// The departments of an LDIF file by name, and the people whom groups and roles name.
struct LDIFDepartments {
  private var idsByName: [String: [UInt8]] = [:]
  /// All ids of departments.
  private(set) var ids: Set<[UInt8]> = []
  /// Compared names of members and occupants.
  private(set) var named: Set<String> = []
  /// The suffix that is not a department.
  private(set) var leftOut: String?
  private(set) var leftOutParts: [String]?
  /// Ids of people by compared name, where entries may name them.
  private(set) var people: [String: [UInt8]] = [:]

  /// A name as a key: its compared parts.
  static func key(_ parts: some Collection<String>) -> String {
    parts.joined(separator: "\u{2}")
  }

  /// What identifies a department: its own id, the server's, else its name.
  static func id(of entry: LDIFEntry) -> [UInt8] {
    entry.first("uid", "entryuuid") ?? OversizedID.id(of: Array(entry.dn.utf8))
  }

  static func id(ofPerson entry: LDIFEntry) -> [UInt8] {
    entry.first("uid", "samaccountname", "entryuuid") ?? OversizedID.id(of: Array(entry.dn.utf8))
  }

  static func members(of entry: LDIFEntry) -> [String] {
    keys(entry.values("member") + entry.values("uniquemember"))
  }

  static func occupants(of entry: LDIFEntry) -> [String] { keys(entry.values("roleoccupant")) }

  /// Each once; a unique member may have a number behind its name (RFC 4517 §3.3.21), which no name
  /// here has.
  private static func keys(_ names: [[UInt8]]) -> [String] {
    var seen: Set<String> = []
    return names.compactMap { name in
      guard let name = DistinguishedName(ofOthers: String(decoding: name, as: UTF8.self)) else {
        return nil
      }
      let key = key(name.comparedParts)
      return seen.insert(key).inserted ? key : nil
    }
  }

  /// Reads the whole file; what is wrong with it is told when it is read again.
  mutating func read(_ file: InputFile, withPeople: Bool) throws(DirectoryError) {
    var entries = try LDIFEntries(file)
    var places: [(parts: [String], hasOwnID: Bool, dn: String, isGroup: Bool)] = []
    var homes: Set<String> = []
    while let entry = entries.next() {
      guard let name = DistinguishedName(ofOthers: entry.dn) else { continue }
      let parts = name.comparedParts
      let role = entry.role(naming: name.parts.first?.first?.type.lowercased() ?? "")
      switch role {
      case .department, .group:
        let id = Self.id(of: entry)
        // A name that comes again is told when the file is read for its rows.
        if idsByName[Self.key(parts)] == nil { idsByName[Self.key(parts)] = id }
        let hasOwnID = entry.first("uid", "entryuuid") != nil
        places.append((parts, hasOwnID, entry.dn, role == .group))
        if role == .group { named.formUnion(Self.members(of: entry)) }
      case .person:
        homes.insert(Self.key(parts.dropFirst()))
        if withPeople { people[Self.key(parts)] = Self.id(ofPerson: entry) }
      case .membership: named.formUnion(Self.occupants(of: entry))
      case .other: break
      }
    }
    leaveOutSuffix(places, homes)
    ids = Set(idsByName.values)
  }

  private mutating func leaveOutSuffix(
    _ places: [(parts: [String], hasOwnID: Bool, dn: String, isGroup: Bool)],
    _ homes: Set<String>
  ) {
    let tops = places.filter { nearestKey(above: $0.parts) == nil }
    guard tops.count == 1, let top = tops.first, !top.hasOwnID, !top.isGroup,
      !homes.contains(Self.key(top.parts)), places.count > 1,
      places.allSatisfy({ $0.hasOwnID || $0.parts == top.parts })
    else { return }
    idsByName[Self.key(top.parts)] = nil
    leftOut = top.dn
    leftOutParts = top.parts
  }

  func id(of key: String) -> [UInt8]? { idsByName[key] }

  /// The id of the nearest department above a name.
  func nearest(above parts: [String]) -> [UInt8]? {
    nearestKey(above: parts).flatMap { idsByName[$0] }
  }

  func nearestKey(above parts: [String]) -> String? {
    var rest = parts.dropFirst()
    while !rest.isEmpty {
      let key = Self.key(rest)
      if idsByName[key] != nil { return key }
      rest = rest.dropFirst()
    }
    return nil
  }
}
