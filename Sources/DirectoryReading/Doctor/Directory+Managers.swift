import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Finds managers who are not there, and people who are their own managers by way of others.
  ///
  /// - Complexity: O(bytes of the values of people).
  func findFaultyManagers(_ body: (DataProblem) throws -> Void) throws {
    guard let field = declaredFields.first(where: { $0.name == "manager" && $0.kind == .person }),
      field.owner == .user, !field.isMultiple, let rows = try fields.verifiedOfUsers()
    else { return }
    let name = Array(field.name.utf8)
    let index = state.userIndex
    var managers = [Int32](repeating: -1, count: users.count)
    for user in 0..<rows.count {
      let value: [UInt8]? = rows.withBytes(at: user) { bytes in
        var reader = FieldValuesReader(bytes)
        while reader.next() { if reader.name == name { return reader.values.first } }
        return nil
      }
      guard let value else { continue }
      let id = String(decoding: value, as: UTF8.self)
      if let manager = try index.row(of: id) {
        managers[user] = Int32(manager)
      } else {
        let person = try person(user)
        try body(
          DataProblem(
            kind: .managerIsMissing,
            records: [person],
            text: "the manager \"\(id)\" is not in the directory",
            remedy: ["set", "id:\(person.id)", "manager="]
          )
        )
      }
    }
    for ring in Self.rings(of: managers) { try body(fault(ofRing: ring)) }
  }

  private func fault(ofRing ring: [Int]) throws(SnapshotError) -> DataProblem {
    var records: [DataProblem.Record] = []
    for user in ring { records.append(try person(user)) }
    let names = (records + [records[0]]).prefix(20).map(\.name).joined(separator: " → ")
    return DataProblem(
      kind: .managersInRing,
      records: records,
      text: ring.count == 1 ? "is the person's own manager" : "manage each other: \(names)",
      remedy: ["set", "id:\(records[0].id)", "manager="]
    )
  }

  /// The rings among links, each from its least member on.
  private static func rings(of links: [Int32]) -> [[Int]] {
    // 0 is not seen yet; otherwise the number of the walk that came by.
    var walks = [Int32](repeating: 0, count: links.count)
    var rings: [[Int]] = []
    for start in links.indices where walks[start] == 0 {
      let walk = Int32(start + 1)
      var place = start
      while walks[place] == 0 {
        walks[place] = walk
        guard links[place] >= 0 else { break }
        place = Int(links[place])
      }
      guard walks[place] == walk, links[place] >= 0 else { continue }
      var ring = [place]
      var next = Int(links[place])
      while next != place {
        ring.append(next)
        next = Int(links[next])
      }
      let least = ring.indices.min { ring[$0] < ring[$1] } ?? 0
      rings.append(Array(ring[least...] + ring[..<least]))
    }
    return rings
  }
}
