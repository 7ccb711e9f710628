import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Reads the files of an import, one after the other, and stages their rows.
struct InputStager: Sendable {
  /// The most problems that are named; their number is told in any case.
  static let namedProblems = 20

  let inputs: InputSet
  let options: ListOptions
  /// Whether people who left are staged, too.
  let takesLeavers: Bool
  /// Whether every warning is kept.
  let keepsWarnings: Bool
  let importer: DirectoryImporter
  let observer: ImportObserver

  /// What reading all of them came to.
  struct Outcome: Sendable {
    var problems: ProblemList
    var unreadable: UnreadableFiles = []
    /// Columns that some files do not have, with the files' indexes.
    var absent: [MissingColumns: [Int]] = [:]
    /// Declared fields that some files do not have, likewise.
    var absentFields: [MissingFields: [Int]] = [:]

    fileprivate mutating func note(
      absent columns: [MissingColumns],
      _ fields: [MissingFields],
      of file: Int
    ) {
      for column in columns { absent[column, default: []].append(file) }
      for absence in fields where !absence.names.isEmpty {
        absentFields[absence, default: []].append(file)
      }
    }
  }

  func stage() async throws -> Outcome {
    let lists = ListStager(
      members: inputs.members,
      options: options,
      takesLeavers: takesLeavers,
      keepsWarnings: keepsWarnings
    )
    let staged = try await lists.stage(to: importer, limit: Self.namedProblems) {
      observer.progress(.reading(file: $0, rows: $1))
    }
    var outcome = Outcome(problems: staged.problems)
    for (index, member) in inputs.members.enumerated() {
      outcome.note(absent: staged.absent[index], staged.absentFields[index], of: index)
      if staged.isComplete[index] { continue }
      switch member.format {
      case .departments: outcome.unreadable.formUnion(.departments)
      case .users: outcome.unreadable.formUnion(.users)
      case .memberships: break
      case .list, .json, .ldif, .vCard, .personnel:
        outcome.unreadable.formUnion([.departments, .users])
      }
    }
    // All of them, since others are read while one waits its turn.
    for member in inputs.members { try member.requireUnchanged() }
    return outcome
  }
}
