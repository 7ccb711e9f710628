/// A list that is imported again and again, such as that of the personnel department: it owns the
/// records that it brought and the values that its mapping names, and nothing else.
package struct ListSource: Hashable, Sendable {
  /// How the record of a person of the list is found, in the order of certainty.
  package enum Key: String, CaseIterable, Sendable {
    case id, number, email, name
  }

  /// What happens to a person who is probably recorded under another id.
  package enum MatchPolicy: String, CaseIterable, Sendable {
    case stop, match, add
  }

  /// What happens to a value that the list owns and that was edited here.
  package enum EditPolicy: String, CaseIterable, Sendable {
    case keep, overwrite
  }

  /// What holds leavers for a while.
  package struct LeaverRetention: Hashable, Sendable {
    package var department: DepartmentID
    package var days: Int

    package init(department: DepartmentID, days: Int = 90) {
      self.department = department
      self.days = days
    }
  }

  package var name: String
  package var keys = Key.allCases
  package var doubts = MatchPolicy.stop
  /// By default nothing that was entered here is lost.
  package var edited = EditPolicy.keep
  /// Of a hundred people so many may leave at once.
  package var limit = 20
  /// `nil` where leavers are removed at once.
  package var former: LeaverRetention?
  /// Names of the values of people that the list has: `name`, `department`, `title` and the like, and
  /// names of declared fields.
  package var values: [String] = []
  /// Where new people go whom the list puts in no department.
  package var home: DepartmentID?

  package init(name: String) { self.name = name }

  /// What rows have as the department of people whom the list puts in none; no department has such
  /// an id.
  package static let noDepartment = DepartmentID("\u{1}")

  /// Whether the list says in which departments people are.
  package var placesPeople: Bool { values.contains("department") }
}

/// A list that was imported, as the database remembers it.
package struct StoredListSource: Sendable {
  package var name: String
  /// People on record who belong to it, and those whom it only completes.
  package var owned: Int
  package var shared: Int
  /// When it was imported last: `2026-11-25 06:00`, in the time zone of the session; empty where no
  /// import is remembered.
  package var importedAt: String
  /// Names of the values that its mapping names.
  package var values: [String]

  package init(
    name: String,
    owned: Int,
    shared: Int,
    importedAt: String,
    values: [String]
  ) {
    self.name = name
    self.owned = owned
    self.shared = shared
    self.importedAt = importedAt
    self.values = values
  }
}

/// A person of a list, and the record that it is, or may be.
package struct ListMatch: Hashable, Sendable {
  /// Why it is thought to be the same person.
  package enum Reason: String, CaseIterable, Sendable {
    /// It was found, or decided, by an earlier import.
    case known
    case id, zeros, number, email, birthday, department, firstNameAndBirthday, firstNameAndPlace
    /// The list brought the person, and somebody removed the record here.
    case removedHere

    /// What both have in common, for people.
    package var text: String {
      switch self {
      case .known: "matched by an earlier import"
      case .id: "the same id"
      case .zeros: "the same id but for leading zeros"
      case .number: "the same personnel number"
      case .email: "the same email address"
      case .birthday: "the same last name and date of birth"
      case .department: "the same last name and department"
      case .firstNameAndBirthday: "the same first name and date of birth"
      case .firstNameAndPlace: "the same first name, department and title"
      case .removedHere: "the record was removed here"
      }
    }
  }

  /// What the import does about the ids.
  package enum Outcome: String, Sendable {
    /// The list brings the record from now on.
    case adopted
    /// The list completes the record, which does not belong to it.
    case shared
    /// The record keeps its id, by which the list's is known from now on.
    case aliased
    /// The record gets the list's id.
    case renamed
    /// The person comes back under the former id.
    case returned
    /// The user has to decide.
    case doubtful
  }

  /// The id in the list.
  package var id: String
  package var name: String
  package var recordedID: String
  package var recordedName: String
  package var reason: Reason
  package var outcome: Outcome
  /// Of a person who returns, what was entered here before and is given back, as in `office "Berlin"`.
  package var regained: [String] = []
  /// The same that has no place any more, with the cause.
  package var lacking: [String] = []

  package init(
    id: String,
    name: String,
    recordedID: String,
    recordedName: String,
    reason: Reason,
    outcome: Outcome
  ) {
    self.id = id
    self.name = name
    self.recordedID = recordedID
    self.recordedName = recordedName
    self.reason = reason
    self.outcome = outcome
  }

  /// As a person reads it, on one line.
  ///
  ///     = Ada Lund (0017) is Ada Lund (17) in the list: the same id but for leading zeros
  ///     = Bo Ek (18) is Bo Ek (18) in the list: the same id; comes back with office "Berlin"
  package var text: String {
    if outcome == .doubtful, let question { return "= \(question)" }
    let consequence =
      switch outcome {
      case .renamed: "; the id becomes \(id)"
      case .returned:
        "; comes back" + (regained.isEmpty ? "" : " with " + regained.joined(separator: ", "))
          + (lacking.isEmpty ? "" : "; without " + lacking.joined(separator: "; "))
      case .adopted: "; belongs to the list from now on"
      case .shared, .aliased, .doubtful: ""
      }
    return "= \(recordedName) (\(recordedID)) \(outcome == .doubtful ? "may be" : "is") "
      + "\(name) (\(id)) in the list: \(reason.text)\(consequence)"
  }

  /// What is doubtful, where both ids say the same.
  private var question: String? {
    switch reason {
    case .removedHere: "\(recordedName) (\(recordedID)) was removed here and is still in the list"
    case .id: "\(id) was \(recordedName) and is \(name) in the list"
    default: nil
    }
  }
}

/// A value that a list owns and that was edited here since the list was imported last, or one that
/// another list has.
package struct ListConflict: Hashable, Sendable {
  package var kind: RecordKind
  package var id: String
  package var name: String
  /// A name as in `ListSource.values`; of a department `name`, `parent` and the like.
  package var value: String
  package var here: String
  package var inList: String
  package var isKept: Bool
  /// The list that the person belongs to; empty where the value was edited here.
  package var owner: String

  package init(
    kind: RecordKind,
    id: String,
    name: String,
    value: String,
    here: String,
    inList: String,
    isKept: Bool,
    owner: String = ""
  ) {
    self.kind = kind
    self.id = id
    self.name = name
    self.value = value
    self.here = here
    self.inList = inList
    self.isKept = isKept
    self.owner = owner
  }

  package var text: String {
    let origin = owner.isEmpty ? "was edited here" : "belongs to the list \(owner)"
    return "! \(kind == .department ? "department " : "")\(name) (\(id)): \(value) \(origin): "
      + "\"\(here)\"; \(owner.isEmpty ? "the" : "this") list has \"\(inList)\", which is "
      + (isKept || !owner.isEmpty ? "not taken" : "taken")
  }
}

/// An answer to a doubtful match.
package struct MatchDecision: Hashable, Sendable {
  package var id: String
  package var recordedID: String
  package var reason: ListMatch.Reason
  package var isSame: Bool

  package init(_ match: ListMatch, isSame: Bool) {
    id = match.id
    recordedID = match.recordedID
    reason = match.reason
    self.isSame = isSame
  }
}
