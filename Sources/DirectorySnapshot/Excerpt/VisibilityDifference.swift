import DirectoryModel

/// What other rules would change: how many people come to see more or fewer people.
package struct VisibilityDifference: Hashable, Sendable {
  /// Viewers for whom the same changes.
  package struct Group: Hashable, Sendable {
    package var viewers: Int
    /// One of them.
    package var example: Viewer
    /// How many people they see no more.
    package var lost: Int
    /// How many people they see for the first time.
    package var gained: Int
    /// Fields about which the rules say something else for them, of whomever.
    package var fields: Set<String>
  }

  /// The largest first; who sees the same as before is in none.
  package var groups: [Group] = []
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
    let isKnown = [self, other].map { $0.isUnderstood && $0.unknownField(declared) == nil }
    var classes: [Classes: (viewers: Int, example: Viewer)] = [:]
    for (viewer, count) in try viewers(with: other, in: snapshot) {
      let pair = Classes(
        before: isKnown[0] ? try sight(of: viewer, in: snapshot, declared) : .nothing,
        after: isKnown[1] ? try other.sight(of: viewer, in: snapshot, declared) : .nothing
      )
      guard pair.before != pair.after else { continue }
      classes[pair, default: (0, viewer)].viewers += count
    }
    var count = try ShownPeople(snapshot)
    var difference = VisibilityDifference()
    for (pair, viewers) in classes {
      try SnapshotError.checkCancellation()
      let places = try count.difference(pair.before, pair.after)
      difference.groups.append(
        VisibilityDifference.Group(
          viewers: viewers.viewers,
          example: viewers.example,
          lost: places.lost,
          gained: places.gained,
          fields: pair.before.names(otherwiseIn: pair.after)
        )
      )
    }
    difference.groups.sort {
      ($0.viewers, $0.lost, $0.gained) > ($1.viewers, $1.lost, $1.gained)
    }
    return difference
  }

  private struct Classes: Hashable {
    var before: Sight
    var after: Sight
  }

  /// One of all those for whom both lists of rules say the same, and how many they are.
  private func viewers(
    with other: VisibilityRules,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> [(viewer: Viewer, count: Int)] {
    let rules = rules + other.rules
    let (memberships, tree) = (try snapshot.memberships(), try snapshot.tree())
    let (users, leaves) = (try snapshot.users(), try snapshot.leaves())
    var leaders: [Int]?
    var about: [ClauseSets.About] = []
    var devices: Set<String> = []
    for (index, rule) in rules.enumerated() {
      let groups = index < self.rules.count ? groups : other.groups
      switch rule.viewers {
      case .everybody: about.append(.targets(.everything))
      case .department(let id): about.append(.targets(.department(id)))
      case .person(let id): about.append(.targets(.person(id)))
      case .people(let field, let value):
        about.append(.targets(.people(field: field, value: ItemText(value))))
      case .group(let name):
        var rows: [Int] = []
        for id in groups[name] ?? [] {
          if let row = try snapshot.userIndex().row(of: id.rawValue) { rows.append(row) }
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
    var sets = try ClauseSets(about, snapshot)
    /// By the number of a set: whether a rule of it goes by the viewer's own, or led, departments.
    var goesBy: [(own: Bool, led: Bool)] = []
    var kinds: [ViewerKind: (row: Int, count: Int)] = [:]
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
      kinds[kind, default: (row, 0)].count += 1
    }
    var viewers: [(viewer: Viewer, count: Int)] = devices.map { (.device($0), 1) }
    for (row, count) in kinds.values {
      viewers.append((.person(UserID(try users.ids[row])), count))
    }
    return viewers
  }

  private struct ViewerKind: Hashable {
    var set: Int
    /// Nodes of departments.
    var own: [Int] = []
    var led: [Int] = []
  }
}

extension Sight {
  /// The fields of which clauses say something else in another sight.
  fileprivate func names(otherwiseIn other: Sight) -> Set<String> {
    var names: Set<String> = []
    for (clauses, others) in [(fields, other.fields), (other.fields, fields)] {
      for clause in clauses where !others.contains(clause) {
        if case .some(let own) = clause.names { names.formUnion(own) }
      }
    }
    // The same clauses in another order.
    if names.isEmpty, fields != other.fields {
      for clause in fields { if case .some(let own) = clause.names { names.formUnion(own) } }
    }
    return names
  }
}

/// Counts people whom sights show, without a look at each of them.
///
/// Most people have one place: they are counted by ranges of the tree. Those with several, and those
/// whom clauses name, are looked at where one of two sights shows or hides few of them.
private struct ShownPeople {
  private let snapshot: DirectorySnapshot
  private let leaves: LeafPart
  /// For each node how many leaves before it are the only one of somebody.
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

  /// Whether one of somebody's places is in ranges that are shown.
  private func shows(_ user: Int, _ shown: Shown) throws(SnapshotError) -> Bool {
    for leaf in try leaves.nodes(of: user) {
      if shown.places.showing(department: leaf) == .shown { return true }
    }
    return false
  }

  private mutating func shown(by sight: Sight) throws(SnapshotError) -> Shown {
    if let shown = known[sight.places] { return shown }
    var shown = Shown(places: try SightPlaces(sight, snapshot))
    for (nodes, showing) in shown.places.ranges {
      if showing == .shown {
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

  private func showsNamed(_ user: Int, _ shown: Shown) throws(SnapshotError) -> Bool {
    for leaf in try leaves.nodes(of: user) {
      if shown.places.showing(place: leaf, of: user) == .shown { return true }
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
