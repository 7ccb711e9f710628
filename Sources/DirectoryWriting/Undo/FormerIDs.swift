import DirectoryModel
import DirectoryStore

/// Ids of people and departments that transactions changed, on their way back.
///
/// History has a changed id as one record that was removed and another one that was added, with one
/// identity; taken back as these, whatever was edited since would be there twice.
struct FormerIDs {
  /// The id that each record gets back, by the id now.
  private(set) var ids: [RecordKey: String] = [:]
  private var identities: [RecordKey: RecordIdentity] = [:]
  /// The id now, by the one that was taken back.
  private var present: [RecordKey: String] = [:]

  /// The records by both ids.
  var keys: [RecordKey] { ids.flatMap { [$0.key, RecordKey($0.key.kind, $0.value)] } }

  /// Joins the two changes of each record whose id a transaction changed.
  ///
  /// Transactions come newest first.
  ///
  /// - Parameter changes: Of the transaction.
  /// - Returns: The changes, each by the id that the record has now.
  mutating func takeBack(_ changes: [Change]) -> [Change] {
    var removals: [RecordIdentity: Change] = [:]
    for change in changes where change.after == nil {
      if let identity = change.identity { removals[identity] = change }
    }
    var (joined, renamed): ([Change], Set<RecordIdentity>) = ([], [])
    for added in changes where added.before == nil {
      guard let identity = added.identity, let removed = removals[identity] else { continue }
      let (former, latter) = (RecordKey(removed), RecordKey(added))
      let now = RecordKey(added.kind, id(now: latter))
      present[latter] = nil
      ids[now] = former.id
      present[former] = now.id
      identities[now] = identity
      renamed.insert(identity)
      if var change = Change(added.kind, now.id, from: removed.before, to: added.after) {
        change.identity = identity
        joined.append(change)
      }
    }
    return joined
      + changes.filter { $0.identity.map { !renamed.contains($0) } ?? true }.map { change in
        var change = change
        let key = RecordKey(change)
        change.id = id(now: key)
        // Before it was added, the id was another record's.
        if change.before == nil { present[key] = nil }
        return change
      }
  }

  /// The id now of a record that had another one at the time of a transaction.
  private func id(now key: RecordKey) -> String { present[key] ?? key.id }

  /// The changes that give records their former ids back, too.
  ///
  /// - Throws: `.refusedForNow` where another record has such an id now.
  func giveBack(
    _ changes: [Change],
    _ present: CurrentRecords,
    _ doing: String
  ) throws(DirectoryError) -> [Change] {
    // Whoever has the id by now is left alone.
    let ids = ids.filter { now, _ in
      present.identity(now).map { $0 == identities[now] } ?? true
    }
    let taken = ids.map { RecordKey($0.key.kind, $0.value) }
      .filter { ids[$0] == nil && present.state($0.kind, $0.id) != nil }
    guard taken.isEmpty else {
      throw DirectoryError(
        .refusedForNow,
        "cannot \(doing): other records have ids that it would give back",
        advice: "nothing was changed; give them other ids, and try again",
        details: taken.map(\.id).sorted().map { id in
          let name = taken.first { $0.id == id }.flatMap { present.state($0.kind, id)?.name }
          return "\(name ?? "") has the id \(id)"
        }
      )
    }
    var own: [RecordKey: Change] = [:]
    for change in changes { own[RecordKey(change)] = change }
    return changes.filter { ids[RecordKey($0)] == nil }
      + ids.sorted { ($0.key.kind.rawValue, $0.key.id) < ($1.key.kind.rawValue, $1.key.id) }
      .compactMap { now, former in
        guard let state = present.state(now.kind, now.id) else { return nil }
        let change = own[now]
        if let change, change.after == nil { return change }
        return Change(now.kind, now.id, newID: former, from: state, to: change?.after ?? state)
      }
  }
}
