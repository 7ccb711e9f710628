import DirectoryModel
import DirectoryReading
import LiveDirectory

/// A line of what an import is about to do: the counts, or one change by name; or, once it is
/// committed, the counts of what it did.
package enum ImportPlanLine: Sendable {
  case summary(ChangeTotals, isDryRun: Bool)
  case change(Change)
  case rule(VisibilityChange)
  case match(ListMatch)
  case edit(ListConflict)
  case applied(ChangeTotals)

  /// As a person reads it, on one line.
  ///
  ///     departments: will add 1; people: will change 1, move 1, remove 1; memberships: none
  ///     > Émile Noé (u3) from Mirrors to Optics; title in Optics "Grinder" is now "Head"
  ///     departments: added 1; people: changed 1, moved 1, removed 1; memberships: none
  ///
  /// It is data: what it holds may have to be made visible before a terminal shows it.
  package var text: String {
    switch self {
    case .summary(let totals, _): totals.plannedText
    case .change(let change): change.text
    case .rule(let change): change.text
    case .match(let match): match.text
    case .edit(let edit): edit.text
    case .applied(let totals): totals.appliedText
    }
  }

  /// As a JSON object on one line: the counts by kind, or a change.
  ///
  ///     {"applied":false,"changes":{"departments":{"added":1,…},"memberships":{…},"people":{…}},
  ///      "dryRun":true,"event":"plan"}
  ///     {"action":"moved","event":"change",…}
  ///     {"event":"match","id":"17","name":"Ada Lund","outcome":"aliased","reason":"zeros",
  ///      "recordedId":"0017","recordedName":"Ada Lund"}
  ///     {"event":"match",…,"outcome":"returned","regained":["office \"Berlin\""],"lacking":[…]}
  ///     {"applied":true,"changes":{…},"dryRun":false,"event":"report"}
  package var json: String {
    switch self {
    case .summary(let totals, let isDryRun):
      Self.counted("plan", totals, isDryRun: isDryRun, isApplied: false)
    case .change(let change): change.json
    case .rule(let change): change.json()
    case .match(let match):
      Self.line(of: match)
    case .edit(let edit):
      JSONLine.encode([
        "event": "edited", "kind": edit.kind.rawValue, "id": edit.id, "name": edit.name,
        "value": edit.value, "here": edit.here, "list": edit.inList,
        "outcome": !edit.owner.isEmpty ? "foreign" : edit.isKept ? "kept" : "overwritten",
        "owner": edit.owner,
      ])
    case .applied(let totals):
      Self.counted("report", totals, isDryRun: false, isApplied: true)
    }
  }

  /// What a person gets back, and what has no place any more, is there where there is any.
  private static func line(of match: ListMatch) -> String {
    let object: JSONObject = [
      "event": "match", "id": match.id, "name": match.name, "recordedId": match.recordedID,
      "recordedName": match.recordedName, "reason": match.reason.rawValue,
      "outcome": match.outcome.rawValue,
      "regained": match.regained.isEmpty ? nil : match.regained,
      "lacking": match.lacking.isEmpty ? nil : match.lacking,
    ]
    return object.line
  }

  private static func counted(
    _ event: String,
    _ totals: ChangeTotals,
    isDryRun: Bool,
    isApplied: Bool
  ) -> String {
    let object: JSONObject = [
      "event": event, "changes": totals.json(countsRows: true), "dryRun": isDryRun,
      "applied": isApplied,
    ]
    return object.line
  }
}

extension InputProblem {
  /// A warning as a JSON object on one line.
  ///
  ///     {"event":"warning","file":"staff.csv","id":"9","line":4,"message":"staff.csv:4: 9: …"}
  package var json: String {
    let object: JSONObject = [
      "event": "warning", "file": file, "line": line, "id": id, "message": text { "<\($0)>" },
    ]
    return object.line
  }
}
