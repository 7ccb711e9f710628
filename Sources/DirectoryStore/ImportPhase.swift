import DirectoryModel

/// What an import is busy with; the later ones take longest.
package enum ImportPhase: Hashable, Sendable {
  case checking
  case planning
  case departments
  case users
  case memberships
  case removing
  /// The references between users and memberships, which wait for the end.
  case constraints
}

/// Files of which some rows could not be read, so that what refers to them cannot be judged.
package struct UnreadableFiles: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let departments = UnreadableFiles(rawValue: 1 << 0)
  package static let users = UnreadableFiles(rawValue: 1 << 1)
}

/// What is wrong with the rows of an import.
package struct ImportFindings: Sendable {
  /// The first problems in the order of files and lines.
  package var problems: [InputProblem]
  /// How many there are in all.
  package var total: Int
}
