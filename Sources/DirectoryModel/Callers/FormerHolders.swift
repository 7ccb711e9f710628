/// Records that had ids formerly which are others' now, or nobody's.
///
/// A record that is there is known by its id. One that is not is known by its *former key*, which
/// `DirectoryIdentifier.former(_:_:)` makes of its last id and its identity, so that it is never taken
/// for a later holder of that id.
package struct FormerHolders: Sendable {
  /// The time in which a record had an id, up to its end.
  package struct Term: Hashable, Sendable {
    package var key: RecordKey
    /// When the record was given another id or was removed, in microseconds since 1970, UTC.
    package var end: Int64
    /// What the record is known by.
    package var holder: String
    /// When the record was there last, and by which id; `nil` for one that is there.
    package var last: RecordMoment?
    package var identity: RecordIdentity?

    package init(
      _ key: RecordKey,
      until end: Int64,
      holder: String,
      last: RecordMoment?,
      identity: RecordIdentity? = nil
    ) {
      (self.key, self.end, self.holder) = (key, end, holder)
      (self.last, self.identity) = (last, identity)
    }
  }

  /// Of each id in the order of time.
  private var terms: [RecordKey: [Term]] = [:]
  private var lastMoments: [RecordKey: RecordMoment] = [:]

  package init() {}

  /// Hears all terms of some ids, in the order of time.
  package mutating func note(_ terms: [Term]) {
    for term in terms {
      self.terms[term.key, default: []].append(term)
      if let last = term.last { lastMoments[RecordKey(term.key.kind, term.holder)] = last }
    }
  }

  /// What the record is known by that had an id at a time; `nil` where its term has not ended.
  package func holder(of key: RecordKey, at time: Int64) -> String? {
    terms[key]?.first { $0.end > time }?.holder
  }

  /// What the record is known by whose term with an id ended last.
  package func lastHolder(of key: RecordKey) -> String? { terms[key]?.last?.holder }

  /// All records that ever had an id and do not have it now.
  package func holders(of key: RecordKey) -> [String] { (terms[key] ?? []).map(\.holder) }

  /// When a record was there last that is known by a former key, and by which id.
  package func lastMoment(of key: RecordKey) -> RecordMoment? { lastMoments[key] }

  /// The ids that records had at a time, by what these are known by now.
  package func formerIDs(at time: Int64) -> [RecordKey: [String]] {
    var ids: [RecordKey: [String]] = [:]
    for (key, terms) in terms {
      guard let holder = terms.first(where: { $0.end > time })?.holder else { continue }
      ids[RecordKey(key.kind, holder), default: []].append(key.id)
    }
    return ids
  }
}

extension RecordKey {
  /// The id, or the last one where this is a former key.
  package var lastID: String {
    id.split(separator: "\u{0}", maxSplits: 1).first.map { String($0) } ?? id
  }

  /// The identity where this is a former key.
  package var formerIdentity: RecordIdentity? {
    let parts = id.split(separator: "\u{0}", maxSplits: 1)
    return parts.count == 2 ? RecordIdentity(String(parts[1])) : nil
  }
}
