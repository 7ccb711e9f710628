import DirectoryModel

/// The sections of a directory snapshot.
///
/// N nodes, D departments, U users, M memberships. A text column is two sections: its bytes, and the
/// u32 end of each row in them; without ends all its rows are empty.
package enum SnapshotSection: UInt32, CaseIterable, Sendable {
  /// Text: key, value, key, value, …
  case metadataText = 1
  case metadataEnds = 2
  /// Text: the declared fields, `FieldDeclarations`.
  case fieldsText = 3
  case fieldsEnds = 4
  /// Text: who may see whom, `VisibilityDeclarations`; empty in excerpts.
  case visibilityText = 5
  case visibilityEnds = 6

  /// i32 × N: position of the parent, −1 for a root.
  case nodeParents = 10
  /// i32 × N: end of the node's subtree.
  case nodeEnds = 11
  /// i32 × N: 0 for a root.
  case nodeLevels = 12
  /// u64 × ⌈N/64⌉: which nodes are groups.
  case nodeGroups = 13
  /// u32 × N: row of the department (group) or of the membership (leaf).
  case nodeRecords = 14
  /// i32, rising: nodes directly below *Unplaced*.
  case unplacedNodes = 15
  /// Text: the reason of each.
  case unplacedReasonsText = 16
  case unplacedReasonsEnds = 17

  case departmentIDsText = 20
  case departmentIDsEnds = 21
  case departmentNamesText = 22
  case departmentNamesEnds = 23
  case departmentDescriptionsText = 24
  case departmentDescriptionsEnds = 25
  /// i64 × D.
  case departmentSortOrders = 26
  /// i32 × D: position of the department's node.
  case departmentNodes = 27
  /// u32 × D: distinct users in the subtree.
  case departmentPeople = 28
  /// u64: `IdentifierIndex` slots.
  case departmentIndex = 29
  /// Text: `FieldValues`.
  case departmentFieldsText = 30
  case departmentFieldsEnds = 31
  /// Text: `RecordIdentity`, empty where the source does not tell.
  case departmentIdentitiesText = 32
  case departmentIdentitiesEnds = 33

  case userIDsText = 40
  case userIDsEnds = 41
  case userNamesText = 42
  case userNamesEnds = 43
  case userEmailsText = 44
  case userEmailsEnds = 45
  case userPhonesText = 46
  case userPhonesEnds = 47
  /// u32 × (U + 1): where each user's leaves begin in `userLeafNodes`.
  case userLeafStarts = 48
  /// i32 × M: positions of each user's leaves, rising for one user.
  case userLeafNodes = 49
  /// u64: `IdentifierIndex` slots.
  case userIndex = 50
  /// Text: `FieldValues`.
  case userFieldsText = 51
  case userFieldsEnds = 52
  /// Text: `RecordIdentity`, empty where the source does not tell.
  case userIdentitiesText = 53
  case userIdentitiesEnds = 54

  /// u32 × M: row of the user.
  case membershipUsers = 60
  case membershipTitlesText = 61
  case membershipTitlesEnds = 62
  /// i64 × M.
  case membershipSortOrders = 63
  /// u64 × ⌈M/64⌉: which memberships are primary.
  case membershipPrimary = 64
  /// u64 × ⌈M/64⌉: which memberships lead their departments.
  case membershipLeads = 65

  // Only in excerpts, and there only where something is hidden: `HiddenValues`.

  /// Text: what is hidden of departments, a row for each set of fields.
  case departmentHiddenText = 80
  case departmentHiddenEnds = 81
  /// u32 × D: the set of each; none where there is one.
  case departmentHidden = 82
  case userHiddenText = 83
  case userHiddenEnds = 84
  /// u32 × U.
  case userHidden = 85
}

extension SnapshotSection {
  /// The bytes and the ends of one of `RecordKind.texts`.
  static func text(
    _ column: RecordColumn,
    of kind: RecordKind
  ) -> (bytes: SnapshotSection, ends: SnapshotSection) {
    switch (kind, column) {
    case (.department, .name): (.departmentNamesText, .departmentNamesEnds)
    case (.department, .description): (.departmentDescriptionsText, .departmentDescriptionsEnds)
    case (.department, .identity): (.departmentIdentitiesText, .departmentIdentitiesEnds)
    case (.department, .fields): (.departmentFieldsText, .departmentFieldsEnds)
    case (.user, .name): (.userNamesText, .userNamesEnds)
    case (.user, .contact(.email)): (.userEmailsText, .userEmailsEnds)
    case (.user, .contact(.phone)): (.userPhonesText, .userPhonesEnds)
    case (.user, .identity): (.userIdentitiesText, .userIdentitiesEnds)
    case (.user, .fields): (.userFieldsText, .userFieldsEnds)
    case (.membership, .title): (.membershipTitlesText, .membershipTitlesEnds)
    default: preconditionFailure("no text of a \(kind): \(column)")
    }
  }
}
