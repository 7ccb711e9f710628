import DirectoryModel
import DirectoryReading
import TextRules

extension EditPlanner {
  mutating func order(_ department: String, _ who: [String]) async throws {
    let id = try await findDepartment(department)
    guard let node = try directory.node(of: id) else { return }
    let siblings = try directory.siblings(in: node)
    var named: [Directory.Sibling] = []
    for name in who {
      let sibling = try find(name, among: siblings, of: place(id).name)
      guard !named.contains(sibling) else {
        throw refusal(.usage, "\(name) is listed twice")
      }
      named.append(sibling)
    }
    for kind in [DirectoryRow.Kind.department, .user] {
      let first = named.filter { $0.kind == kind }
      guard !first.isEmpty else { continue }
      let all = siblings.filter { $0.kind == kind }
      let chosen = Set(first)
      try await arrange(first + all.filter { !chosen.contains($0) }, all, in: id)
    }
  }

  /// By id, by name, or, if it is said to be meant, by name without accents.
  private func find(
    _ name: String,
    among siblings: [Directory.Sibling],
    of department: String
  ) throws -> Directory.Sibling {
    let text = DepartmentName(name).text
    let folded = Folding.fold(text)
    let ways: [(Directory.Sibling) -> Bool] = [
      { $0.id.utf8.elementsEqual(text.utf8) }, { $0.name.utf8.elementsEqual(text.utf8) },
      { !folded.isEmpty && Folding.fold($0.name) == folded },
    ]
    for way in ways {
      let found = siblings.filter(way)
      if let only = found.first, found.count == 1 {
        try requireMeant(
          DirectoryRow(kind: only.kind, id: only.id, name: only.name),
          by: name,
          "person or department"
        )
        return only
      }
      if found.count > 1 {
        throw DirectoryError(
          .notFound,
          "cannot \(doing): \(found.count) in \(department) are called \(text)",
          advice: "name one by its id",
          details: found.map { "id:\($0.id) (\($0.name))" }
        )
      }
    }
    throw refusal(.notFound, "\(text) is not directly in \(department)")
  }

  /// Gives siblings orders in which they stand so.
  ///
  /// - Parameters:
  ///   - sequence: As they are to stand.
  ///   - present: As they stand.
  ///   - department: Whose they are; `nil` for the top level.
  /// - Throws: When the database cannot be asked.
  mutating func arrange(
    _ sequence: [Directory.Sibling],
    _ present: [Directory.Sibling],
    in department: DepartmentID?
  ) async throws {
    let orders = SiblingOrderPlanner.orders(of: Self.places(of: sequence, present))
    let moved = zip(sequence, orders).filter { $0.sortOrder != $1 }
    try await load(moved.map { Self.key(of: $0.0) })
    for (sibling, order) in moved { setOrder(order, of: sibling, in: department) }
  }

  /// Those of one order stand by name already, so that their places say what the names say.
  static func places(
    of sequence: [Directory.Sibling],
    _ present: [Directory.Sibling]
  ) -> [SiblingOrderPlanner.Sibling] {
    var ranks: [RecordKey: Int] = [:]
    for (rank, sibling) in present.enumerated() { ranks[key(of: sibling)] = rank }
    return sequence.map {
      SiblingOrderPlanner.Sibling(order: $0.sortOrder, rank: ranks[key(of: $0)] ?? 0)
    }
  }

  static func key(of sibling: Directory.Sibling) -> RecordKey {
    RecordKey(sibling.kind == .user ? .user : .department, sibling.id)
  }

  private mutating func setOrder(
    _ order: Int64,
    of sibling: Directory.Sibling,
    in department: DepartmentID?
  ) {
    let key = Self.key(of: sibling)
    if sibling.kind == .department {
      guard let index = RecordKind.department.valueColumns.firstIndex(of: .sortOrder) else {
        return
      }
      draft[key]?.values[index] = String(order)
    } else if let index = draft[key]?.memberships.firstIndex(where: { $0.place.id == department }) {
      draft[key]?.memberships[index].set(.sortOrder, String(order))
    }
  }
}
