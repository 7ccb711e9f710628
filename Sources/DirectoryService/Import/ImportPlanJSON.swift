import DirectoryModel
import DirectoryStore
import FoundationEssentials

/// A plan as JSON Lines: an object with the counts, then an object for each change; and, once the
/// import is committed, the counts again.
///
///     {"applied":false,"departments":{"added":1,…},"dryRun":true,"memberships":{…},"people":{…}}
///     {"action":"moved","from":{"id":…,"name":…},"id":…,"kind":"user","name":…,"to":{…},
///      "values":[{"department":{…},"field":"title","new":…,"old":…}],"joined":[…],"left":[…]}
///     {"applied":true,"departments":{"added":1,…},"dryRun":false,"memberships":{…},"people":{…}}
enum ImportPlanJSON {
  static func line(_ summary: ImportSummary, isDryRun: Bool, isApplied: Bool) -> String {
    encode(
      Plan(
        departments: Counts(summary.departments),
        people: Counts(summary.users),
        memberships: Counts(summary.memberships),
        dryRun: isDryRun,
        applied: isApplied
      )
    )
  }

  static func line(_ change: ImportChange) -> String { encode(Change(change)) }

  private static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and whole numbers always encode.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  private struct Plan: Encodable {
    var departments: Counts
    var people: Counts
    var memberships: Counts
    var dryRun: Bool
    var applied: Bool
  }

  private struct Counts: Encodable {
    var added: Int
    var changed: Int
    var moved: Int
    var removed: Int
    var unchanged: Int

    init(_ counts: ImportCounts) {
      (added, changed, moved) = (counts.added, counts.changed, counts.moved)
      (removed, unchanged) = (counts.removed, counts.unchanged)
    }
  }

  private struct Place: Encodable {
    var id: String
    var name: String

    init(_ place: ImportChange.Place) {
      id = place.id.rawValue
      name = place.name
    }
  }

  private struct Value: Encodable {
    var field: String
    var department: Place?
    var old: String
    var new: String

    init(_ value: ImportChange.Value) {
      field = value.field.rawValue
      department = value.department.map(Place.init)
      (old, new) = (value.old, value.new)
    }
  }

  /// Lists that are empty are left out.
  private struct Change: Encodable {
    var kind: String
    var action: String
    var id: String
    var name: String
    var from: Place?
    var to: Place?
    var values: [Value]?
    var joined: [Place]?
    var left: [Place]?

    init(_ change: ImportChange) {
      kind = change.kind.rawValue
      action = change.action.rawValue
      id = change.id
      name = change.name
      from = change.from.map(Place.init)
      to = change.to.map(Place.init)
      values = change.values.isEmpty ? nil : change.values.map(Value.init)
      joined = change.joined.isEmpty ? nil : change.joined.map(Place.init)
      left = change.left.isEmpty ? nil : change.left.map(Place.init)
    }
  }
}
