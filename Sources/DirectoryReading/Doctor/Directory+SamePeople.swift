import DirectoryModel
import DirectorySnapshot
import TextRules

/// People by what they have in common, found by sorting hashes of 64 bits: two that differ and have
/// the same one will not occur.
private struct DuplicateCandidates {
  private var entries: [(hash: Int, user: Int32)] = []

  mutating func add(_ trait: [UInt8], of user: Int) {
    guard !trait.isEmpty else { return }
    entries.append((trait.hashValue, Int32(user)))
  }

  /// Groups of two or more people with the same hash.
  func groups() -> [[Int]] {
    let sorted = entries.sorted { ($0.hash, $0.user) < ($1.hash, $1.user) }
    var groups: [[Int]] = []
    var start = 0
    for end in 1...max(1, sorted.count) {
      if end < sorted.count, sorted[end].hash == sorted[start].hash { continue }
      var users: [Int] = []
      for entry in sorted[start..<min(end, sorted.count)] where users.last != Int(entry.user) {
        users.append(Int(entry.user))
      }
      if users.count > 1 { groups.append(users) }
      start = end
    }
    return groups.sorted { $0[0] < $1[0] }
  }
}

extension Directory {
  /// Finds people who are likely one: with the same address, with the same phone number and a
  /// word of their names in common, or with the same name in one department.
  ///
  /// A phone number alone may be that of a room or a switchboard.
  func findSamePeople(_ body: (DataProblem) throws -> Void) throws {
    var told: Set<[Int]> = []
    let ways: [(what: String, find: () throws -> DuplicateCandidates)] = [
      ("have the same \(Field.email.name) address", { try addresses() }),
      ("have the same phone number and a name in common", { try phones() }),
      ("have the same name in one department", { try namesInDepartments() }),
    ]
    for way in ways {
      for group in try way.find().groups() where told.insert(group).inserted {
        var records: [DataProblem.Record] = []
        for user in group.prefix(20) { records.append(try person(user)) }
        // Two people may have one name: the cards of the first two, side by side, tell more.
        let remedy = ["merge"] + records.prefix(2).map { "id:\($0.id)" } + ["--dry-run"]
        try body(DataProblem(kind: .samePerson, records: records, text: way.what, remedy: remedy))
      }
    }
  }

  private func addresses() throws -> DuplicateCandidates {
    let addresses = try state.contacts[.email].verified()
    var traits = DuplicateCandidates()
    var folded: [UInt8] = []
    for user in 0..<addresses.count {
      folded.removeAll(keepingCapacity: true)
      addresses.withBytes(at: user) { Folding.appendFolded($0, to: &folded) }
      traits.add(folded, of: user)
    }
    return traits
  }

  private func phones() throws -> DuplicateCandidates {
    let phones = try state.contacts[.phone].verified()
    let names = try users.names.verified()
    var traits = DuplicateCandidates()
    for user in 0..<phones.count {
      var folded: [UInt8] = []
      phones.withBytes(at: user) { Folding.appendFolded($0, to: &folded) }
      let digits = folded.filter { (0x30...0x39).contains($0) }
      guard digits.count >= 5 else { continue }
      var name: [UInt8] = []
      names.withBytes(at: user) { Folding.appendFolded($0, to: &name) }
      for word in name.split(separator: UInt8(ascii: " ")) {
        traits.add(digits + [0] + word, of: user)
      }
    }
    return traits
  }

  private func namesInDepartments() throws -> DuplicateCandidates {
    let names = try users.names.verified()
    var traits = DuplicateCandidates()
    for node in 0..<tree.count {
      guard try !tree.isDepartment(node), let parent = try tree.parent(of: node) else { continue }
      let user = try user(at: node)
      var name = Array("\(parent) ".utf8)
      let start = name.count
      names.withBytes(at: user) { Folding.appendFolded($0, to: &name) }
      if name.count > start { traits.add(name, of: user) }
    }
    return traits
  }
}
