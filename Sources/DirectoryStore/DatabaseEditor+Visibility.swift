import DirectoryModel
import LibPQ

extension DatabaseEditor {
  /// The rules in order, and the groups.
  package func visibilityRules() async throws(DirectoryError) -> VisibilityRules {
    try await look("read the visibility rules") { (connection) throws(StoreFailure) in
      try VisibilityQueries.read(&connection)
    }
  }

  /// Replaces the whole list in one transaction; a rule that is only moved changes one row.
  ///
  /// - Parameters:
  ///   - rules: The new list, in which rules keep their numbers, and new ones have 0. What does not say
  ///     who is meant by an id means the same one as before, and where the id is new, whoever has it.
  ///   - former: The list that the new one was made of.
  /// - Throws: `.refusedForNow` where the list is another one by now, `.badData` for one that is not
  ///   sound, `.notPermitted` for those who are not members of `staffbook_admin`; nothing is changed then.
  package func write(
    _ rules: VisibilityRules,
    replacing former: VisibilityRules
  ) async throws(DirectoryError) {
    let doing = "change the visibility rules"
    try await write(doing) { (connection) throws(StoreFailure) in
      try VisibilityRuleWriter(rules, replacing: former).run(&connection, doing: doing)
    }
  }
}

/// Puts a list of rules and groups in the place of another, in a transaction that has begun.
package struct VisibilityRuleWriter: Sendable {
  private let rules: VisibilityRules
  private let former: VisibilityRules

  package init(_ rules: VisibilityRules, replacing former: VisibilityRules) {
    (self.rules, self.former) = (rules, former)
  }

  func run(_ connection: inout PGConnection, doing: String) throws(StoreFailure) {
    if let fault = rules.fault {
      throw .refusal(.badData, "cannot \(doing): \(fault)")
    }
    do throws(StoreFailure) {
      try connection.perform(
        """
        lock table staffbook.visibility_rules, staffbook.visibility_groups
          in share row exclusive mode
        """
      )
      let present = try VisibilityQueries.states(&connection)
      let now = VisibilityRules(present)
      // What is not understood is in no list that could be compared, and would be removed.
      if !now.isUnderstood, let fault = now.fault {
        throw .refusal(.badData, "cannot \(doing): \(fault)")
      }
      guard isAsSeen(now) else {
        throw .refusal(
          .refusedForNow,
          "cannot \(doing): they were changed in the meantime",
          advice: "nothing was changed; look at them as they are now, and try again"
        )
      }
      let rules = rules.keepingIdentities(of: now)
      try Self.writeRules(rules, present, &connection)
      try Self.writeGroups(rules, present, &connection)
    } catch {
      throw error.ofNoMember(of: "staffbook_admin", connection, doing: doing)
    }
  }

  /// Whether a list is the one that was seen, but for what it has of the new one already: triggers make
  /// rules follow the records that the transaction has changed.
  private func isAsSeen(_ now: VisibilityRules) -> Bool {
    if now == former { return true }
    guard now.isUnderstood, now.rules.map(\.id) == former.rules.map(\.id) else { return false }
    let lists = [former, rules]
    let known = lists.map { Dictionary($0.rules.map { ($0.id, $0) }) { first, _ in first } }
    let areRulesSeen = now.rules.allSatisfy { rule in
      known.contains { $0[rule.id]?.keepingIdentities(of: rule) == rule }
    }
    return areRulesSeen
      && Set(lists.flatMap(\.groups.keys)).union(now.groups.keys).allSatisfy { group in
        lists.contains { list in
          list.groups[group] == now.groups[group]
            && list.keepingIdentities(of: now).memberIdentities[group]
              == now.memberIdentities[group]
        }
      }
  }

  private static func writeRules(
    _ rules: VisibilityRules,
    _ present: VisibilityRules.States,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let places = SiblingOrderPlanner.orders(
      of: rules.rules.map {
        SiblingOrderPlanner.Sibling(order: present[.rule($0.id)]?.place, rank: 0)
      }
    )
    let kept = Set(rules.rules.map(\.id))
    let removed = present.keys.compactMap { subject in
      if case .rule(let id) = subject, !kept.contains(id) { id } else { nil }
    }
    if !removed.isEmpty {
      try connection.perform(
        "delete from staffbook.visibility_rules where id = any($1::int8[])",
        [.int64Array(removed.sorted())]
      )
    }
    // At once: on the way, two may be in one place.
    try connection.perform("set constraints staffbook.visibility_rules_sort_order deferred")
    for (rule, place) in zip(rules.rules, places) {
      let state = present[.rule(rule.id)]
      guard state != VisibilityChange.State(rule: rule, place: place) else { continue }
      let values: [PGParameter] = rule.columns.map { .text($0) } + [.int64(place)]
      if state != nil {
        try connection.perform(update, values + [.int64(rule.id)])
      } else {
        // What comes back has the number that it had.
        let hasNumber = rule.id != 0
        try connection.perform(
          """
          insert into staffbook.visibility_rules (\(columns)\(hasNumber ? ", id" : ""))
            values (\(parameters)\(hasNumber ? ", $14::int8" : ""))
          """,
          hasNumber ? values + [.int64(rule.id)] : values
        )
      }
    }
    try connection.perform("set constraints staffbook.visibility_rules_sort_order immediate")
  }

  private static let columns = """
    effect, fields, target, target_id, target_field, target_value, viewer, viewer_id, viewer_field,
    viewer_value, target_identity, viewer_identity, sort_order
    """
  private static let parameters = """
    $1, coalesce(string_to_array(nullif($2, ''), ' '), '{}'), $3, $4, $5, $6, $7, $8, $9, $10,
    $11::uuid, $12::uuid, $13::int8
    """
  private static let update =
    "update staffbook.visibility_rules set (\(columns)) = row(\(parameters)) where id = $14::int8"

  private static func writeGroups(
    _ rules: VisibilityRules,
    _ present: VisibilityRules.States,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let wanted = Set(
      rules.groups.flatMap { name, people in
        people.map { VisibilityChange.Subject.member($0, group: name) }
      }
    )
    let known = Set(
      present.keys.filter { if case .member = $0 { true } else { false } }
    )
    func identity(_ subject: VisibilityChange.Subject) -> RecordIdentity? {
      guard case .member(let user, let group) = subject else { return nil }
      return rules.memberIdentities[group]?[user]
    }
    let others = wanted.intersection(known).filter { identity($0) != present[$0]?.identity }
    for (subjects, statement) in [
      (
        known.subtracting(wanted),
        """
        delete from staffbook.visibility_groups g
          using unnest($1::text[], $2::text[], $3::uuid[]) m(name, user_id, identity)
          where g.name = m.name and g.user_id = m.user_id
        """
      ),
      (
        others,
        """
        update staffbook.visibility_groups g set identity = m.identity
          from unnest($1::text[], $2::text[], $3::uuid[]) m(name, user_id, identity)
          where g.name = m.name and g.user_id = m.user_id
        """
      ),
      (
        wanted.subtracting(known),
        """
        insert into staffbook.visibility_groups (name, user_id, identity)
          select m.name, m.user_id, m.identity
            from unnest($1::text[], $2::text[], $3::uuid[]) m(name, user_id, identity)
          -- Two ids may be one person's, now and formerly.
          on conflict do nothing
        """
      ),
    ] where !subjects.isEmpty {
      var (names, people): ([String], [String]) = ([], [])
      var identities: [String?] = []
      for subject in subjects.sorted() {
        guard case .member(let user, let group) = subject else { continue }
        names.append(group)
        people.append(user.rawValue)
        identities.append(identity(subject)?.rawValue)
      }
      try connection.perform(
        statement,
        [.textArray(names), .textArray(people), .textArray(identities)]
      )
    }
  }
}

extension StoreFailure {
  /// The same; where a right is missing that members of a role have, that the user is none.
  func ofNoMember(
    of role: String,
    _ connection: borrowing PGConnection,
    doing: String
  ) -> StoreFailure {
    guard case .postgres(.refused(let diagnostic)) = self,
      diagnostic.sqlstate == .insufficientPrivilege
    else { return self }
    return .directory(
      DirectoryError(
        .notPermitted,
        "cannot \(doing): \(connection.user) is not a member of \(role)",
        advice: "nothing was changed; have an administrator run: "
          + "grant \(role) to \(connection.user.quotedIdentifier);"
      )
    )
  }
}
