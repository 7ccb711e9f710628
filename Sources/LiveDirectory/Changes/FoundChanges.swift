import DirectoryModel
import DirectorySnapshot

/// What a sync has found and is about to write.
package struct FoundChanges: Sendable {
  /// `nil` where there is too much of it, or what changes who sees what.
  private let changes: [Change]?

  /// So many are told one by one.
  private static let most = 1_000

  init(_ summary: ChangeSummary) {
    let isPlain =
      !summary.hasOtherRules && !summary.declaresOtherwise && !summary.differsOtherwise
      && !summary.hasOtherIdentities && summary.changes.count <= Self.most
    let all = isPlain ? Array(summary.changes) : []
    let movesDepartment = all.contains { change in
      change.kind == .department && change.before?.primary?.id != change.after?.primary?.id
    }
    // Of an id that passed to another record it is not known here who sees which of the two.
    let passesID = Set(all.map { RecordKey($0) }).count < all.count
    changes = isPlain && !movesDepartment && !passesID ? all : nil
  }

  /// A record, and what becomes of it.
  package struct RecordAction: Hashable, Sendable {
    package let kind: RecordKind
    package let id: String
    package let action: Change.Action
  }

  /// The records among them of which a caller sees a change, by the state in place.
  ///
  /// No values are told: that comes with the state that shows them.
  ///
  /// - Returns: `nil` where it has to be read again.
  /// - Throws: As `Hub.visibility(for:)`.
  package func seen(by session: Session) throws -> [RecordAction]? {
    guard let changes else { return nil }
    guard var visibility = try session.hub.visibility(for: session) else {
      return changes.map { RecordAction(kind: $0.kind, id: $0.id, action: $0.action) }
    }
    for change in changes where change.before == nil || change.after == nil {
      visibility.note(change)
      visibility.note(
        change.after ?? change.before,
        of: RecordKey(change)
      )
    }
    return try changes.compactMap { change in
      try visibility.visible(change).map {
        RecordAction(kind: $0.kind, id: $0.id, action: $0.action)
      }
    }
  }
}
