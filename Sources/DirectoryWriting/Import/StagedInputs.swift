import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads the files of an import, one after the other, and stages their rows.
struct StagedInputs: Sendable {
  /// The most problems that are named; their number is told in any case.
  static let namedProblems = 20

  let inputs: InputSet
  let options: ListOptions
  let importer: DirectoryImporter
  let observer: ImportObserver

  /// What reading all of them came to.
  struct Outcome: Sendable {
    var problems = ProblemList(limit: StagedInputs.namedProblems)
    var unreadable: UnreadableFiles = []
    /// Columns that some files do not have, with the files' indexes.
    var absent: [ImportColumn: [Int]] = [:]
    /// Declared fields that some files do not have, likewise.
    var absentFields: [ImportAbsence: [Int]] = [:]

    fileprivate mutating func note(
      absent columns: [ImportColumn],
      _ fields: [ImportAbsence],
      of file: Int
    ) {
      for column in columns { absent[column, default: []].append(file) }
      for absence in fields where !absence.names.isEmpty {
        absentFields[absence, default: []].append(file)
      }
    }
  }

  func stage() async throws -> Outcome {
    var outcome = Outcome()
    var lists: [Int] = []
    for (index, member) in inputs.members.enumerated() {
      switch member.format {
      case .departments:
        let file = StagedFile.departments(try member.open(), index: index, fields: options.fields)
        try await stage(file, .departments, &outcome)
      case .users:
        let file = StagedFile.users(try member.open(), index: index, fields: options.fields)
        try await stage(file, .users, &outcome)
      case .memberships:
        try await stage(.memberships(try member.open(), index: index), [], &outcome)
      case .list, .json, .ldif, .vCard, .personnel: lists.append(index)
      }
    }
    if !lists.isEmpty { try await stage(lists, &outcome) }
    // All of them, since others are read while one waits its turn.
    for member in inputs.members { try member.requireUnchanged() }
    return outcome
  }

  private func stage(_ lists: [Int], _ outcome: inout Outcome) async throws {
    let list = StagedLists(
      members: lists.map { inputs.members[$0] },
      indexes: lists,
      options: options
    )
    let staged = try await list.stage(to: importer, limit: Self.namedProblems) {
      observer.progress(.reading(file: $0, rows: $1))
    }
    outcome.problems.add(contentsOf: staged.problems)
    for (place, index) in lists.enumerated() {
      outcome.note(absent: staged.absent[place], staged.absentFields[place], of: index)
    }
    if !staged.isComplete { outcome.unreadable.formUnion([.departments, .users]) }
  }

  private func stage<Batch>(
    _ file: StagedFile<Batch>,
    _ part: UnreadableFiles,
    _ outcome: inout Outcome
  ) async throws {
    let staged = try await file.stage(to: importer, limit: Self.namedProblems) {
      observer.progress(.reading(file: file.file.name, rows: $0))
    }
    outcome.problems.add(contentsOf: staged.problems)
    outcome.note(absent: staged.absent, staged.absentFields, of: file.index)
    if !staged.isComplete { outcome.unreadable.formUnion(part) }
  }
}
