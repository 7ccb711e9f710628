import DirectoryModel

/// Something that is wrong with a record, or likely is.
package struct DataProblem: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case malformedEmail = "malformed-email"
    case malformedPhone = "malformed-phone"
    case invisibleCharacters = "invisible-characters"
    case managerIsMissing = "manager-is-missing"
    case managersInRing = "managers-in-a-ring"
    case mixedScripts = "mixed-scripts"
    case doubtfulDate = "doubtful-date"
    case formula
    case samePerson = "same-person"
    case withoutLead = "without-lead"
    case withoutPeople = "without-people"
    case tooDeep = "too-deep"

    /// Whether it is wrong for certain; the others are worth a look.
    package var isCertain: Bool {
      switch self {
      case .malformedEmail, .malformedPhone, .invisibleCharacters, .managerIsMissing,
        .managersInRing:
        true
      case .mixedScripts, .doubtfulDate, .formula, .samePerson, .withoutLead, .withoutPeople,
        .tooDeep:
        false
      }
    }
  }

  /// A record that a fault is about.
  package struct Record: Hashable, Sendable {
    package var kind: DirectoryRow.Kind
    package var id: String
    package var name: String
  }

  package var kind: Kind
  /// One, or all of those that are the same, or of a ring.
  package var records: [Record]
  /// What is wrong, such as `the phone "x" is not a phone number`.
  package var text: String
  /// The arguments of a command that mends it, or of its most likely part; none where none can.
  package var remedy: [String]
}
