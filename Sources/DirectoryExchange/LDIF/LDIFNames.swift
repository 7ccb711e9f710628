import DirectoryModel
import DirectorySnapshot
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

  private let source: RecordSource
  private let base: String
  /// Digests of the names that several siblings share, rising.
  private let shared: [UInt64]
  private var known: (node: Int, name: [UInt8])?

  /// - Complexity: O(n log n), and eight bytes for each entry while it runs.
  init(_ source: RecordSource, base: String) throws(SnapshotError) {
    self.source = source
    self.base = base
    var digests: [UInt64] = []
    var buffer: [UInt8] = []
    var failure: SnapshotError?
    source.written.forEach { node in
      do throws(SnapshotError) {
        digests.append(try Self.digest(of: node, source, buffer: &buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
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
    guard let parent = try source.parent(of: node) else { return name + Array(base.utf8) }
    name += try departmentName(of: parent)
    guard name.count <= Self.longestName else { throw tooDeep(node) }
    return name
  }

  /// A value that names the node beside its own, where its own does not.
  func replacement(for node: Int) throws -> [UInt8]? {
    let attribute = try attribute(of: node)
    return attribute.isOwn ? nil : attribute.value
  }

  private mutating func departmentName(of node: Int) throws -> [UInt8] {
    if let known, known.node == node { return known.name }
    var name: [UInt8] = []
    var current: Int? = node
    while let department = current {
      name += try part(of: department)
      name.append(UInt8(ascii: ","))
      guard name.count <= Self.longestName else { throw tooDeep(node) }
      current = try source.parent(of: department)
    }
    name += Array(base.utf8)
    known = (node, name)
    return name
  }

  private func part(of node: Int) throws -> [UInt8] {
    let attribute = try attribute(of: node)
    var part = Array(try source.tree.isDepartment(node) ? "ou=".utf8 : "uid=".utf8)
    DistinguishedName.append(escaped: attribute.value, to: &part)
    return part
  }

  private func attribute(of node: Int) throws -> (value: [UInt8], isOwn: Bool) {
    let own = try Self.ownValue(of: node, source)
    var escaped: [UInt8] = []
    DistinguishedName.append(escaped: own, to: &escaped)
    var compared: [UInt8] = []
    own.withUnsafeBytes { Folding.appendFolded($0, to: &compared) }
    var buffer: [UInt8] = []
    let isFit =
      escaped.count <= Self.longestWritten && compared.count <= Self.longestCompared
      && !compared.isEmpty && compared != [0x20]
    if isFit, !holds(try Self.digest(of: node, source, buffer: &buffer)) { return (own, true) }
    return (try uuid(of: node), false)
  }

  private func uuid(of node: Int) throws(SnapshotError) -> [UInt8] {
    var uuid: [UInt8] = []
    if try source.tree.isDepartment(node) {
      let row = try source.tree.record(of: node)
      source.departmentIDs.withBytes(at: row) {
        RecordUUID.append(of: .department, id: $0, to: &uuid)
      }
    } else {
      let user = try source.user(at: node)
      source.userIDs.withBytes(at: user) { RecordUUID.append(of: .user, id: $0, to: &uuid) }
    }
    return uuid
  }

  private static func ownValue(
    of node: Int,
    _ source: RecordSource
  ) throws(SnapshotError) -> [UInt8] {
    try source.tree.isDepartment(node)
      ? source.departmentNames.withBytes(at: source.tree.record(of: node)) { Array($0) }
      : source.userIDs.withBytes(at: source.user(at: node)) { Array($0) }
  }

  /// A digest (FNV-1a, 64 bits) of a node's parent and folded name; two that are equal by chance
  /// merely get a longer name.
  private static func digest(
    of node: Int,
    _ source: RecordSource,
    buffer: inout [UInt8]
  ) throws(SnapshotError) -> UInt64 {
    buffer.removeAll(keepingCapacity: true)
    let own = try ownValue(of: node, source)
    own.withUnsafeBytes { Folding.appendFolded($0, to: &buffer) }
    buffer.append(try source.tree.isDepartment(node) ? 1 : 0)
    withUnsafeBytes(of: try source.parent(of: node) ?? -1) { buffer.append(contentsOf: $0) }
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in buffer { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return digest
  }

  private func holds(_ digest: UInt64) -> Bool {
    var low = 0
    var high = shared.count
    while low < high {
      let middle = (low + high) / 2
      if shared[middle] < digest { low = middle + 1 } else { high = middle }
    }
    return low < shared.count && shared[low] == digest
  }

  private func tooDeep(_ node: Int) -> DirectoryError {
    let level = (try? source.tree.level(of: node)) ?? 0
    return DirectoryError(
      .badData,
      "cannot write LDIF: an entry \(level) levels deep would have a name of more than "
        + "\(Self.longestName) bytes, which directory servers refuse",
      advice: "export less with --depth, or a department further down"
    )
  }
}
