/// A transaction that changed the directory, as history has it.
package struct RecordedTransaction: Hashable, Sendable {
  /// What people call it; says nothing about the order.
  package var number: Int64
  /// When it ended, in microseconds since 1970, UTC: a record's later changes have later times.
  package var at: Int64
  /// The role that logged in to the database; empty where that was not seen.
  package var role: String
  /// Who is said to have done it; empty where that was not said.
  package var actor: String
  package var reason: String
  /// Rows that it added, changed and removed.
  package var rows: ChangeTotals
  /// In words which fields it declared, changed or removed; empty for none.
  package var declarations: String
  /// Rules of who may see whom, and people in their groups, that it added, changed or removed.
  package var rules: Int
  /// Whether what it has was done earlier and unseen, and only found then.
  package var isFound: Bool
  /// Whether it erased values of a person from history.
  package var hasForgotten: Bool
  /// Whether the record begins here, at first or again: what was before is not known.
  package var isBeginning: Bool

  package init(
    number: Int64,
    at: Int64,
    role: String,
    actor: String = "",
    reason: String = "",
    rows: ChangeTotals = ChangeTotals(),
    declarations: String = "",
    rules: Int = 0,
    isFound: Bool = false,
    hasForgotten: Bool = false,
    isBeginning: Bool = false
  ) {
    self.number = number
    self.at = at
    self.role = role
    self.actor = actor
    self.reason = reason
    self.rows = rows
    self.declarations = declarations
    self.rules = rules
    self.isFound = isFound
    self.hasForgotten = hasForgotten
    self.isBeginning = isBeginning
  }

  /// Who did it, as far as is known; empty where nothing is.
  package var author: String { actor.isEmpty ? role : actor }

  /// Whether this is the whole name of the actor or the role, in any case.
  package func isBy(_ name: String) -> Bool {
    [actor, role].contains { $0.lowercased() == name.lowercased() }
  }

  /// All rows that it touched.
  package var rowCount: Int {
    rows.departments.touched + rows.users.touched + rows.memberships.touched
  }
}

/// Which transactions the user asks for.
package struct HistoryFilter: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case everything
    case user(UserID)
    /// A department with all that was below it at the time.
    case department(DepartmentID)
  }

  package var subject = Subject.everything
  /// Microseconds since 1970, UTC; not before.
  package var since: Int64?
  /// Not after.
  package var until: Int64?
  /// The actor's or the role's whole name, in any case.
  package var by: String?
  /// At most so many; `nil` is all.
  package var limit: Int?

  package init(_ subject: Subject = .everything) { self.subject = subject }
}

/// What happened to one record.
package struct HistoryStep: Sendable {
  package var transaction: RecordedTransaction
  package var change: Change

  package init(transaction: RecordedTransaction, change: Change) {
    self.transaction = transaction
    self.change = change
  }
}

/// A department or a person at a time.
package struct RecordMoment: Hashable, Sendable {
  package var key: RecordKey
  /// Microseconds since 1970, UTC.
  package var time: Int64

  package init(_ key: RecordKey, _ time: Int64) { (self.key, self.time) = (key, time) }
}

/// A record as it is, or was last.
package struct LastState: Sendable {
  package var state: Change.State
  /// The last moment that it was there; `nil` for now.
  package var time: Int64?

  package init(state: Change.State, time: Int64?) { (self.state, self.time) = (state, time) }
}

/// A department or a person that was removed.
package struct RemovedRecord: Sendable {
  /// What a text is taken for.
  package enum Key: Sendable, CaseIterable { case id, name }

  package var kind: RecordKind
  package var id: String
  /// The last one.
  package var name: String
  /// The transaction that removed it.
  package var transaction: Int64
  /// `nil` where it is not known, or the record was not removed.
  package var identity: RecordIdentity?
  /// The id now of a record that only got another one.
  package var presentID: String?

  package init(
    kind: RecordKind,
    id: String,
    name: String,
    transaction: Int64,
    identity: RecordIdentity? = nil,
    presentID: String? = nil
  ) {
    (self.kind, self.id, self.name) = (kind, id, name)
    (self.transaction, self.identity, self.presentID) = (transaction, identity, presentID)
  }

  /// What it is known by: its id now, its former key, or the id where the identity is not known.
  package var key: RecordKey {
    if let presentID { return RecordKey(kind, presentID) }
    guard let identity else { return RecordKey(kind, id) }
    return RecordKey(kind, UserID.former(id, identity).rawValue)
  }
}

/// What was erased of a person.
package struct Erasure: Hashable, Sendable {
  /// Changes whose values were erased.
  package var changes: Int
  /// Transactions whose reason named the person.
  package var reasons: Int
  /// Keys that were kept for readers who had not seen that the person was removed: these compare
  /// everything now.
  package var deletedKeys: Int

  package init(changes: Int, reasons: Int = 0, deletedKeys: Int = 0) {
    (self.changes, self.reasons, self.deletedKeys) = (changes, reasons, deletedKeys)
  }
}

/// Who is meant to have done a change, and why: what history notes beside the database's own user.
package struct Authorship: Hashable, Sendable {
  /// `STAFFBOOK_ACTOR`, else the account that runs the program; empty where that is unknown.
  package var actor: String
  /// What `-m` said; empty where nothing was said.
  package var reason: String

  /// Unicode scalars in an actor, and in a reason; what is longer is cut.
  package static let actorScalars = 1_000
  package static let reasonScalars = 10_000

  /// - Parameters:
  ///   - actor: Who; blanks around it do not count.
  ///   - reason: Why.
  package init(actor: String = "", reason: String = "") {
    self.actor = Self.settled(actor, Self.actorScalars)
    self.reason = Self.settled(reason, Self.reasonScalars)
  }

  /// PostgreSQL has no text with U+0000.
  private static func settled(_ text: String, _ limit: Int) -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace || $0.value == 0 }
    let trimmed = text.unicodeScalars.drop(while: isBlank)
    let end = trimmed.lastIndex { !isBlank($0) }.map { trimmed.index(after: $0) }
    let kept = trimmed[..<(end ?? trimmed.startIndex)].lazy.filter { $0.value != 0 }
    return kept.prefix(limit).reduce(into: "") { $0.unicodeScalars.append($1) }
  }
}
