import DirectoryExchange
import DirectoryModel
import DirectoryStore

/// Tells of values that name people and are left out, since nobody is called so.
///
///     staff.csv:2: 1002: Bo Ek: the column Boss names 1001, who is neither in the list nor in Staffbook
struct LeftOutReferences: Sendable {
  /// The names of the files.
  let files: [String]
  let mapping: PersonnelMapping?
  /// Whether people who are in no file leave.
  let countsFilesAlone: Bool

  /// - Returns: The problems, and behind them a warning for each such value.
  func told(
    behind problems: ProblemList,
    _ importer: DirectoryImporter
  ) async throws(DirectoryError) -> ProblemList {
    var problems = problems
    for reference in try await importer.leftOutReferences() {
      problems.warn(
        warning(reference),
        of: "\(column(of: reference)) names …, \(fault(of: reference))"
      )
    }
    return problems
  }

  private func warning(_ reference: LeftOutReference) -> InputProblem {
    InputProblem(
      file: files.indices.contains(reference.file) ? files[reference.file] : "",
      line: reference.line > 0 ? reference.line : nil,
      id: reference.id,
      reason: reason(reference)
    )
  }

  func reason(_ reference: LeftOutReference) -> String {
    (reference.kind == .department ? "department " : "") + reference.name
      + ": \(column(of: reference)) names \(reference.person), \(fault(of: reference))"
  }

  private func column(of reference: LeftOutReference) -> String {
    let headings = mapping?.headings(of: reference.field, of: reference.kind) ?? []
    return headings.isEmpty
      ? "the field \(reference.field)" : "the column \(headings.joined(separator: ", "))"
  }

  private func fault(of reference: LeftOutReference) -> String {
    let list = mapping == nil ? "the files" : "the list"
    return switch reference.cause {
    case .nobody where countsFilesAlone: "who is not in \(list)"
    case .nobody: "who is neither in \(list) nor in Staffbook"
    case .several: "as whom Staffbook has several people"
    case .leaves: "who is no longer in \(list)"
    }
  }
}
