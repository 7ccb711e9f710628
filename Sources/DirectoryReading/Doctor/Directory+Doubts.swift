import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Finds dates that are likely those of another century, and texts that a spreadsheet would run.
  ///
  /// - Complexity: O(bytes of names, titles and values of people).
  func findDoubtfulValues(_ body: (DataProblem) throws -> Void) throws {
    try findDoubtfulDates(body)
    try findFormulas(body)
  }

  private func findDoubtfulDates(_ body: (DataProblem) throws -> Void) throws {
    for field in declaredFields.of(.user) where field.kind == .date {
      try forEachValue(of: field) { user, value in
        guard field.kind.accepts(value), !field.kind.isLikely(value) else { return }
        let person = try person(user)
        try body(
          DataProblem(
            kind: .doubtfulDate,
            records: [person],
            text: "the \(field.name) is \(String(decoding: value, as: UTF8.self))",
            remedy: ["set", "id:\(person.id)", "\(field.name)=YYYY-MM-DD"]
          )
        )
      }
    }
  }

  private func findFormulas(_ body: (DataProblem) throws -> Void) throws {
    func report(_ user: Int, _ name: String) throws {
      try body(
        DataProblem(
          kind: .formula,
          records: [person(user)],
          text: "the \(name) begins like a formula",
          remedy: []
        )
      )
    }
    let names = try users.names.verified()
    for user in 0..<names.count where names.withBytes(at: user, SpreadsheetText.isFormula) {
      try report(user, RecordColumn.name.name)
    }
    let titles = try memberships.titles.verified()
    for row in 0..<titles.count where titles.withBytes(at: row, SpreadsheetText.isFormula) {
      try report(memberships.user(of: row), RecordColumn.title.name)
    }
    for field in declaredFields.of(.user) where field.kind == .text {
      try forEachValue(of: field) { user, value in
        if value.withUnsafeBytes(SpreadsheetText.isFormula) { try report(user, field.name) }
      }
    }
  }

  /// Calls `body` with each value that people have of a field.
  private func forEachValue(
    of field: Field,
    _ body: (_ user: Int, _ value: [UInt8]) throws -> Void
  ) throws {
    guard let rows = try fields.verifiedOfUsers() else { return }
    let name = Array(field.name.utf8)
    for user in 0..<rows.count {
      let values: [[UInt8]] = rows.withBytes(at: user) { bytes in
        var reader = FieldValuesReader(bytes)
        while reader.next() { if reader.name == name { return reader.values } }
        return []
      }
      for value in values { try body(user, value) }
    }
  }
}
