import DirectoryModel

/// What an import did.
package struct ImportSummary: Hashable, Sendable {
  package var departments = ImportCounts()
  package var users = ImportCounts()
  /// Primary memberships are counted too.
  package var memberships = ImportCounts()

  package init() {}
}

/// Rows of one kind by what happened to them.
///
/// Of what the files do not mention, only what was removed is counted.
package struct ImportCounts: Hashable, Sendable {
  package var added = 0
  package var changed = 0
  package var removed = 0
  package var unchanged = 0

  package init(added: Int = 0, changed: Int = 0, removed: Int = 0, unchanged: Int = 0) {
    self.added = added
    self.changed = changed
    self.removed = removed
    self.unchanged = unchanged
  }
}

/// What an import is busy with; the later ones take longest.
package enum ImportPhase: Hashable, Sendable {
  case checking
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
