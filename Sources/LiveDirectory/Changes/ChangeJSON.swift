import DirectoryModel
import DirectoryReading

extension Change {
  /// One JSON object on one line.
  ///
  ///     {"action":"moved","event":"change","from":{"id":…,"name":…},"id":…,"joined":[{"id":…,…}],
  ///      "kind":"user","left":[…],"name":…,"to":{…},
  ///      "values":[{"department":{…},"field":"title","new":…,"old":…}]}
  ///
  /// Lists that are empty are left out. `from` and `to` are the parents of a department and the primary
  /// departments of a person, where they differ.
  package var json: String { json() }

  /// The same with what a report adds: what it comes to, or the transaction that did it.
  package func json(category: String? = nil, transaction: Int64? = nil) -> String {
    let differences = differences
    let isPlaced = from?.id == to?.id
    let object: JSONObject = [
      "event": "change", "kind": kind.rawValue, "action": action.rawValue, "id": id, "name": name,
      "from": isPlaced ? nil : from?.json, "to": isPlaced ? nil : to?.json,
      "values": differences.values.map(\.json).unlessEmpty,
      "joined": differences.joined.map(\.json).unlessEmpty,
      "left": differences.left.map(\.json).unlessEmpty, "forgotten": isForgotten ? true : nil,
      "category": category, "transaction": transaction,
    ]
    return object.line
  }
}

extension VisibilityChange {
  /// One JSON object on one line, with the keys of a change; the name is the sentence, or the person's id.
  ///
  ///     {"action":"changed","event":"change","id":"7","kind":"rule","name":…,
  ///      "values":[{"field":"rule","new":…,"old":…}]}
  ///     {"action":"added","event":"change","id":"council","kind":"group","name":"u1"}
  package func json(category: String? = nil, transaction: Int64? = nil) -> String {
    let object: JSONObject = [
      "event": "change", "kind": kind, "action": action.rawValue, "id": id, "name": name,
      "values": values.map(\.json).unlessEmpty, "category": category, "transaction": transaction,
    ]
    return object.line
  }
}

extension Array {
  fileprivate var unlessEmpty: [Element]? { isEmpty ? nil : self }
}

extension Change.Place {
  fileprivate var json: JSONObject { ["id": id.rawValue, "name": name] }
}

extension ChangeDifferences.Value {
  fileprivate var json: JSONObject {
    ["field": field, "department": department?.json, "old": old, "new": new]
  }
}

extension ChangeTotals {
  /// Counts of changes, under `changes` in what a plan, an import and a sync report.
  ///
  ///     {"departments":{"added":1,"changed":0,"moved":0,"removed":0,"unchanged":3},"people":{…}}
  ///
  /// - Parameter countsRows: Whether memberships are counted by themselves.
  /// - Returns: The object.
  package func json(countsRows: Bool) -> JSONObject {
    [
      "departments": departments.json, "people": users.json,
      "memberships": countsRows ? memberships.json : nil,
    ]
  }
}

extension ChangeCounts {
  fileprivate var json: JSONObject {
    [
      "added": added, "changed": changed, "moved": moved, "removed": removed,
      "unchanged": unchanged,
    ]
  }
}
