import DirectoryModel

/// The people of a state by what rules let them see.
struct ViewerClasses {
  /// Different sights; equal ones are one class.
  private(set) var sights: [Sight] = []
  /// The index of each person's sight, by rows.
  private(set) var sight: [UInt32] = []

  /// - Parameters:
  ///   - rules: The list.
  ///   - snapshot: All of the state.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(people · rules / 64), and the decision for one person of each class.
  init(_ rules: VisibilityRules, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    let fitting = try FittingRules(rules, snapshot)
    var classes: [FittingRules.Key: UInt32] = [:]
    var numbers: [Sight: UInt32] = [:]
    let ids = try snapshot.users().ids
    sight.reserveCapacity(ids.count)
    for row in 0..<ids.count {
      let key = try fitting.key(of: row)
      if let known = classes[key] {
        sight.append(known)
        continue
      }
      let viewer = Viewer.person(UserID(try ids[row]))
      let decided = try rules.sight(of: viewer, in: snapshot)
      let number = numbers[decided] ?? UInt32(sights.count)
      if numbers[decided] == nil {
        numbers[decided] = number
        sights.append(decided)
      }
      classes[key] = number
      sight.append(number)
    }
  }
}

/// Which rules are about which people: of those with equal keys the rules decide the same.
private struct FittingRules {
  struct Key: Hashable {
    var rules: [UInt64]
    /// Nodes of departments, where a rule that fits is about the viewer's own.
    var own: [Int] = []
    var led: [Int] = []
  }

  private let words: Int
  private var bits: [UInt64]
  /// Rules whose targets are the viewer's own departments, or those led.
  private var (own, led): ([UInt64], [UInt64])
  private let leaves: LeafPart
  private let tree: TreePart
  private let memberships: MembershipPart

  init(_ rules: VisibilityRules, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    words = (rules.rules.count + 63) / 64
    let people = try snapshot.users().count
    bits = [UInt64](repeating: 0, count: people * words)
    own = [UInt64](repeating: 0, count: words)
    led = own
    (leaves, tree, memberships) = (
      try snapshot.leaves(), try snapshot.tree(), try snapshot.memberships()
    )
    for (index, rule) in rules.rules.enumerated() {
      let (word, bit) = (index / 64, UInt64(1) << UInt64(index % 64))
      switch rule.targets {
      case .ownDepartments, .colleagues: own[word] |= bit
      case .ledDepartments: led[word] |= bit
      case .everything, .department, .person, .people: break
      }
      func add(_ row: Int) { bits[row * words + word] |= bit }
      switch rule.viewers {
      case .everybody: for row in 0..<people { add(row) }
      case .department(let id):
        for node in try snapshot.subtree(of: id) ?? 0..<0 where try !tree.isDepartment(node) {
          add(try memberships.user(of: tree.record(of: node)))
        }
      case .person(let id):
        for row in try snapshot.people(.person(id)) ?? [] { add(row) }
      case .group(let name):
        for id in rules.groups[name] ?? [] {
          for row in try snapshot.people(.person(id)) ?? [] { add(row) }
        }
      case .leads:
        for row in 0..<memberships.count where try memberships.leads(row) {
          add(try memberships.user(of: row))
        }
      case .people(let field, let value):
        let targets = Sight.Targets.people(field: field, value: ItemText(value))
        for row in try snapshot.people(targets) ?? [] { add(row) }
      case .device: break
      }
    }
  }

  func key(of row: Int) throws(SnapshotError) -> Key {
    var key = Key(rules: Array(bits[row * words..<(row + 1) * words]))
    let needsOwn = zip(key.rules, own).contains { $0 & $1 != 0 }
    let needsLed = zip(key.rules, led).contains { $0 & $1 != 0 }
    guard needsOwn || needsLed else { return key }
    for leaf in try leaves.nodes(of: row) {
      guard let department = try tree.parent(of: leaf) else { continue }
      if needsOwn { key.own.append(department) }
      if needsLed, try memberships.leads(tree.record(of: leaf)) { key.led.append(department) }
    }
    return key
  }
}
