import DirectoryModel

/// What an import does: of departments and people what a person sees change, of memberships rows.
package struct ImportSummary: Hashable, Sendable {
  package var departments = ImportCounts()
  /// People; what changes about a person's memberships is a change of the person.
  package var users = ImportCounts()
  /// Primary memberships are counted too, and none is `moved`.
  package var memberships = ImportCounts()

  package init() {}

  /// Whether nothing is written.
  package var isEmpty: Bool {
    departments.touched == 0 && users.touched == 0 && memberships.touched == 0
  }
}

/// Records of one kind by what happens to them; each is counted once.
///
/// Of what the files do not mention, only what is removed is counted.
package struct ImportCounts: Hashable, Sendable {
  package var added = 0
  /// Other values, in the same place.
  package var changed = 0
  /// In another place: a department below another one, a person in other departments or with
  /// another main one.
  ///
  /// Values may differ too.
  package var moved = 0
  package var removed = 0
  package var unchanged = 0

  package init(
    added: Int = 0,
    changed: Int = 0,
    moved: Int = 0,
    removed: Int = 0,
    unchanged: Int = 0
  ) {
    self.added = added
    self.changed = changed
    self.moved = moved
    self.removed = removed
    self.unchanged = unchanged
  }

  package var touched: Int { added + changed + moved + removed }
}

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
