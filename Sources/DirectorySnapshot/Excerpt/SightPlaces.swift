import DirectoryModel

/// Where in a snapshot the clauses of a sight about places hold.
struct SightPlaces {
  private let clauses: [Sight.Places]
  /// The clause that decides of departments, and of people of whom no other says anything.
  private let departments: NodeRanges<Int>
  /// The first clause that names each of the people who are named, by their rows.
  private let people: [Int: Int]

  /// A place where no clause holds, and one that has no place.
  private static let (noClause, unplaced) = (Int.max, -1)

  /// - Complexity: O(what is named · log what is named).
  init(_ sight: Sight, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    clauses = sight.places
    var usual = Self.noClause
    var subtrees = [(nodes: try snapshot.unplacedNodes(), value: Self.unplaced)]
    var people: [Int: Int] = [:]
    for (index, clause) in clauses.enumerated() {
      switch clause.targets {
      case .everything: usual = min(usual, index)
      case .department(let id):
        if let nodes = try snapshot.subtree(of: id) { subtrees.append((nodes, index)) }
      default:
        for row in try snapshot.people(clause.targets) ?? [] where people[row] == nil {
          people[row] = index
        }
      }
      // What comes after it is never reached.
      if usual == index { break }
    }
    departments = NodeRanges(
      usual,
      count: try snapshot.parts().tree.count,
      subtrees.filter { !$0.nodes.isEmpty },
      min
    )
    self.people = people
  }

  private func outcome(_ clause: Int) -> Sight.Outcome {
    clauses.indices.contains(clause) ? clauses[clause].outcome : .hidden
  }

  /// Rows of the people who are named.
  var named: Dictionary<Int, Int>.Keys { people.keys }

  /// What is shown of departments, and of people of whom nothing else is said.
  var ranges: [(nodes: Range<Int>, outcome: Sight.Outcome)] {
    departments.runs.map { ($0.nodes, outcome($0.value)) }
  }

  func outcome(department node: Int) -> Sight.Outcome { outcome(departments[node]) }

  /// - Complexity: O(log what is named).
  func outcome(place node: Int, of user: Int) -> Sight.Outcome {
    outcome(min(departments[node], people[user] ?? Self.noClause))
  }

  /// The places of people who are named, rising, and whether they are shown.
  func singlePlaces(_ leaves: LeafPart) throws(SnapshotError) -> [(node: Int, isShown: Bool)] {
    var places: [(node: Int, isShown: Bool)] = []
    for (user, clause) in people {
      try leaves.forEachNode(of: user) { node in
        let other = departments[node]
        if clause < other, (outcome(clause) == .shown) != (outcome(other) == .shown) {
          places.append((node, outcome(clause) == .shown))
        }
      }
    }
    return places.sorted { $0.node < $1.node }
  }
}

/// Which fields of which records of a snapshot the clauses of a sight hide.
///
/// What a set of clauses hides is found once.
struct SightFields {
  private let clauses: [Sight.Fields]
  private let declared: [Field]
  private var sets: ClauseIndex
  private var hidden: [Key: HiddenFields] = [:]

  private struct Key: Hashable {
    var set: Int
    var isDepartments: Bool
  }

  /// - Complexity: O(what is named · log what is named).
  init(_ sight: Sight, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    clauses = sight.fields
    declared = try snapshot.fields().declared
    sets = try ClauseIndex(clauses.map { .targets($0.targets) }, snapshot)
  }

  private mutating func hidden(_ set: Int, _ kind: RecordKind) -> HiddenFields {
    let key = Key(set: set, isDepartments: kind == .department)
    if let known = hidden[key] { return known }
    let fields = HiddenFields(sets.sets[set].map { clauses[$0] }, of: kind, declared)
    hidden[key] = fields
    return fields
  }

  /// What is hidden of records of which no clause says anything else.
  mutating func usual(_ kind: RecordKind) -> HiddenFields { hidden(sets.usual, kind) }

  mutating func hidden(ofDepartment node: Int) -> HiddenFields {
    hidden(sets.set(ofDepartment: node), .department)
  }

  /// - Complexity: O(places of the person · log what is named).
  mutating func hidden(ofUser row: Int) throws(SnapshotError) -> HiddenFields {
    hidden(try sets.set(ofUser: row), .user)
  }
}

extension DirectorySnapshot {
  /// People whom a sight has unlisted, and of whom no place is shown, with what is hidden of them.
  ///
  /// - Parameters:
  ///   - sight: What is shown of this snapshot.
  ///   - body: Called with the row of each.
  /// - Throws: `SnapshotError.damaged`, and what `body` throws.
  /// - Complexity: O(people of whom the sight says so · log what it names).
  package func forEachUnlisted(
    by sight: Sight,
    _ body: (_ row: Int, HiddenFields) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    guard sight.places.contains(where: { $0.outcome == .unlisted }) else { return }
    let places = try SightPlaces(sight, self)
    let (tree, memberships, leaves) = (try tree(), try memberships(), try leaves())
    var fields = try SightFields(sight, self)
    var rows = Set(places.named)
    for (nodes, outcome) in places.ranges where outcome == .unlisted {
      for node in nodes where try !tree.isDepartment(node) {
        rows.insert(try memberships.user(of: tree.record(of: node)))
      }
    }
    for row in rows.sorted() {
      let outcomes = try leaves.nodes(of: row).map { places.outcome(place: $0, of: row) }
      guard outcomes.contains(.unlisted), !outcomes.contains(.shown) else { continue }
      try body(row, fields.hidden(ofUser: row))
    }
  }
}
