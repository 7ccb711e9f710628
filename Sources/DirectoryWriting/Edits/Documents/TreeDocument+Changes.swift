import DirectoryModel

extension TreeDocument {
  /// What an outline says of each record.
  struct Shape {
    private(set) var names: [RecordKey: String] = [:]
    private(set) var lines: [RecordKey: Int] = [:]
    /// The department above each department; `nil` at the top.
    private(set) var parents: [RecordKey: DepartmentID?] = [:]
    /// The departments of each person.
    private(set) var places: [RecordKey: [DepartmentID]] = [:]
    /// What is directly in each department, people and departments apart, with their orders.
    private(set) var children: [Parent: [(key: RecordKey, order: Int64)]] = [:]
    /// In the order of the lines.
    private(set) var keys: [RecordKey] = []

    struct Parent: Hashable {
      var kind: RecordKind
      var department: DepartmentID?
    }

    /// - Parameters:
    ///   - entries: All with ids.
    ///   - former: Names as they were: of two names of a person the other one is new.
    init(_ entries: [Entry], _ former: [RecordKey: String]) {
      for entry in entries {
        let key = RecordKey(entry.kind, entry.id ?? "")
        let parent = entry.parent.flatMap { entries[$0].id }.map { DepartmentID($0) }
        if names[key] == nil { keys.append(key) }
        let isFormer = former[key].map { ItemText($0) == ItemText(entry.name) } ?? false
        if names[key] == nil || !isFormer {
          names[key] = entry.name
          lines[key] = entry.line
        }
        if entry.kind == .department {
          parents[key] = .some(parent)
        } else if let parent {
          places[key, default: []].append(parent)
        }
        children[Parent(kind: entry.kind, department: parent), default: []].append(
          (key, entry.order)
        )
      }
    }

    /// Gives everything that is at the same place in another outline the order that it has there.
    mutating func takeOrders(of other: Shape) {
      for (parent, former) in children {
        let orders = Dictionary(other.children[parent]?.map { ($0.key, $0.order) } ?? []) { $1 }
        children[parent] = former.map { ($0.key, orders[$0.key] ?? 0) }
      }
    }

    /// What the outline says of a record; the primary department, which it does not say, is that of its
    /// first line where the record is shown whole.
    func state(of key: RecordKey, isWhole: Bool = false) -> Change.State? {
      guard let name = names[key] else { return nil }
      func place(_ id: DepartmentID) -> Change.Place { Change.Place(id: id, name: id.rawValue) }
      let places = (places[key] ?? []).map(place)
      let above = (parents[key] ?? nil).map(place)
      return Change.State(
        name: name,
        values: [name, nil, nil],
        primary: isWhole ? above ?? places.first : above,
        memberships: places.map { Change.Membership(place: $0, values: [nil, nil, nil]) }
      )
    }

    /// The records of which something differs, those of the other outline first.
    func differing(from other: Shape) -> [RecordKey] {
      other.keys.filter { key in
        guard let name = names[key], let new = other.names[key] else { return true }
        return ItemText(name) != ItemText(new) || parents[key] != other.parents[key]
          || Set(places[key] ?? []) != Set(other.places[key] ?? [])
      } + keys.filter { other.names[$0] == nil }
    }
  }

  /// Makes the draft of a record what the outline says.
  mutating func apply(
    _ key: RecordKey,
    _ before: Shape,
    _ after: Shape,
    _ planner: inout EditPlanner,
    _ mistakes: inout [DocumentError]
  ) throws {
    guard let name = after.names[key] else { return try takeAway(key, before, &planner) }
    guard let base = before.state(of: key) else { return add(key, name, after, &planner) }
    guard let present = planner.draft.former(key) else {
      mistakes.append(
        DocumentError(line: after.lines[key] ?? 1, conflict: .removed(key, base.name))
      )
      return
    }
    let mine =
      key.kind == .department
      ? after.state(of: key) ?? base
      : Self.person(base, name, before.places[key] ?? [], after.places[key] ?? [], present)
    for conflict in planner.merge(key, base, mine) where told.insert(conflict).inserted {
      mistakes.append(DocumentError(line: after.lines[key] ?? 1, conflict: conflict))
    }
    if key.kind == .user { settlePrimary(key, before, after, present, &planner) }
  }

  /// A person afterwards; who goes from one department to another keeps what he or she is there.
  private static func person(
    _ base: Change.State,
    _ name: String,
    _ old: [DepartmentID],
    _ new: [DepartmentID],
    _ present: Change.State
  ) -> Change.State {
    let left = old.filter { !new.contains($0) }
    var mine = base
    mine.name = name
    mine.values[0] = name
    mine.memberships.removeAll { left.contains($0.place.id) }
    for (index, id) in new.filter({ !old.contains($0) }).enumerated() {
      let source =
        index < left.count ? present.memberships.first { $0.place.id == left[index] } : nil
      mine.memberships.append(
        Change.Membership(
          place: Change.Place(id: id, name: id.rawValue),
          values: source?.values ?? ["", "0", "false"]
        )
      )
    }
    return mine
  }

  /// Where the primary membership ended, the one that took its place is it, or the first that is left.
  private func settlePrimary(
    _ key: RecordKey,
    _ before: Shape,
    _ after: Shape,
    _ present: Change.State,
    _ planner: inout EditPlanner
  ) {
    guard var state = planner.draft[key], let primary = state.primary,
      !state.memberships.contains(where: { $0.place.id == primary.id })
    else { return }
    let (old, new) = (before.places[key] ?? [], after.places[key] ?? [])
    let left = old.filter { !new.contains($0) }
    let joined = new.filter { !old.contains($0) }
    let index = left.firstIndex(of: primary.id)
    let heir = index.flatMap { $0 < joined.count ? joined[$0] : nil }
    state.primary =
      (state.memberships.first { $0.place.id == heir } ?? state.memberships.first)?.place ?? primary
    planner.draft[key] = state
  }

  private func add(
    _ key: RecordKey,
    _ name: String,
    _ after: Shape,
    _ planner: inout EditPlanner
  ) {
    func place(_ id: DepartmentID) -> Change.Place { Change.Place(id: id, name: id.rawValue) }
    if key.kind == .department {
      let parent = after.parents[key] ?? nil
      planner.draft.add(
        key,
        Change.State(name: name, values: [name, "", "0"], primary: parent.map(place))
      )
    } else {
      let memberships = (after.places[key] ?? []).map {
        Change.Membership(place: place($0), values: ["", "0", "false"])
      }
      planner.draft.add(
        key,
        .person(name, primary: memberships.first?.place, memberships: memberships)
      )
    }
  }

  private func takeAway(
    _ key: RecordKey,
    _ before: Shape,
    _ planner: inout EditPlanner
  ) throws {
    guard planner.draft[key] != nil else { return }
    guard key.kind == .user else { return planner.draft.remove(key) }
    try planner.takeOut(key, of: Set(before.places[key] ?? []))
    if planner.draft[key]?.memberships.isEmpty == true { planner.draft.remove(key) }
  }

  /// Gives orders to what stands elsewhere among its siblings.
  func setOrders(
    _ before: Shape,
    _ after: Shape,
    _ planner: inout EditPlanner
  ) async throws {
    var orders: [(key: RecordKey, order: Int64, department: DepartmentID?)] = []
    for (parent, children) in after.children {
      let places = SequenceOrders(before.children[parent] ?? [])
      for (key, order) in places.orders(of: children.map(\.key)) {
        orders.append((key, order, parent.department))
      }
    }
    try await planner.load(orders.map(\.key).filter { before.names[$0] != nil })
    for (key, order, department) in orders {
      if key.kind == .department {
        try planner.setValue(.sortOrder, String(order), of: key)
      } else if let index = planner.draft[key]?.memberships.firstIndex(where: {
        $0.place.id == department
      }) {
        planner.draft[key]?.memberships[index].set(.sortOrder, String(order))
      }
    }
  }
}
