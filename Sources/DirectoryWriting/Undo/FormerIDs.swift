import DirectoryModel
import DirectoryStore

/// Ids of people that transactions changed, on their way back.
///
/// History has a changed id as one person who was removed and another one who was added; taken back
/// as these, anyone who was edited since would be there twice.
struct FormerIDs {
  /// The id that each person gets back, by the id now.
  private(set) var ids: [UserID: UserID] = [:]
  /// The other way round.
  private var present: [UserID: UserID] = [:]

  /// Joins the two changes of each person whose id a transaction changed.
  ///
  /// Transactions come newest first.
  ///
  /// - Parameters:
  ///   - renamings: Of the transaction.
  ///   - changes: Of the transaction.
  /// - Returns: The changes, each by the id that the person has now.
  mutating func takeBack(
    _ renamings: [(former: String, latter: String)],
    _ changes: [Change]
  ) -> [Change] {
    var states: [RecordKey: Change] = [:]
    for change in changes { states[RecordKey(change)] = change }
    var joined: [Change] = []
    for (former, latter) in renamings {
      guard let removed = states[RecordKey(.user, former)], removed.after == nil,
        let added = states[RecordKey(.user, latter)], added.before == nil
      else { continue }
      states[RecordKey(.user, former)] = nil
      states[RecordKey(.user, latter)] = nil
      let now = id(now: UserID(latter))
      present[UserID(latter)] = nil
      ids[now] = UserID(former)
      present[UserID(former)] = now
      if let change = Change(.user, now.rawValue, from: removed.before, to: added.after) {
        joined.append(change)
      }
    }
    return joined
      + changes.filter { states[RecordKey($0)] != nil }.map { change in
        guard change.kind == .user else { return change }
        var change = change
        change.id = id(now: UserID(change.id)).rawValue
        return change
      }
  }

  /// The id now of the user who had another one at the time of a transaction.
  private func id(now id: UserID) -> UserID { present[id] ?? id }

  /// The changes that give people their former ids back, too.
  ///
  /// - Throws: `.refusedForNow` where another user has such an id now.
  func giveBack(
    _ changes: [Change],
    _ present: CurrentRecords,
    _ doing: String
  ) throws(DirectoryError) -> [Change] {
    let taken = ids.filter { ids[$0.value] == nil && present.users[$0.value] != nil }
    guard taken.isEmpty else {
      throw DirectoryError(
        .refusedForNow,
        "cannot \(doing): other people have ids that it would give back",
        advice: "nothing was changed; give them other ids, and try again",
        details: taken.values.sorted().map { id in
          "\(present.users[id]?.name ?? "") has the id \(id)"
        }
      )
    }
    var own: [UserID: Change] = [:]
    for change in changes where change.kind == .user { own[UserID(change.id)] = change }
    let others = changes.filter { $0.kind != .user || ids[UserID($0.id)] == nil }
    return others
      + ids.sorted { $0.key < $1.key }.compactMap { now, former in
        guard let state = present.users[now] else { return nil }
        let change = own[now]
        if let change, change.after == nil { return change }
        return Change(
          .user,
          now.rawValue,
          newID: former.rawValue,
          from: state,
          to: change?.after ?? state
        )
      }
  }
}
