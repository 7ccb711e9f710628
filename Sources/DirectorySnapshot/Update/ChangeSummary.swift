import DirectoryModel

/// What differs between a stored state and a new one: counted, and each by name when it is asked for.
///
/// Departments and people are what can differ; what happens to a membership happens to its person.
package struct ChangeSummary: Sendable {
  /// What is another value than before.
  package struct Fields: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let name = Fields(rawValue: 1 << 0)
    package static let description = Fields(rawValue: 1 << 1)
    package static let sortOrder = Fields(rawValue: 1 << 2)
    package static let contacts = Fields(rawValue: 1 << 3)
    package static let title = Fields(rawValue: 1 << 4)
    /// The parent of a department; the departments of a person.
    package static let place = Fields(rawValue: 1 << 5)
    package static let primary = Fields(rawValue: 1 << 6)
    /// Values of declared fields.
    package static let declared = Fields(rawValue: 1 << 7)
    package static let leads = Fields(rawValue: 1 << 8)
    /// The identity, which one of the states does not tell: nobody sees a difference.
    static let identity = Fields(rawValue: 1 << 9)
    /// Everything: both states tell the identity, and another record has the id now.
    static let record = Fields(rawValue: 1 << 10)

    /// What stands in a column.
    init(_ column: RecordColumn) {
      switch column {
      case .name: self = .name
      case .description: self = .description
      case .contact: self = .contacts
      case .title: self = .title
      case .identity: self = .identity
      case .fields: self = .declared
      case .sortOrder: self = .sortOrder
      case .leads: self = .leads
      case .parent, .department: self = .place
      case .primaryDepartment: self = .primary
      case .id, .user: self = []
      }
    }

    /// Those of `RecordKind.texts` whose rows are others.
    static func texts(
      of kind: RecordKind,
      _ new: [StringColumn],
      _ row: Int,
      _ old: [TextRows],
      _ oldRow: Int
    ) -> Fields {
      var fields: Fields = []
      for (index, column) in kind.texts.enumerated() {
        let differing = new[index].withBytes(at: row) { new in
          old[index].withBytes(at: oldRow) { old in Self.differing(in: column, new, old) }
        }
        fields.formUnion(differing)
      }
      return fields
    }

    private static func differing(
      in column: RecordColumn,
      _ new: UnsafeRawBufferPointer,
      _ old: UnsafeRawBufferPointer
    ) -> Fields {
      if sameBytes(new, old) { return [] }
      return column == .identity && !new.isEmpty && !old.isEmpty ? .record : Fields(column)
    }
  }

  package private(set) var totals: ChangeTotals
  /// Whether something else differs that belongs to no record: the order of names, or what is
  /// Unplaced and why.
  package internal(set) var differsOtherwise = false
  /// Whether fields are declared otherwise.
  package internal(set) var declaresOtherwise = false
  /// Whether the rules of who may see whom are others.
  package internal(set) var hasOtherRules = false
  /// Whether identities are stored that were not, or the other way round.
  package internal(set) var hasOtherIdentities = false
  /// How many ids are another record's in the new state, removed and added in `totals`.
  private var passedOn = (departments: 0, users: 0)
  /// All that differ; of a first state none.
  package internal(set) var changes: DetectedChanges

  /// Nothing differs yet between states of so many departments and users.
  ///
  /// - Parameters:
  ///   - departments: How many there were before.
  ///   - users: How many there were before.
  ///   - sides: Where the two sides of each change can be had.
  init(departments: Int, users: Int, sides: any ComparedStates) {
    totals = ChangeTotals(
      departments: ChangeCounts(unchanged: departments),
      users: ChangeCounts(unchanged: users)
    )
    changes = DetectedChanges(sides)
  }

  /// A first state: everything is added, and nothing is listed.
  package init(firstDepartments: Int, firstUsers: Int) {
    totals = ChangeTotals(
      departments: ChangeCounts(added: firstDepartments),
      users: ChangeCounts(added: firstUsers)
    )
    changes = DetectedChanges(nil)
  }

  /// Nothing differs: what is stored is what is there, and need not be written again.
  package var isEmpty: Bool {
    totals.isEmpty && !differsOtherwise && !declaresOtherwise && !hasOtherRules
      && !hasOtherIdentities
  }

  /// The same as `totals`, where whatever has the id of another record is that one, changed.
  package var totalsByID: ChangeTotals {
    func merge(_ counts: inout ChangeCounts, _ number: Int) {
      counts.added -= number
      counts.removed -= number
      counts.changed += number
    }
    var merged = totals
    merge(&merged.departments, passedOn.departments)
    merge(&merged.users, passedOn.users)
    return merged
  }

  package var departments: ChangeCounts { totals.departments }
  package var users: ChangeCounts { totals.users }

  /// Counts a difference, and notes where it lies.
  mutating func add(_ found: DetectedChange) {
    if found.isDepartment {
      totals.departments.add(found.action)
    } else {
      totals.users.add(found.action)
    }
    changes.append(found)
  }

  /// Counts what differs between the records that have an id in both states; where they are not the
  /// same record, one was removed and the other added.
  ///
  /// - Parameters:
  ///   - fields: What differs.
  ///   - kind: `.department` or `.user`.
  ///   - old: The row in the stored state.
  ///   - new: The row in the new state as `ComparedStates` numbers them.
  mutating func add(_ fields: Fields, of kind: RecordKind, old: Int, new: Int) {
    if fields.contains(.record) {
      add(DetectedChange(kind, .added, new: new))
      add(DetectedChange(kind, .removed, old: old))
      if kind == .department { passedOn.departments += 1 } else { passedOn.users += 1 }
    } else if !fields.subtracting(.identity).isEmpty {
      add(DetectedChange(kind, Change.Action(fields, of: kind), old: old, new: new))
    } else if !fields.isEmpty {
      hasOtherIdentities = true
    }
  }
}
