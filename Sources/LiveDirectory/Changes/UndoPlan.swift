import DirectoryModel
import DirectoryStore

/// What undoing comes to: records as they are, and as they would be.
///
/// Each change that is taken back is taken back item by item: what was changed again since stays, and
/// so does all that the change left alone.
package struct UndoPlan {
  private let present: CurrentRecords
  private let force: Bool
  private var order: [RecordKey] = []
  private var known: Set<RecordKey> = []
  private var latter: [RecordKey: Change.State] = [:]
  /// Of records that come back.
  private var identities: [RecordKey: RecordIdentity] = [:]
  /// Ids that one record had after another.
  private let shared: Set<RecordKey>
  private let living: [RecordIdentity: String]
  /// What was changed again since, and is left as it is.
  package private(set) var conflicts: [ChangeConflict] = []

  /// - Parameters:
  ///   - changes: All that will be taken back.
  ///   - present: All records that will be taken back, as they are.
  ///   - living: The ids now of those of the records that are there.
  ///   - force: Whether what was changed again since is taken back, too.
  package init(
    of changes: [Change],
    present: CurrentRecords,
    living: [RecordIdentity: String],
    force: Bool
  ) {
    (self.present, self.living, self.force) = (present, living, force)
    var identities: [RecordKey: RecordIdentity] = [:]
    var shared: Set<RecordKey> = []
    for change in changes {
      guard let identity = change.identity else { continue }
      let key = RecordKey(change)
      if identities.updateValue(identity, forKey: key).map({ $0 != identity }) == true {
        shared.insert(key)
      }
    }
    self.shared = shared
  }

  /// Takes one change back, after all later ones.
  package mutating func takeBack(_ change: Change) {
    let key = RecordKey(change)
    if known.insert(key).inserted {
      order.append(key)
      latter[key] = present.state(change.kind, change.id)
    }
    guard
      let inverse = Change(change.kind, change.id, from: change.after, to: change.before)
    else { return }
    func refuse(_ cause: ChangeConflict.Cause) {
      conflicts.append(
        ChangeConflict(kind: change.kind, id: change.id, name: inverse.name, cause: cause)
      )
    }
    if let own = change.identity {
      let other = present.identity(key)
      if shared.contains(key) || other.map({ $0 != own }) == true { return refuse(.isAnother) }
      // Who was removed came back, and has another id since.
      if other == nil, living[own] != nil { return refuse(.isThere) }
    }
    identities[key] = change.identity
    let state = latter[key]
    let found = inverse.conflicts(with: state)
    guard found.isEmpty || force else {
      conflicts += found
      return
    }
    if let state, let before = inverse.before, let after = inverse.after {
      latter[key] = state.edited(before, after, of: change.kind)
    } else {
      latter[key] = inverse.after
    }
  }

  /// What there is to do; values of fields that are not declared any more have no place.
  package func changes(_ fields: [Field]) -> [Change] {
    order.compactMap { key in
      var state = latter[key]
      if let values = state?.fields { state?.fields = values.keeping(fields, of: key.kind) }
      var change = Change(key.kind, key.id, from: present.state(key.kind, key.id), to: state)
      change?.identity = identities[key]
      return change
    }
  }
}

extension FieldValues {
  /// Those of fields that are declared.
  package func keeping(_ fields: [Field], of owner: RecordKind) -> FieldValues {
    guard let values else { return self }
    let names = Set(fields.of(owner).map(\.name))
    return values.keys.allSatisfy(names.contains)
      ? self : FieldValues(values.filter { names.contains($0.key) })
  }
}
