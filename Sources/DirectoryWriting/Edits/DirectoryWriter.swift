import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import Platform
import SiteSettings

/// Waits for an edit: sees its plan, and agrees to what it removes.
package struct EditObserver: Sendable {
  /// Told what is about to be done, before it is committed, and before it is asked about; what it throws ends
  /// the edit.
  package var plan: @Sendable ([Change], ChangeTotals) throws(DirectoryError) -> Void = { _, _ in }
  /// Told after the plan what is about to be done to visibility rules.
  package var planRules: @Sendable ([VisibilityChange]) throws(DirectoryError) -> Void = { _ in }
  /// Asked before records are removed, and before what was edited as a text is done; nothing is changed unless it agrees.
  ///
  /// `nil` agrees to everything.
  package var confirm: (@Sendable ([Change], ChangeTotals) throws(DirectoryError) -> Bool)?
  package typealias Guess = @Sendable (_ guess: String) throws(DirectoryError) -> Bool
  /// Asked whether a record is meant that was found by less than its id, name, path or address;
  /// where the user cannot be asked, it is not.
  package var isMeant: Guess = { _ in false }
  /// Asked what becomes of the rules that show, and of the groups, that are about a person who is merged
  /// away, a line each; what it throws ends the edit.
  ///
  /// `nil` says that the user cannot be asked.
  package var mergedRules:
    (@Sendable (_ lines: [String]) throws(DirectoryError) -> MergedRules.Choice)?
  /// Called when the transaction is about to be committed: from now on it can no longer be said
  /// that nothing was changed.
  package var committing: @Sendable () -> Void = {}
  /// Told where the text is that the user is editing, so that it can be found whatever happens.
  package var editing: @Sendable (String) -> Void = { _ in }

  package init() {}
}

/// What an edit did, or would do.
package struct EditReport: Sendable {
  package enum Outcome: Sendable {
    case nothingToDo, declined, dryRun, done
    /// Done; the connection broke at the end, and the server said so afterwards.
    case foundOut
  }

  package var totals: ChangeTotals
  package var outcome: Outcome
  /// Visibility rules and people in groups that were changed.
  package var rules = 0

  /// The counts of what was done, or would be, such as `1 person changed`.
  package var text: String {
    let parts = [
      totals.foundText, rules == 0 ? "" : counted(rules, "visibility rule") + " changed",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }
}

/// Changes records, each edit in one transaction or not at all.
package struct DirectoryWriter: Sendable {
  let session: Session

  package init(_ session: Session) { self.session = session }

  var site: Site { session.site }

  /// Edits records in one transaction, or not at all.
  ///
  /// Names are looked up in a snapshot that is brought up to date first; what is changed is what the
  /// database has.
  ///
  /// - Parameters:
  ///   - edit: What to do.
  ///   - reason: The reason, recorded in the history.
  ///   - isDryRun: Whether all is done and taken back: what would be refused is refused.
  ///   - observer: Sees the plan, and is asked.
  /// - Returns: What was done.
  /// - Throws: `.notFound` for records that are not there, `.badData` for values that break the
  ///   rules, `.notPermitted` where the database forbids it, and to callers who do not see everything
  ///   whatever is more than the values of one record, `.refusedForNow` where another user was
  ///   faster; nothing is changed then.
  package func edit(
    _ edit: Edit,
    reason: String? = nil,
    isDryRun: Bool = false,
    observer: EditObserver = EditObserver()
  ) async throws -> EditReport {
    // Whether an id is free, what lies below and who stands beside tell of what is hidden.
    if try !edit.isOfValues { _ = try Administrator(session, to: edit.doing) }
    let (directory, editor) = try await openForEdits(edit.doing, reason)
    var planner = EditPlanner(edit.doing, directory, editor, isMeant: observer.isMeant)
    planner.visibility = try session.hub.visibility(for: session)
    try await planner.plan(edit)
    let changes = planner.draft.changes()
    let shown = try seen(changes, by: planner)
    for note in planner.notes { site.notice(note) }
    let rules = try await rules(after: edit, by: planner, observer)
    return try await carryOut(
      changes,
      as: shown,
      editor,
      edit.doing,
      isDryRun,
      observer,
      effect: planner.effect,
      rules: rules?.changes ?? [],
      writing: rules?.writer
    )
  }

  /// The visibility rules after an edit that merges two people.
  ///
  /// - Returns: `nil` where none is about the one who goes.
  /// - Throws: `.notPermitted` for database users who may not change them, and `.refusedForNow` where it
  ///   has to be said what becomes of them.
  private func rules(
    after edit: Edit,
    by planner: EditPlanner,
    _ observer: EditObserver
  ) async throws -> (changes: [VisibilityChange], writer: VisibilityRuleWriter)? {
    guard case .merge(_, _, let choice) = edit,
      case .merged(let double, let stays)? = planner.effect
    else { return nil }
    let states = try await planner.editor.presentRules()
    let former = VisibilityRules(states)
    let merged = try MergedRules(former, double, into: stays, planner.directory)
    guard !merged.isEmpty else { return nil }
    guard try await planner.editor.mayChangeRules() else {
      throw DirectoryError(
        .notPermitted,
        "cannot \(planner.doing): visibility rules or groups are about \(double), and only members "
          + "of staffbook_admin may change them",
        advice: "nothing was changed; have a member of staffbook_admin merge them",
        details: merged.lines
      )
    }
    let rules = merged.rules(try choice ?? decision(about: merged, doing: planner.doing, observer))
    return (rules.changes(from: states), VisibilityRuleWriter(rules, replacing: former))
  }

  /// What is done with the rules that show, and with places in groups.
  private func decision(
    about merged: MergedRules,
    doing: String,
    _ observer: EditObserver
  ) throws(DirectoryError) -> MergedRules.Choice {
    let open = merged.openLines
    guard !open.isEmpty else { return .follow }
    guard let ask = observer.mergedRules else {
      throw DirectoryError(
        .refusedForNow,
        "cannot \(doing): say what becomes of the visibility rules and groups that are about the "
          + "second",
        advice: "nothing was changed; repeat the command with \(.mergedRules)",
        details: open
      )
    }
    return try ask(open)
  }

  /// Changes without what the caller does not see of the records.
  ///
  /// - Throws: `.notFound` where something that is changed is hidden.
  private func seen(_ changes: [Change], by planner: EditPlanner) throws -> [Change] {
    guard var visibility = planner.visibility else { return changes }
    for change in changes { visibility.note(change) }
    return try changes.map { change in
      guard try change.kind != .department || visibility.showsAll(of: DepartmentID(change.id)),
        let seen = try visibility.visible(change), seen.items == change.items
      else { throw planner.isHidden }
      return seen
    }
  }

  /// The directory as it is now, and an editor for it.
  func openForEdits(
    _ doing: String,
    _ reason: String?
  ) async throws(DirectoryError) -> (Directory, DirectoryEditor) {
    try site.requireWritable(doing)
    let directory = try await currentDirectory()
    let editor = try await DirectoryEditor(
      conninfo: site.conninfo(),
      authorship: session.caller.authorship(reason: reason),
      doing: doing,
      access: site.access
    )
    return (directory, editor)
  }

  private var door: DirectoryOpener { DirectoryOpener(session) }

  /// A sync that is refused for now does not prevent editing what the last one brought.
  private func currentDirectory() async throws(DirectoryError) -> Directory {
    do {
      return try await door.directory(fresh: true)
    } catch  where error.kind == .refusedForNow {
      site.notice(error.message)
      return try await door.directory()
    }
  }

  /// Shows changes as `shown`, or as they are, asks, makes them.
  func carryOut(
    _ changes: [Change],
    as shown: [Change]? = nil,
    _ editor: DirectoryEditor,
    _ doing: String,
    _ isDryRun: Bool,
    _ observer: EditObserver,
    asksAlways: Bool = false,
    effect: ListEffect? = nil,
    rules: [VisibilityChange] = [],
    writing: VisibilityRuleWriter? = nil
  ) async throws -> EditReport {
    let totals = ChangeTotals(of: changes)
    var report = EditReport(totals: totals, outcome: .nothingToDo, rules: rules.count)
    guard !changes.isEmpty || !rules.isEmpty else { return report }
    func tell() throws(DirectoryError) {
      try observer.plan(shown ?? changes, totals)
      if !rules.isEmpty { try observer.planRules(rules) }
    }
    let removed = totals.departments.removed + totals.users.removed
    let confirm = (removed > 0 || asksAlways) && !isDryRun ? observer.confirm : nil
    if let confirm {
      try tell()
      guard try confirm(shown ?? changes, totals) else {
        report.outcome = .declined
        return report
      }
    }
    // To a reader, an id that changed is one that has been removed and one that has been added.
    var accepted = totals
    accepted.users.removed += changes.count { $0.kind == .user && $0.newID != nil }
    let vanishing = accepted.departments.removed + accepted.users.removed
    // What the user agreed to holds for all readers.
    let conflicts = try await editor.apply(
      changes,
      accepting: vanishing > DeletionGuard.harmlessCount ? accepted : nil,
      effect: effect,
      rules: rules.isEmpty ? nil : writing
    )
    guard conflicts.isEmpty else { throw refusal(doing, conflicts) }
    // Nothing is told that the database refuses.
    if confirm == nil { try tell() }
    if effect == nil {
      for value in changes.flatMap({ $0.doubtfulValues(editor.fields) }) {
        site.notice("warning: \(value)")
      }
    }
    if isDryRun {
      await editor.rollback()
      report.outcome = .dryRun
      return report
    }
    observer.committing()
    report.outcome = try await editor.commit() == .foundOut ? .foundOut : .done
    return report
  }

  /// Names what was changed, and by whom, to callers from whom nothing is hidden.
  private func refusal(_ doing: String, _ conflicts: [ChangeConflict]) -> DirectoryError {
    let conflicts = session.caller.viewer == .everything ? conflicts : []
    let named = conflicts.prefix(DeletionGuard.namedCount).map {
      $0.text(in: session.caller.zone)
    }
    let rest = conflicts.count > named.count ? ["and \(conflicts.count - named.count) more"] : []
    return DirectoryError(
      .refusedForNow,
      "cannot \(doing): it was changed in the meantime",
      advice: "nothing was changed; look at it as it is now, and try again",
      details: named + rest
    )
  }
}

extension Edit {
  /// Whether it changes nothing but values of a record, its id and its place left alone.
  ///
  /// By the fields that its planner will read: `=` and a mark behind it are one character of a text.
  fileprivate var isOfValues: Bool {
    get throws {
      switch self {
      case .rename: true
      case .set(_, let values): try !values.contains { try Assignment($0).isOfIdentity }
      default: false
      }
    }
  }
}
