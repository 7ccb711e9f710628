import DirectoryModel
import Platform
import TextRules

/// The names of entries: `ou=` and the name for a department, `uid=` and the id for a person, or
/// the record's UUID where that would not do.
///
/// It does not where a sibling's name is the same to an LDAP server, which ignores case, width and
/// blanks (RFC 4518 §2), or where it is long: OpenLDAP keeps a part of a name, as it is written and
/// as it is compared, in one key of LMDB, which holds 511 bytes.
struct LDIFNames {
  private static let longestWritten = 160
  private static let longestCompared = 240
  /// What OpenLDAP takes (its servers/slapd/slap.h: SLAP_LDAPDN_MAXLEN).
  private static let longestName = 8_192

  private let records: any RecordLookup
  private let base: String
  /// Digests of the names that several siblings share, rising.
  private let shared: [UInt64]
  /// Names of departments that were needed lately, each at its node's number modulo their count.
  private var known: [(node: Int, name: [UInt8])] = Array(repeating: (-1, []), count: 256)
  /// What names the node that was asked for last.
  private var latest: (node: Int, attribute: NamingValue)?

  /// What an entry is named by.
  private struct NamingValue {
    var value: [UInt8]
    /// Whether it is the name or id, and not the UUID in its place.
    var isOwn: Bool
  }

  /// - Complexity: O(n log n), and eight bytes for each entry while it runs.
  init(_ records: any RecordLookup, base: String) throws {
    self.records = records
    self.base = base
    var digests: [UInt64] = []
    var buffer: [UInt8] = []
    try records.forEachWritten { node in
      buffer.removeAll(keepingCapacity: true)
      let own = try Self.ownValue(of: node, records)
      own.withUnsafeBytes { Folding.appendFolded($0, to: &buffer) }
      digests.append(try Self.digest(of: node, compared: &buffer, records))
    }
    digests.sort()
    var shared: [UInt64] = []
    for (previous, digest) in zip(digests, digests.dropFirst())
    where previous == digest && shared.last != digest {
      shared.append(digest)
    }
    self.shared = shared
  }

  /// The whole name of a node's entry.
  ///
  /// - Throws: `.badData` when it is longer than a server takes; `SnapshotError`.
  mutating func name(of node: Int) throws -> [UInt8] {
    var name = try part(of: node)
    name.append(UInt8(ascii: ","))
    guard let parent = try records.writtenDepartment(above: node) else {
      return name + Array(base.utf8)
    }
    name += try departmentName(of: parent)
    guard name.count <= Self.longestName else { throw tooDeep(node) }
    return name
  }

  /// A value that names the node beside its own, where its own does not.
  mutating func replacement(for node: Int) throws -> [UInt8]? {
    let attribute = try attribute(of: node)
    return attribute.isOwn ? nil : attribute.value
  }

  private mutating func departmentName(of node: Int) throws -> [UInt8] {
    // Departments of unknown names, the nearest first: a tree may be deeper than a call stack.
    var unknown: [Int] = []
    var name = Array(base.utf8)
    var current: Int? = node
    while let department = current {
      let slot = known[department % known.count]
      if slot.node == department {
        name = slot.name
        break
      }
      unknown.append(department)
      current = try records.writtenDepartment(above: department)
    }
    for department in unknown.reversed() {
      name = try part(of: department) + [UInt8(ascii: ",")] + name
      guard name.count <= Self.longestName else { throw tooDeep(node) }
      known[department % known.count] = (department, name)
    }
    return name
  }

  private mutating func part(of node: Int) throws -> [UInt8] {
    let value = try attribute(of: node).value
    var part = Array(try records.isDepartment(node) ? "ou=".utf8 : "uid=".utf8)
    DistinguishedName.append(escaped: value, to: &part)
    return part
  }

  private mutating func attribute(of node: Int) throws -> NamingValue {
    if let latest, latest.node == node { return latest.attribute }
    let own = try Self.ownValue(of: node, records)
    var escaped: [UInt8] = []
    DistinguishedName.append(escaped: own, to: &escaped)
    var compared: [UInt8] = []
    own.withUnsafeBytes { Folding.appendFolded($0, to: &compared) }
    let isFit =
      escaped.count <= Self.longestWritten && compared.count <= Self.longestCompared
      && !compared.isEmpty && compared != [0x20]
    let isAlone = try isFit && !holds(Self.digest(of: node, compared: &compared, records))
    let attribute = NamingValue(value: isAlone ? own : try uuid(of: node), isOwn: isAlone)
    latest = (node, attribute)
    return attribute
  }

  private func uuid(of node: Int) throws -> [UInt8] {
    var uuid: [UInt8] = []
    let kind: DirectoryRow.Kind = try records.isDepartment(node) ? .department : .user
    try records.withText(.id, of: node) { RecordUUID.append(of: kind, id: $0, to: &uuid) }
    return uuid
  }

  private static func ownValue(of node: Int, _ records: any RecordLookup) throws -> [UInt8] {
    var value: [UInt8] = []
    try records.withText(records.isDepartment(node) ? .name : .id, of: node) { value = Array($0) }
    return value
  }

  /// A digest of a node's parent and name; two that are equal by chance merely get a
  /// longer name.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - buffer: Its name as it is compared; what else there is to it comes behind.
  ///   - records: Where it is from.
  /// - Returns: The digest.
  /// - Throws: What the look-up throws.
  private static func digest(
    of node: Int,
    compared buffer: inout [UInt8],
    _ records: any RecordLookup
  ) throws -> UInt64 {
    buffer.append(try records.isDepartment(node) ? 1 : 0)
    withUnsafeBytes(of: try records.writtenDepartment(above: node) ?? -1) {
      buffer.append(contentsOf: $0)
    }
    return buffer.withUnsafeBytes { XXHash64.digest($0) }
  }

  private func holds(_ digest: UInt64) -> Bool {
    let first = shared.indices.partitionPoint { shared[$0] < digest }
    return first < shared.count && shared[first] == digest
  }

  private func tooDeep(_ node: Int) -> DirectoryError {
    let level = (try? records.level(of: node)) ?? 0
    return DirectoryError(
      .badData,
      "cannot write LDIF: an entry \(level) levels deep would have a DN of more than "
        + "\(Self.longestName) bytes, which LDAP servers refuse",
      advice: "limit the export with \(.depth), or export a department further down"
    )
  }
}
