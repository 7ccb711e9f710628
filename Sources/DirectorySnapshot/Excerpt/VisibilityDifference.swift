import DirectoryModel

/// What another list of rules would change, for all people and of all people.
package struct VisibilityDifference: Hashable, Sendable {
  /// Viewers, and of how many people each of them loses or gains something.
  package struct Count: Hashable, Sendable {
    package var viewers = 0
    /// Fewest and most people for one viewer.
    package var fewest = Int.max
    package var most = 0

    fileprivate mutating func add(_ people: Int, for viewers: Int) {
      guard people > 0 else { return }
      self.viewers += viewers
      fewest = min(fewest, people)
      most = max(most, people)
    }
  }

  package var lost = Count()
  package var gained = Count()
  /// By names of fields, of people who are seen before and afterwards.
  package var lostFields: [String: Count] = [:]
  package var gainedFields: [String: Count] = [:]
  /// Departments that somebody saw and nobody sees any more, in the order of the tree.
  package var unseenDepartments: [DepartmentID] = []
  /// Leads who saw all people of their departments and do not any more, in the order of the tree.
  package var blindLeads: [MembershipKey] = []

  /// - Parameters:
  ///   - new: The list that may come.
  ///   - old: The list that holds.
  ///   - snapshot: All of the state.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(people) for the classes of viewers, and for each pair of different classes that has
  ///   viewers O(places for which they differ), or O(places that one of them sees) if that is less.
  package init(
    from old: VisibilityRules,
    to new: VisibilityRules,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) {
    let (before, after) = (try ViewerClasses(old, snapshot), try ViewerClasses(new, snapshot))
    var viewers: [ClassPair: Int] = [:]
    for row in before.sight.indices {
      viewers[ClassPair(before: before.sight[row], after: after.sight[row]), default: 0] += 1
    }
    var work = try DifferenceWork(snapshot, before.sights, after.sights)
    for (pair, count) in viewers
    where before.sights[Int(pair.before)] != after.sights[Int(pair.after)] {
      let found = try work.difference(Int(pair.before), Int(pair.after))
      lost.add(found.lost, for: count)
      gained.add(found.gained, for: count)
      for (name, people) in found.lostFields { lostFields[name, default: Count()].add(people, for: count) }
      for (name, people) in found.gainedFields {
        gainedFields[name, default: Count()].add(people, for: count)
      }
    }
    unseenDepartments = try work.unseenDepartments(before, after)
    blindLeads = try work.blindLeads(before, after)
  }

  private struct ClassPair: Hashable {
    var before: UInt32
    var after: UInt32
  }
}

/// Compares what classes see of one state.
private struct DifferenceWork {
  struct Found {
    var (lost, gained) = (0, 0)
    var lostFields: [String: Int] = [:]
    var gainedFields: [String: Int] = [:]
  }

  /// What one class sees.
  private struct Seen {
    let sight: Sight
    let places: SightPlaces
    let singles: [(node: Int, isShown: Bool)]
    /// Places in ranges that are shown.
    let size: Int
    /// People of whom a place is shown; found when it is asked for.
    var people: Int?
  }

  private let snapshot: DirectorySnapshot
  private let tree: TreePart
  private let leaves: LeafPart
  private let memberships: MembershipPart
  private var (old, new): ([Seen], [Seen])
  /// For each person the last question in which the person was met.
  private var met: [UInt32]
  private var question: UInt32 = 0

  init(
    _ snapshot: DirectorySnapshot,
    _ old: [Sight],
    _ new: [Sight]
  ) throws(SnapshotError) {
    self.snapshot = snapshot
    (tree, leaves, memberships) = (
      try snapshot.tree(), try snapshot.leaves(), try snapshot.memberships()
    )
    met = [UInt32](repeating: 0, count: try snapshot.users().count)
    func seen(_ sight: Sight) throws(SnapshotError) -> Seen {
      let places = try SightPlaces(sight, snapshot)
      let singles = try places.singlePlaces(leaves)
      let size = places.ranges.reduce(0) { $0 + ($1.showing == .shown ? $1.nodes.count : 0) }
      return Seen(sight: sight, places: places, singles: singles, size: size + singles.count)
    }
    self.old = []
    self.new = []
    for sight in old { self.old.append(try seen(sight)) }
    for sight in new { self.new.append(try seen(sight)) }
  }

  // MARK: People

  mutating func difference(_ before: Int, _ after: Int) throws(SnapshotError) -> Found {
    var found = Found()
    let (left, right) = (old[before], new[after])
    if left.sight.places != right.sight.places {
      let changed = Self.changedRanges(left.places, right.places)
      let size = changed.reduce(left.singles.count + right.singles.count) { $0 + $1.count }
      if size <= min(left.size, right.size) {
        let singles = (left.singles + right.singles).map { $0.node..<$0.node + 1 }
        try forEachPerson(in: changed + singles) { (row) throws(SnapshotError) in
          let (was, isNow) = (try sees(row, left), try sees(row, right))
          if was, !isNow { found.lost += 1 }
          if isNow, !was { found.gained += 1 }
        }
      } else {
        let (fewer, more) = left.size <= right.size ? (left, right) : (right, left)
        var both = 0
        try forEachPerson(seenBy: fewer) { (row) throws(SnapshotError) in
          if try sees(row, more) { both += 1 }
        }
        found.lost = try peopleSeen(&old[before]) - both
        found.gained = try peopleSeen(&new[after]) - both
      }
    }
    if left.sight.fields != right.sight.fields { try compareFields(left, right, &found) }
    return found
  }

  private func sees(_ row: Int, _ seen: Seen) throws(SnapshotError) -> Bool {
    var sees = false
    try leaves.forEachNode(of: row) {
      if !sees { sees = seen.places.showing(place: $0, of: row) == .shown }
    }
    return sees
  }

  private mutating func peopleSeen(_ seen: inout Seen) throws(SnapshotError) -> Int {
    if let people = seen.people { return people }
    var people = 0
    try forEachPerson(seenBy: seen) { _ in people += 1 }
    seen.people = people
    return people
  }

  /// Calls `body` with each person once.
  private mutating func forEachPerson(
    in ranges: [Range<Int>],
    _ body: (Int) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    question += 1
    for range in ranges {
      for node in range where try !tree.isDepartment(node) {
        let row = try memberships.user(of: tree.record(of: node))
        if met[row] != question {
          met[row] = question
          try body(row)
        }
      }
    }
  }

  private mutating func forEachPerson(
    seenBy seen: Seen,
    _ body: (Int) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    let ranges = seen.places.ranges.filter { $0.showing == .shown }.map(\.nodes)
    let singles = seen.singles.filter(\.isShown).map { $0.node..<$0.node + 1 }
    let hidesSome = seen.singles.contains { !$0.isShown }
    try forEachPerson(in: ranges + singles) { (row) throws(SnapshotError) in
      if try !hidesSome || sees(row, seen) { try body(row) }
    }
  }

  /// Where two classes are shown different things of departments and of people who are not named.
  private static func changedRanges(_ left: SightPlaces, _ right: SightPlaces) -> [Range<Int>] {
    let (left, right) = (left.ranges, right.ranges)
    var changed: [Range<Int>] = []
    var (i, j, position) = (0, 0, 0)
    while i < left.count, j < right.count {
      let end = min(left[i].nodes.upperBound, right[j].nodes.upperBound)
      if (left[i].showing == .shown) != (right[j].showing == .shown) { changed.append(position..<end) }
      position = end
      if left[i].nodes.upperBound == end { i += 1 }
      if right[j].nodes.upperBound == end { j += 1 }
    }
    return changed
  }

  // MARK: Fields

  private mutating func compareFields(
    _ left: Seen,
    _ right: Seen,
    _ found: inout Found
  ) throws(SnapshotError) {
    var (before, after) = (
      try SightFields(left.sight, snapshot), try SightFields(right.sight, snapshot)
    )
    struct Sets: Hashable { var (before, after) = (0, 0) }
    var people: [Sets: Int] = [:]
    let fewer = left.size <= right.size ? left : right
    try forEachPerson(seenBy: fewer) { (row) throws(SnapshotError) in
      let sets = Sets(before: try before.set(ofUser: row), after: try after.set(ofUser: row))
      if people[sets] == nil, before.hidden(sets.before) == after.hidden(sets.after) {
        people[sets] = -1
      }
      guard people[sets] != -1, try sees(row, left), try sees(row, right) else { return }
      people[sets, default: 0] += 1
    }
    for (sets, count) in people where count > 0 {
      let (was, isNow) = (before.hidden(sets.before).names, after.hidden(sets.after).names)
      for name in isNow.subtracting(was) { found.lostFields[name, default: 0] += count }
      for name in was.subtracting(isNow) { found.gainedFields[name, default: 0] += count }
    }
  }

  // MARK: What should not happen

  func unseenDepartments(
    _ before: ViewerClasses,
    _ after: ViewerClasses
  ) throws(SnapshotError) -> [DepartmentID] {
    /// Places by how many classes see them, as differences from one to the next.
    func counts(_ seen: [Seen], _ classes: ViewerClasses) -> [Int32] {
      var counts = [Int32](repeating: 0, count: tree.count + 1)
      for index in Set(classes.sight) {
        for range in seen[Int(index)].places.ranges where range.showing == .shown {
          counts[range.nodes.lowerBound] += 1
          counts[range.nodes.upperBound] -= 1
        }
      }
      return counts
    }
    let (were, are) = (counts(old, before), counts(new, after))
    let ids = try snapshot.departments().ids
    var unseen: [DepartmentID] = []
    var (was, isNow): (Int32, Int32) = (0, 0)
    for node in 0..<tree.count {
      was += were[node]
      isNow += are[node]
      if was > 0, isNow == 0, try tree.isDepartment(node) {
        unseen.append(DepartmentID(try ids[tree.departmentRecord(of: node)]))
      }
    }
    return unseen
  }

  func blindLeads(
    _ before: ViewerClasses,
    _ after: ViewerClasses
  ) throws(SnapshotError) -> [MembershipKey] {
    let (users, departments) = (try snapshot.users().ids, try snapshot.departments().ids)
    var blind: [MembershipKey] = []
    for node in 0..<tree.count {
      guard try !tree.isDepartment(node) else { continue }
      let record = try tree.record(of: node)
      guard try memberships.leads(record), let department = try tree.parent(of: node) else { continue }
      let lead = try memberships.user(of: record)
      let (was, isNow) = (old[Int(before.sight[lead])], new[Int(after.sight[lead])])
      guard was.sight.places != isNow.sight.places,
        try showsAllPeople(of: department, was), try !showsAllPeople(of: department, isNow)
      else { continue }
      blind.append(
        MembershipKey(
          user: UserID(try users[lead]),
          department: DepartmentID(try departments[tree.departmentRecord(of: department)])
        )
      )
    }
    return blind
  }

  private func showsAllPeople(of department: Int, _ seen: Seen) throws(SnapshotError) -> Bool {
    var children = try tree.children(of: department)
    while let child = try children.next() {
      guard try !tree.isDepartment(child) else { continue }
      let user = try memberships.user(of: tree.record(of: child))
      if seen.places.showing(place: child, of: user) != .shown { return false }
    }
    return true
  }
}
