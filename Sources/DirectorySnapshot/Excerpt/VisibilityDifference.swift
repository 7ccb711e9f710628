import DirectoryModel

/// What other rules would change: how many people come to see more or fewer people.
package struct VisibilityDifference: Sendable {
  /// Viewers for whom the same changes.
  package struct Group: Hashable, Sendable {
    package var viewers: Int
    /// One of them.
    package var example: Viewer
    /// How many people they see no more.
    package var lost: Int
    /// How many people they see for the first time.
    package var gained: Int
    /// Fields about which the rules say something else for them.
    package var fields: [String: FieldCounts]
  }

  /// Of how many people a field is hidden and shown that was not before.
  package struct FieldCounts: Hashable, Sendable {
    package var lost = 0
    package var gained = 0
  }

  /// The largest first; who sees the same as before is in none.
  package var groups: [Group] = []
  /// Departments that the user sees, and no person would; of those below each other the uppermost.
  package var unseen: [DepartmentID] = []
  /// People who see all those in a department that they lead, and would not.
  package var leads: [(person: UserID, department: DepartmentID)] = []
}

extension VisibilityRules {
  /// What other rules than these would change, of one state.
  ///
  /// - Parameters:
  ///   - other: The rules that would take the place of these.
  ///   - snapshot: All of the state as it is now.
  /// - Returns: What changes for all people and all devices that rules name.
  /// - Throws: `SnapshotError.damaged`; `.interrupted`.
  /// - Complexity: O(places) and, for each two classes of viewers that become another, what their rules
  ///   name, and the people with several places in what is seen or in what is hidden, whichever are fewer.
  package func difference(
    to other: VisibilityRules,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> VisibilityDifference {
    let declared = try snapshot.fields().declared
    return try held(in: snapshot, declared)
      .differenceOfHeld(to: other.held(in: snapshot, declared), in: snapshot)
  }

  /// The same for rules as they hold in the state.
  private func differenceOfHeld(
    to other: VisibilityRules,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> VisibilityDifference {
    let viewers = try viewers(with: other, in: snapshot)
    let kinds = viewers.kinds
    let middle = kinds.count / 2
    let (first, second) = try ConcurrentPair.run { () throws(SnapshotError) in
      try classes(of: kinds[..<middle], with: other, in: snapshot)
    } _: { () throws(SnapshotError) in
      try classes(of: kinds[middle...], with: other, in: snapshot)
    }
    let pairs = first + second
    var changed: [Classes: ChangedClass] = [:]
    var unchanged: Set<[Sight.Places]> = []
    for (pair, kind) in zip(pairs, kinds) {
      if pair.before != pair.after {
        changed[pair, default: ChangedClass(example: kind.viewer)].add(kind)
      } else if kind.row != nil {
        unchanged.insert(pair.after.places)
      }
    }
    var difference = VisibilityDifference()
    guard !changed.isEmpty else { return difference }
    for lead in try Lead.all(of: snapshot) {
      changed[pairs[Int(viewers.ofUsers[lead.user])]]?.leads.append(lead)
    }
    let both = changed.map { (before: $0.key.before, after: $0.key.after, viewers: $0.value) }
    let count = try VisiblePeople(snapshot)
    let half = both.count / 2
    let (some, others) = try ConcurrentPair.run { () throws(SnapshotError) in
      try ClassCounts(both[..<half], count)
    } _: { () throws(SnapshotError) in
      try ClassCounts(both[half...], count)
    }
    var counts = some
    try counts.take(others, unchanged: unchanged)
    difference.groups = counts.groups.sorted {
      ($0.viewers, $0.lost, $0.gained) > ($1.viewers, $1.lost, $1.gained)
    }
    difference.unseen = try counts.unseen(snapshot)
    difference.leads = counts.leads
    return difference
  }

  private struct Classes: Hashable {
    var before: Sight
    var after: Sight
  }

  private func classes(
    of kinds: ArraySlice<ViewerKinds.Kind>,
    with other: VisibilityRules,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> [Classes] {
    let declared = try snapshot.fields().declared
    return try kinds.map { (kind) throws(SnapshotError) in
      let viewer: ResolvedViewer? =
        if let row = kind.row, case .person(let id) = kind.viewer {
          try ResolvedViewer(row: row, id, snapshot)
        } else {
          try ResolvedViewer(kind.viewer, snapshot)
        }
      guard let viewer else { return Classes(before: .nothing, after: .nothing) }
      return Classes(
        before: isUnderstood ? try sight(of: viewer, declared) : .nothing,
        after: other.isUnderstood ? try other.sight(of: viewer, declared) : .nothing
      )
    }
  }

  /// Viewers by what both lists of rules say.
  fileprivate struct ViewerKinds: Sendable {
    struct Kind: Sendable {
      /// One of them.
      var viewer: Viewer
      /// Of a person.
      var row: Int?
      var count: Int
    }

    var kinds: [Kind]
    /// For each person the index of the kind.
    var ofUsers: [Int32]
  }

  private func viewers(
    with other: VisibilityRules,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> ViewerKinds {
    let rules = rules + other.rules
    let (memberships, tree) = (try snapshot.memberships(), try snapshot.tree())
    let (users, leaves) = (try snapshot.users(), try snapshot.leaves())
    var leaders: [Int]?
    var about: [ClauseIndex.Subject] = []
    var devices: Set<String> = []
    for (index, rule) in rules.enumerated() {
      let list = index < self.rules.count ? self : other
      switch rule.viewers {
      case .everybody: about.append(.targets(.everything))
      case .department(let id): about.append(.targets(.department(id)))
      case .person(let id): about.append(.targets(.person(id)))
      case .people(let field, let value):
        about.append(.targets(.people(field: field, value: ItemText(value))))
      case .group(let name):
        var rows: [Int] = []
        for id in list.groups[name] ?? [] {
          guard let row = try snapshot.parts().userIndex.row(of: id.rawValue),
            try list.isMember(id, row: row, of: name, in: snapshot)
          else { continue }
          rows.append(row)
        }
        about.append(.people(rows))
      case .leads:
        if leaders == nil {
          var rows: Set<Int> = []
          for row in 0..<memberships.count where try memberships.leads(row) {
            rows.insert(try memberships.user(of: row))
          }
          leaders = Array(rows)
        }
        about.append(.people(leaders ?? []))
      case .device(let name):
        devices.insert(name)
        about.append(.people([]))
      }
    }
    var sets = try ClauseIndex(about, snapshot)
    /// By the number of a set: whether a rule of it goes by the viewer's own, or led, departments.
    var goesBy: [(own: Bool, led: Bool)] = []
    var kinds = devices.map { ViewerKinds.Kind(viewer: .device($0), count: 1) }
    var ofUsers: [Int32] = []
    ofUsers.reserveCapacity(users.count)
    var known: [ViewerKind: Int] = [:]
    for row in 0..<users.count {
      if row % 65_536 == 0 { try SnapshotError.checkCancellation() }
      let nodes = try leaves.nodes(of: row)
      let set = try sets.set(ofUser: row)
      for next in goesBy.count..<max(goesBy.count, sets.sets.count) {
        let targets = sets.sets[next].map { rules[$0].targets }
        goesBy.append(
          (
            targets.contains { $0 == .ownDepartments || $0 == .colleagues },
            targets.contains(.ledDepartments)
          )
        )
      }
      var kind = ViewerKind(set: set)
      if goesBy[set].own || goesBy[set].led {
        for leaf in nodes {
          guard let parent = try tree.parent(of: leaf) else { continue }
          if goesBy[set].own { kind.own.append(parent) }
          if goesBy[set].led, try memberships.leads(tree.record(of: leaf)) {
            kind.led.append(parent)
          }
        }
      }
      let index = known[kind] ?? kinds.count
      if index == kinds.count {
        known[kind] = index
        let id = UserID(try users.ids[row])
        kinds.append(ViewerKinds.Kind(viewer: .person(id), row: row, count: 0))
      }
      kinds[index].count += 1
      ofUsers.append(Int32(truncatingIfNeeded: index))
    }
    return ViewerKinds(kinds: kinds, ofUsers: ofUsers)
  }

  private struct ViewerKind: Hashable {
    var set: Int
    /// Nodes of departments.
    var own: [Int] = []
    var led: [Int] = []
  }
}

/// The user who leads a department.
private struct Lead: Sendable {
  /// Row of the person.
  var user: Int
  /// The department with everything below.
  var nodes: Range<Int>

  /// - Complexity: O(nodes).
  static func all(of snapshot: DirectorySnapshot) throws(SnapshotError) -> [Lead] {
    let parts = try snapshot.parts()
    guard try parts.memberships.hasLeads else { return [] }
    var leads: [Lead] = []
    for leaf in 0..<parts.tree.count where try !parts.tree.isDepartment(leaf) {
      let record = try parts.tree.record(of: leaf)
      guard try parts.memberships.leads(record), let parent = try parts.tree.parent(of: leaf) else {
        continue
      }
      leads.append(
        Lead(
          user: try parts.memberships.user(of: record),
          nodes: try parts.tree.subtree(of: parent)
        )
      )
    }
    return leads
  }
}

/// Viewers for whom the same changes, and those of them who lead departments.
private struct ChangedClass: Sendable {
  var viewers = 0
  var example: Viewer
  /// Whether they are people, and not devices alone.
  var arePeople = false
  var leads: [Lead] = []

  init(example: Viewer) { self.example = example }

  mutating func add(_ kind: VisibilityRules.ViewerKinds.Kind) {
    viewers += kind.count
    if kind.row != nil { arePeople = true }
  }
}

/// What changes for some classes.
private struct ClassCounts: Sendable {
  private(set) var groups: [VisibilityDifference.Group] = []
  private(set) var leads: [(person: UserID, department: DepartmentID)] = []
  private var count: VisiblePeople
  /// For each node to how many classes of people more it is shown than the one before it.
  private var before: [Int32]
  private var after: [Int32]

  init(
    _ classes: ArraySlice<(before: Sight, after: Sight, viewers: ChangedClass)>,
    _ count: VisiblePeople
  ) throws(SnapshotError) {
    self.count = count
    let (snapshot, parts) = (count.snapshot, try count.snapshot.parts())
    before = [Int32](repeating: 0, count: parts.tree.count + 1)
    after = before
    var fields = ChangedFields(snapshot)
    for (old, new, viewers) in classes {
      try SnapshotError.checkCancellation()
      let places = try self.count.difference(old, new)
      var counts: [String: VisibilityDifference.FieldCounts] = [:]
      for (name, rows) in try fields.rows(old, new) {
        counts[name] = .init(
          lost: try self.count.seen(rows.lost, old, new),
          gained: try self.count.seen(rows.gained, old, new)
        )
      }
      groups.append(
        VisibilityDifference.Group(
          viewers: viewers.viewers,
          example: viewers.example,
          lost: places.lost,
          gained: places.gained,
          fields: counts
        )
      )
      if viewers.arePeople {
        Self.mark(try self.count.ranges(old), in: &before)
        Self.mark(try self.count.ranges(new), in: &after)
      }
      for lead in viewers.leads {
        guard try self.count.hides(lead.nodes, new), try !self.count.hides(lead.nodes, old) else {
          continue
        }
        let record = try parts.tree.departmentRecord(of: lead.nodes.lowerBound)
        leads.append(
          (
            UserID(try parts.users.ids[lead.user]),
            DepartmentID(try parts.departments.ids[record])
          )
        )
      }
    }
  }

  private static func mark(_ ranges: [Range<Int>], in changes: inout [Int32]) {
    for nodes in ranges {
      changes[nodes.lowerBound] += 1
      changes[nodes.upperBound] -= 1
    }
  }

  /// Adds other classes, and places that are shown to people for whom nothing changes.
  mutating func take(
    _ other: ClassCounts,
    unchanged: Set<[Sight.Places]>
  ) throws(SnapshotError) {
    groups += other.groups
    leads += other.leads
    for node in before.indices {
      before[node] += other.before[node]
      after[node] += other.after[node]
    }
    for places in unchanged { Self.mark(try count.ranges(Sight(places)), in: &after) }
  }

  /// The uppermost departments that were shown to people and are to none.
  func unseen(_ snapshot: DirectorySnapshot) throws(SnapshotError) -> [DepartmentID] {
    let parts = try snapshot.parts()
    var departments: [DepartmentID] = []
    var (old, new): (Int32, Int32) = (0, 0)
    var end = 0
    for node in 0..<parts.tree.count {
      old += before[node]
      new += after[node]
      guard old > 0, new == 0, node >= end, try parts.tree.isDepartment(node) else { continue }
      departments.append(
        DepartmentID(try parts.departments.ids[parts.tree.departmentRecord(of: node)])
      )
      end = try parts.tree.subtree(of: node).upperBound
    }
    return departments
  }
}

/// Of whom two sights show other fields.
private struct ChangedFields {
  /// Rows of people.
  struct Rows {
    var lost: [Int] = []
    var gained: [Int] = []
  }

  private struct Pair: Hashable {
    var before: [Sight.Fields]
    var after: [Sight.Fields]
  }

  private let snapshot: DirectorySnapshot
  private var known: [Pair: [String: Rows]] = [:]

  init(_ snapshot: DirectorySnapshot) { self.snapshot = snapshot }

  /// By the names of the fields that clauses on which the two differ are about.
  mutating func rows(
    _ before: Sight,
    _ after: Sight
  ) throws(SnapshotError) -> [String: Rows] {
    if before.fields == after.fields { return [:] }
    let pair = Pair(before: before.fields, after: after.fields)
    if let known = known[pair] { return known }
    let clauses = Self.differing(before.fields, after.fields)
    var names: [String: Rows] = [:]
    for clause in clauses {
      if case .some(let own) = clause.names { for name in own { names[name] = Rows() } }
    }
    var (old, new) = (try SightFields(before, snapshot), try SightFields(after, snapshot))
    for user in try people(clauses.map(\.targets)) {
      let hidden = (try old.hidden(ofUser: user).names, try new.hidden(ofUser: user).names)
      if hidden.0 == hidden.1 { continue }
      for name in names.keys where hidden.0.contains(name) != hidden.1.contains(name) {
        if hidden.1.contains(name) {
          names[name]?.lost.append(user)
        } else {
          names[name]?.gained.append(user)
        }
      }
    }
    known[pair] = names
    return names
  }

  /// The clauses that only one list has; all where the others stand in another order.
  private static func differing(
    _ left: [Sight.Fields],
    _ right: [Sight.Fields]
  ) -> [Sight.Fields] {
    let (lefts, rights) = (Set(left), Set(right))
    guard left.filter(rights.contains) == right.filter(lefts.contains) else { return left + right }
    return left.filter { !rights.contains($0) } + right.filter { !lefts.contains($0) }
  }

  private func people(_ targets: [Sight.Targets]) throws(SnapshotError) -> Set<Int> {
    let parts = try snapshot.parts()
    var people: Set<Int> = []
    for target in targets {
      switch target {
      case .everything: return Set(0..<parts.users.count)
      case .department(let id):
        for node in try snapshot.subtree(of: id) ?? 0..<0 where try !parts.tree.isDepartment(node) {
          people.insert(try parts.memberships.user(of: parts.tree.record(of: node)))
        }
      default: people.formUnion(try snapshot.people(target) ?? [])
      }
    }
    return people
  }
}

/// Counts people whom sights show, without a look at each of them.
///
/// Most people have one place: they are counted by ranges of the tree. Those with several, and those
/// whom clauses name, are looked at where one of two sights shows or hides few of them.
private struct VisiblePeople {
  let snapshot: DirectorySnapshot
  private let leaves: LeafPart
  /// For each node how many leaves before it are the only one of a person.
  private var single: [Int32]
  /// The leaves of people with several, rising, and whose they are.
  private var several: [(leaf: Int32, user: Int32)] = []
  private var severalCount = 0
  /// By sight.
  private var known: [[Sight.Places]: Shown] = [:]

  /// What a sight shows by its ranges, people whom it names aside.
  private struct Shown {
    var places: SightPlaces
    /// Ranges that are shown, and those that are not.
    var shown: [Range<Int>] = []
    var hidden: [Range<Int>] = []
    var singles = 0
    /// People with several places.
    var severals = 0
    /// Leaves of people with several places.
    var shownLeaves = 0
    var hiddenLeaves = 0
  }

  init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    self.snapshot = snapshot
    leaves = try snapshot.leaves()
    let count = try snapshot.tree().count
    var users = [Int32](repeating: -1, count: count)
    for user in 0..<(try snapshot.users().count) {
      let own = try leaves.nodes(of: user)
      for leaf in own { users[leaf] = own.count > 1 ? Int32(user) : -2 }
      if own.count > 1 { severalCount += 1 }
    }
    single = [0]
    single.reserveCapacity(count + 1)
    var total: Int32 = 0
    for (leaf, user) in users.enumerated() {
      if user == -2 { total += 1 }
      if user >= 0 { several.append((Int32(leaf), user)) }
      single.append(total)
    }
  }

  private func index(ofLeaf node: Int) -> Int {
    var (low, high) = (0, several.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(several[middle].leaf) < node { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The leaves in a range of people with several.
  private func several(in nodes: Range<Int>) -> Range<Int> {
    index(ofLeaf: nodes.lowerBound)..<index(ofLeaf: nodes.upperBound)
  }

  private func singles(in nodes: Range<Int>) -> Int {
    Int(single[nodes.upperBound] - single[nodes.lowerBound])
  }

  /// Whether one of a person's places is in ranges that are shown.
  private func shows(_ user: Int, _ shown: Shown) throws(SnapshotError) -> Bool {
    for leaf in try leaves.nodes(of: user) {
      if shown.places.outcome(department: leaf) == .shown { return true }
    }
    return false
  }

  private mutating func shown(by sight: Sight) throws(SnapshotError) -> Shown {
    if let shown = known[sight.places] { return shown }
    var shown = Shown(places: try SightPlaces(sight, snapshot))
    for (nodes, outcome) in shown.places.ranges {
      if outcome == .shown {
        shown.shown.append(nodes)
        shown.singles += singles(in: nodes)
        shown.shownLeaves += several(in: nodes).count
      } else {
        shown.hidden.append(nodes)
        shown.hiddenLeaves += several(in: nodes).count
      }
    }
    shown.severals =
      shown.shownLeaves <= shown.hiddenLeaves
      ? try severals(in: shown.shown).count
      : try severalCount - hiddenSeverals(shown).count
    if known.count >= Self.mostKnown { known = [:] }
    known[sight.places] = shown
    return shown
  }

  private static let mostKnown = 65_536

  /// People with several places of whom one is in ranges.
  private func severals(in ranges: [Range<Int>]) throws(SnapshotError) -> Set<Int32> {
    var users: Set<Int32> = []
    for nodes in ranges { for index in several(in: nodes) { users.insert(several[index].user) } }
    return users
  }

  /// People with several places of whom none is in ranges that are shown.
  private func hiddenSeverals(_ shown: Shown) throws(SnapshotError) -> [Int32] {
    var users: [Int32] = []
    for user in try severals(in: shown.hidden) where try !shows(Int(user), shown) {
      users.append(user)
    }
    return users
  }

  /// How many people of one sight another does not show, and the other way round.
  mutating func difference(
    _ before: Sight,
    _ after: Sight
  ) throws(SnapshotError) -> (lost: Int, gained: Int) {
    if before.places == after.places { return (0, 0) }
    let (old, new) = (try shown(by: before), try shown(by: after))
    let both = try singlesOfBoth(old, new) + severalsOfBoth(old, new)
    var lost = old.singles + old.severals - both
    var gained = new.singles + new.severals - both
    // People who are named were counted as if they were not.
    for user in Set(old.places.named).union(new.places.named) {
      let usual = (try shows(user, old), try shows(user, new))
      let own = (try showsNamed(user, old), try showsNamed(user, new))
      lost += (own.0 && !own.1 ? 1 : 0) - (usual.0 && !usual.1 ? 1 : 0)
      gained += (own.1 && !own.0 ? 1 : 0) - (usual.1 && !usual.0 ? 1 : 0)
    }
    return (lost, gained)
  }

  /// How many of some people both sights show.
  mutating func seen(
    _ users: [Int],
    _ before: Sight,
    _ after: Sight
  ) throws(SnapshotError) -> Int {
    if users.isEmpty { return 0 }
    let (old, new) = (try shown(by: before), try shown(by: after))
    var count = 0
    for user in users where try showsNamed(user, old) {
      if try showsNamed(user, new) { count += 1 }
    }
    return count
  }

  /// Where departments are shown.
  mutating func ranges(_ sight: Sight) throws(SnapshotError) -> [Range<Int>] {
    try shown(by: sight).shown
  }

  /// Whether one of the places among some nodes is hidden.
  mutating func hides(
    _ nodes: Range<Int>,
    _ sight: Sight
  ) throws(SnapshotError) -> Bool {
    let shown = try shown(by: sight)
    let parts = try snapshot.parts()
    for hidden in shown.hidden where hidden.overlaps(nodes) {
      for leaf in hidden.clamped(to: nodes) where try !parts.tree.isDepartment(leaf) {
        let user = try parts.memberships.user(of: parts.tree.record(of: leaf))
        if shown.places.outcome(place: leaf, of: user) != .shown { return true }
      }
    }
    for user in shown.places.named {
      for leaf in try leaves.nodes(of: user) where nodes.contains(leaf) {
        if shown.places.outcome(place: leaf, of: user) != .shown { return true }
      }
    }
    return false
  }

  private func showsNamed(_ user: Int, _ shown: Shown) throws(SnapshotError) -> Bool {
    for leaf in try leaves.nodes(of: user) {
      if shown.places.outcome(place: leaf, of: user) == .shown { return true }
    }
    return false
  }

  private func singlesOfBoth(_ old: Shown, _ new: Shown) -> Int {
    var count = 0
    var others = new.shown[...]
    for nodes in old.shown {
      while let next = others.first, next.upperBound <= nodes.lowerBound { others.removeFirst() }
      for other in others {
        if other.lowerBound >= nodes.upperBound { break }
        count += singles(in: nodes.clamped(to: other))
      }
    }
    return count
  }

  private func severalsOfBoth(_ old: Shown, _ new: Shown) throws(SnapshotError) -> Int {
    let fewest = [old.shownLeaves, new.shownLeaves, old.hiddenLeaves, new.hiddenLeaves].min()
    func count(_ users: some Sequence<Int32>, _ shown: Shown) throws(SnapshotError) -> Int {
      var count = 0
      for user in users where try shows(Int(user), shown) { count += 1 }
      return count
    }
    switch fewest {
    case old.shownLeaves: return try count(severals(in: old.shown), new)
    case new.shownLeaves: return try count(severals(in: new.shown), old)
    case old.hiddenLeaves: return try new.severals - count(hiddenSeverals(old), new)
    default: return try old.severals - count(hiddenSeverals(new), old)
    }
  }
}
