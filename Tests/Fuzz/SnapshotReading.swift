import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import OutlineEngine
import Platform
import SystemPackage

/// Reads snapshots that the user made up, by way of every question that can be asked of one.
enum SnapshotReading {
  private static let path: FilePath = "fuzz.snapshot"

  /// A file, first as it is, then with all checksums put right, so that what is behind them is
  /// reached.
  @Sendable
  static func file(_ input: UnsafeRawBufferPointer) {
    try? read(Array(input))
    var bytes = Array(input)
    seal(&bytes)
    try? read(bytes)
  }

  /// Numbers written over those of a sound file: place (u32), size (u8), value (as many bytes).
  @Sendable
  static func edits(_ input: UnsafeRawBufferPointer) {
    var bytes = template
    var rest = input[...]
    while rest.count > 5 {
      let place = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) } % bytes.count
      let size = [1, 4, 8][Int(rest[rest.startIndex + 4]) % 3]
      for (offset, byte) in rest.dropFirst(5).prefix(size).enumerated()
      where place + offset < bytes.count {
        bytes[place + offset] = byte
      }
      rest = rest.dropFirst(5 + size)
    }
    seal(&bytes)
    try? read(bytes)
  }

  private static let template: [UInt8] = {
    do {
      return try SnapshotSeeds.template()
    } catch {
      fatalError("cannot write a sound file: \(error)")
    }
  }()

  /// Puts the checksums right, as `SnapshotFormat` says, where the header leads to them.
  private static func seal(_ bytes: inout [UInt8]) {
    func number(_ at: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
    }
    func set(_ value: UInt64, _ at: Int) {
      for byte in 0..<8 { bytes[at + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }
    func digest(_ covered: [UInt8]) -> UInt64 { covered.withUnsafeBytes { XXHash64.digest($0) } }
    guard bytes.count >= 64 else { return }
    set(UInt64(bytes.count), 32)
    let (bodyOffset, bodyEnd) = (number(16), number(24))
    guard bodyOffset >= 64, bodyOffset <= 65_536, bodyOffset <= bodyEnd,
      bodyEnd <= UInt64(bytes.count)
    else { return }
    let (body, end) = (Int(bodyOffset), Int(bodyEnd))
    for block in 0..<(end + 65_535) / 65_536 where end + 8 * block + 8 <= bytes.count {
      let range = max(block * 65_536, body)..<min((block + 1) * 65_536, end)
      set(digest(Array(bytes[range])), end + 8 * block)
    }
    set(digest(Array(bytes[end...])), 40)
    set(digest(Array(bytes[..<56] + bytes[64..<body])), 56)
  }

  private static func read(_ bytes: [UInt8]) throws {
    let file = bytes.withUnsafeBytes { MappedFile(copying: $0, path: path) }
    let snapshot = try DirectorySnapshot(SnapshotFile(file, format: .directory))
    try? readRows(snapshot)
    try? readRecords(snapshot)
    try? readColumns(snapshot)
    try? readOutline(snapshot)
    try? search(snapshot)
    try snapshot.verify()
    // What is verified can be read to the end.
    do {
      try readRows(snapshot)
      try readRecords(snapshot)
      try readColumns(snapshot)
      try readOutline(snapshot)
      try search(snapshot)
    } catch {
      fatalError("verified, and yet: \(error)")
    }
  }

  private static func readRows(_ snapshot: DirectorySnapshot) throws {
    let (tree, departments) = (try snapshot.tree(), try snapshot.departments())
    let (memberships, users) = (try snapshot.memberships(), try snapshot.users())
    var rows = try TreeRows(tree, below: nil)
    while let row = try rows.next(isOpen: { _, _ in true }) {
      _ = try tree.ancestors(of: row.node)
      _ = try tree.level(of: row.node)
      _ = try tree.unplacedReason(of: row.node)
      let record = try tree.record(of: row.node)
      if row.isDepartment {
        _ = try departments.names[record]
        _ = try departments.people(of: record)
        _ = try departments.node(of: record)
        var children = try tree.children(of: row.node)
        while try children.next() != nil {}
      } else {
        _ = try users.names[memberships.user(of: record)]
        _ = try memberships.titles[record]
        _ = try memberships.isPrimary(record)
      }
    }
  }

  private static func readRecords(_ snapshot: DirectorySnapshot) throws {
    let (departments, users) = (try snapshot.departments(), try snapshot.users())
    let (departmentIndex, userIndex) = (try snapshot.departmentIndex(), try snapshot.userIndex())
    let leaves = try snapshot.leaves()
    _ = try userIndex.row(of: "nobody")
    for row in 0..<departments.count {
      _ = try departmentIndex.row(of: try departments.ids[row])
    }
    for row in 0..<users.count {
      _ = try userIndex.row(of: try users.ids[row])
      _ = try leaves.nodes(of: row)
    }
  }

  private static func readColumns(_ snapshot: DirectorySnapshot) throws {
    let (departments, users) = (try snapshot.departments(), try snapshot.users())
    let contacts = try snapshot.contacts()
    for column in [
      departments.ids, departments.names, departments.descriptions, users.ids, users.names,
      contacts[.email], contacts[.phone], try snapshot.memberships().titles,
      departments.identities, users.identities,
    ] {
      let rows = try column.verified()
      for row in 0..<rows.count { _ = rows[row] }
    }
  }

  private static func readOutline(_ snapshot: DirectorySnapshot) throws {
    var outline = OutlineState(try snapshot.hierarchy(), expandedLevels: 1)
    outline.expandAll()
    for row in outline.rows { _ = outline.row(of: row.node) }
    outline.collapseAll()
    if let last = outline.hierarchy.nodes.last { outline.reveal(last) }
  }

  private static func search(_ snapshot: DirectorySnapshot) throws {
    let engine = try SearchEngine(snapshot, phones: .unknown)
    _ = try engine.search(SearchRequest(SearchQuery("asa")))
    _ = try engine.matchingNodes(for: SearchQuery("e t"))
  }
}
