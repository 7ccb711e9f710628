import DirectoryModel
import DirectoryStore

/// Who last set each value of a record.
package struct BlameReport: Sendable {
  package struct Line: Sendable {
    package let item: Change.Item
    /// What a person calls it: `title in Optics`.
    package var label: String
    package var value: String
    /// `nil` where it was so when history began.
    package var transaction: RecordedTransaction?
    /// Whether who set it can be known no more, since what was before was erased.
    package var isForgotten = false
  }

  package let name: String
  package let id: String
  /// Microseconds since 1970, UTC: what was before is unknown.
  package let beginning: Int64
  package private(set) var lines: [Line] = []
  /// Whether the record was removed; the lines are then as they last were.
  package private(set) var isRemoved = false

  init(_ subject: HistorySubject, _ seen: inout VisibleHistory) async throws {
    let history = seen.history
    beginning = try await history.beginning()
    let (kind, key): (RecordKind, String)
    switch subject {
    case .user(let user, let name): (kind, key, self.name) = (.user, user.rawValue, name)
    case .department(let department, let name):
      (kind, key, self.name) = (.department, department.rawValue, name)
    }
    id = RecordKey(kind, key).lastID
    let steps = try await history.steps(of: kind, key)
    guard let last = try await history.lastState(of: kind, key, steps),
      let state = try await seen.visible(last, of: kind, key)
    else { return }
    isRemoved = last.time != nil
    var items = state.items(of: kind)
    var blamed: [Change.Item: RecordedTransaction] = [:]
    var forgotten: Set<Change.Item> = []
    for step in steps where !items.isEmpty {
      // What is not seen of it was not done.
      guard let change = try await seen.visible([step.change], in: step.transaction).first
      else { continue }
      if change.isForgotten {
        forgotten = Set(items.keys)
        break
      }
      // A state that was added as a whole set all that is left.
      guard let after = change.after else { continue }
      let old = change.before?.items(of: kind) ?? [:]
      let new = after.items(of: kind)
      let set = items.keys.filter { new[$0] != old[$0] }
      guard !set.isEmpty, let transaction = try await seen.mask(step.transaction) else { continue }
      for item in set {
        blamed[item] = transaction
        items[item] = nil
      }
    }
    let all = state.items(of: kind)
    let places = Self.names(state)
    lines = all.keys.map { item in
      Line(
        item: item,
        label: item.label(places),
        value: item.value(all[item]?.text ?? "", places),
        transaction: blamed[item],
        isForgotten: forgotten.contains(item)
      )
    }.filter { !$0.value.isEmpty }.sorted { $0.label < $1.label }
  }

  /// The one of some items that was set last; `nil` where none has a value.
  package func lastLine(of items: [Change.Item]) -> Line? {
    lines.filter { items.contains($0.item) }.max {
      ($0.transaction?.number ?? -1) < ($1.transaction?.number ?? -1)
    }
  }

  private static func names(_ state: Change.State) -> [DepartmentID: String] {
    var names: [DepartmentID: String] = [:]
    if let primary = state.primary { names[primary.id] = primary.name }
    for membership in state.memberships { names[membership.place.id] = membership.place.name }
    return names
  }
}

extension Change.Item {
  fileprivate func label(_ names: [DepartmentID: String]) -> String {
    switch self {
    case .value(.sortOrder): "order"
    case .value(let column): column.name
    case .field(let name): name
    case .primary: "primary department"
    case .membership(let place): "member of \(names[place] ?? place.rawValue)"
    case .membershipValue(let place, let column):
      (column == .sortOrder ? "order" : column.name) + " in \(names[place] ?? place.rawValue)"
    }
  }

  fileprivate func value(_ text: String, _ names: [DepartmentID: String]) -> String {
    switch self {
    case .primary: names[DepartmentID(text)] ?? text
    case .membership: "yes"
    default: text
    }
  }
}
