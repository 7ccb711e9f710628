import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Levels of departments that a company of people has; what is deeper is likely a mistake.
  static let sensibleLevels = 15

  /// Looks for what is wrong with the data, and for what likely is.
  ///
  /// - Parameter body: Gets one fault after the other, those of a kind together.
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(bytes of names, contacts and values), and sorting by hashes of them.
  package func forEachFault(_ body: (DataProblem) throws -> Void) throws {
    try findFaultyContacts(body)
    try findFaultyNames(body)
    try findDoubtfulValues(body)
    try findFaultyManagers(body)
    try findSamePeople(body)
    try findFaultyDepartments(body)
  }

  func person(_ user: Int) throws(SnapshotError) -> DataProblem.Record {
    DataProblem.Record(kind: .user, id: try users.ids[user], name: try users.names[user])
  }

  func department(_ row: Int) throws(SnapshotError) -> DataProblem.Record {
    DataProblem.Record(
      kind: .department,
      id: try departments.ids[row],
      name: try departments.names[row]
    )
  }
}

// MARK: - Contact fields

extension Directory {
  private func findFaultyContacts(_ body: (DataProblem) throws -> Void) throws {
    let contacts = state.contacts
    for field in Field.contacts {
      let isNumber = field.kind == .phone
      let rows = try contacts[field].verified()
      for user in 0..<rows.count {
        let isFaulty = rows.withBytes(at: user) { value in
          !value.isEmpty && !field.kind.isLikely(value)
        }
        guard isFaulty else { continue }
        let person = try person(user)
        let noun = isNumber ? "a phone number" : "an \(field.name) address"
        try body(
          DataProblem(
            kind: isNumber ? .malformedPhone : .malformedEmail,
            records: [person],
            text: "the \(field.name) \"\(rows[user])\" is not \(noun)",
            remedy: ["set", "id:\(person.id)", "\(field.name)="]
          )
        )
      }
    }
  }
}

// MARK: - Names

extension Directory {
  private func findFaultyNames(_ body: (DataProblem) throws -> Void) throws {
    for kind in [DataProblem.Kind.invisibleCharacters, .mixedScripts] {
      for (column, isPerson) in [(departments.names, false), (users.names, true)] {
        let rows = try column.verified()
        for row in 0..<rows.count {
          // ASCII without controls has neither.
          guard rows.withBytes(at: row, { $0.contains { !(0x20...0x7E).contains($0) } }) else {
            continue
          }
          let name = rows[row]
          guard let fault = Self.fault(kind, name) else { continue }
          let record = try isPerson ? person(row) : department(row)
          try body(
            DataProblem(
              kind: kind,
              records: [record],
              text: fault.text,
              remedy: ["rename", "id:\(record.id)", fault.better]
            )
          )
        }
      }
    }
  }

  private static func fault(
    _ kind: DataProblem.Kind,
    _ name: String
  ) -> (text: String, better: String)? {
    if kind == .mixedScripts {
      return NameChecks.mixedWord(in: name).map { ("\"\($0.word)\" mixes \($0.scripts)", name) }
    }
    let hidden = NameChecks.hiddenScalars(in: name)
    guard let first = hidden.first else { return nil }
    let scalars = name.unicodeScalars
    let better = scalars.indices.reduce(into: "") { text, index in
      if !hidden.contains(index) { text.unicodeScalars.append(scalars[index]) }
    }
    let code = String(scalars[first].value, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
    return ("the name contains the invisible character U+\(padded)", better)
  }
}

// MARK: - Departments

extension Directory {
  private func findFaultyDepartments(_ body: (DataProblem) throws -> Void) throws {
    var hasPeople = [Bool](repeating: false, count: departments.count)
    var hasLead = hasPeople
    var tooDeep: [Int] = []
    for node in 0..<tree.count {
      if try tree.isDepartment(node) {
        if try tree.level(of: node) == Self.sensibleLevels, try tree.unplacedReason(of: node) == nil
        {
          tooDeep.append(node)
        }
      } else if let parent = try tree.parent(of: node) {
        let row = try tree.departmentRecord(of: parent)
        hasPeople[row] = true
        if try memberships.leads(tree.record(of: node)) { hasLead[row] = true }
      }
    }
    // *Unplaced*, which has no id, is not a department of theirs.
    let rows = try (0..<departments.count).filter { try !departments.ids[$0].isEmpty }
    if try memberships.hasLeads {
      for row in rows where hasPeople[row] && !hasLead[row] {
        let record = try department(row)
        try body(
          DataProblem(
            kind: .withoutLead,
            records: [record],
            text: "it has no lead",
            remedy: ["set", "WHO", "lead@\(record.id)=yes"]
          )
        )
      }
    }
    for row in rows where try departments.people(of: row) == 0 {
      let record = try department(row)
      try body(
        DataProblem(
          kind: .withoutPeople,
          records: [record],
          text: "it has no people",
          remedy: []
        )
      )
    }
    for node in tooDeep {
      let record = try department(tree.departmentRecord(of: node))
      try body(
        DataProblem(
          kind: .tooDeep,
          records: [record],
          text: "there are \(Self.sensibleLevels) departments above it",
          remedy: ["move", "id:\(record.id)", "--to", "DEPARTMENT"]
        )
      )
    }
  }
}
