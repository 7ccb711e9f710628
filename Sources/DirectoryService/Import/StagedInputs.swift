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
    /// By the file's index, what it does not have.
    var absent: [[ImportColumn]] = []
  }

  func stage() async throws -> Outcome {
    var outcome = Outcome()
    for (index, member) in inputs.members.enumerated() {
      switch member.format {
      case .departments:
        try await stage(.departments(member.file, index: index), .departments, &outcome)
      case .users: try await stage(.users(member.file, index: index), .users, &outcome)
      case .memberships: try await stage(.memberships(member.file, index: index), [], &outcome)
      case .list, .json, .ldif, .vCard:
        let list = StagedList(member: member, index: index, options: options)
        let staged = try await list.stage(to: importer, limit: Self.namedProblems) {
          observer.progress(.reading(file: member.file.name, rows: $0))
        }
        outcome.problems.add(contentsOf: staged.problems)
        outcome.absent.append(staged.absent)
        if !staged.isComplete { outcome.unreadable.formUnion([.departments, .users]) }
      }
    }
    // All of them, since others are read while one waits its turn.
    for member in inputs.members { try member.file.requireUnchanged() }
    return outcome
  }

  private func stage<Layout, Batch>(
    _ file: StagedFile<Layout, Batch>,
    _ part: UnreadableFiles,
    _ outcome: inout Outcome
  ) async throws {
    let staged = try await file.stage(to: importer, limit: Self.namedProblems) {
      observer.progress(.reading(file: file.file.name, rows: $0))
    }
    outcome.problems.add(contentsOf: staged.problems)
    outcome.absent.append(staged.absent)
    if !staged.isComplete { outcome.unreadable.formUnion(part) }
  }
}
