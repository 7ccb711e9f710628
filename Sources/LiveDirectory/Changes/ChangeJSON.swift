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
  package var json: String { JSONLine.encode(ChangeJSON(self)) }

  /// The same with what a report adds: what it comes to, or the transaction that did it.
  package func json(category: String? = nil, transaction: Int64? = nil) -> String {
    var json = ChangeJSON(self)
    (json.category, json.transaction) = (category, transaction)
    return JSONLine.encode(json)
  }
}

extension VisibilityChange {
  /// One JSON object on one line, with the keys of a change; the name is the sentence, or the person's id.
  ///
  ///     {"action":"changed","event":"change","id":"7","kind":"rule","name":…,
  ///      "values":[{"field":"rule","new":…,"old":…}]}
  ///     {"action":"added","event":"change","id":"council","kind":"group","name":"u1"}
  package func json(category: String? = nil, transaction: Int64? = nil) -> String {
    var json = ChangeJSON(self)
    (json.category, json.transaction) = (category, transaction)
    return JSONLine.encode(json)
  }
}

private struct ChangeJSON: Encodable {
  var event = "change"
  var kind: String
  var action: String
  var id: String
  var name: String
  var from: Place?
  var to: Place?
  var values: [Value]?
  var joined: [Place]?
  var left: [Place]?
  /// Only where it is so.
  var forgotten: Bool?
  var category: String?
  var transaction: Int64?

  init(_ change: Change) {
    let differences = change.differences
    kind = change.kind.rawValue
    action = change.action.rawValue
    id = change.id
    name = change.name
    let isPlaced = change.from?.id == change.to?.id
    from = isPlaced ? nil : change.from.map(Place.init)
    to = isPlaced ? nil : change.to.map(Place.init)
    values = Self.unlessEmpty(differences.values.map(Value.init))
    joined = Self.unlessEmpty(differences.joined.map(Place.init))
    left = Self.unlessEmpty(differences.left.map(Place.init))
    forgotten = change.isForgotten ? true : nil
  }

  init(_ change: VisibilityChange) {
    (kind, action, id, name) = (change.kind, change.action.rawValue, change.id, change.name)
    values = Self.unlessEmpty(change.values.map(Value.init))
  }

  private static func unlessEmpty<Element>(_ list: [Element]) -> [Element]? {
    list.isEmpty ? nil : list
  }

  struct Place: Encodable {
    var id: String
    var name: String

    init(_ place: Change.Place) {
      id = place.id.rawValue
      name = place.name
    }
  }

  struct Value: Encodable {
    var field: String
    var department: Place?
    var old: String
    var new: String

    init(_ value: ChangeDifferences.Value) {
      field = value.field
      department = value.department.map(Place.init)
      (old, new) = (value.old, value.new)
    }
  }
}

/// Counts of changes, under `changes` in what a plan, an import and a sync report.
///
///     {"departments":{"added":1,"changed":0,"moved":0,"removed":0,"unchanged":3},"people":{…}}
package struct ChangeTotalsJSON: Encodable {
  package struct Counts: Encodable {
    var added: Int
    var changed: Int
    var moved: Int
    var removed: Int
    var unchanged: Int

    init(_ counts: ChangeCounts) {
      (added, changed, moved) = (counts.added, counts.changed, counts.moved)
      (removed, unchanged) = (counts.removed, counts.unchanged)
    }
  }

  var departments: Counts
  var people: Counts
  var memberships: Counts?

  /// - Parameters:
  ///   - totals: The counts.
  ///   - countsRows: Whether memberships are counted by themselves.
  package init(_ totals: ChangeTotals, countsRows: Bool) {
    departments = Counts(totals.departments)
    people = Counts(totals.users)
    memberships = countsRows ? Counts(totals.memberships) : nil
  }
}
