import DirectoryModel

/// Which clauses hold for which records of a snapshot: one of a few sets of clauses for each.
///
/// A person fits a department by any place.
struct ClauseIndex {
  private let leaves: LeafPart
  /// Indexes of clauses, rising.
  private(set) var sets: [[Int]] = []
  private var numbers: [[Int]: Int] = [:]
  private var unions: [Pair: Int] = [:]
  private var departments: NodeRanges<Int>
  /// Whether a clause is about a department; one above all others makes a single range.
  private let namesDepartments: Bool
  /// The set of each of the people who are named, by their rows.
  private var people: [Int: Int] = [:]
  /// The clauses about everything.
  private(set) var usual = 0

  private struct Pair: Hashable { var (left, right) = (0, 0) }

  /// Whom a clause is about.
  enum Subject {
    case targets(Sight.Targets)
    /// Rows of people.
    case people([Int])
  }

  /// - Complexity: O(what is named · log what is named).
  init(_ clauses: [Subject], _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    leaves = try snapshot.leaves()
    var everything: [Int] = []
    var subtrees: [(nodes: Range<Int>, value: Int)] = []
    var people: [Int: [Int]] = [:]
    for (index, clause) in clauses.enumerated() {
      switch clause {
      case .targets(.everything): everything.append(index)
      case .targets(.department(let id)):
        if let nodes = try snapshot.subtree(of: id) { subtrees.append((nodes, index)) }
      case .targets(let targets):
        for row in try snapshot.people(targets) ?? [] { people[row, default: []].append(index) }
      case .people(let rows): for row in rows { people[row, default: []].append(index) }
      }
    }
    namesDepartments = !subtrees.isEmpty
    departments = NodeRanges(0, count: 0, [], min)
    usual = number(of: everything)
    for (row, set) in people { self.people[row] = number(of: set) }
    let said = subtrees.map { (nodes: $0.nodes, value: number(of: [$0.value])) }
    let count = try snapshot.tree().count
    departments = NodeRanges(usual, count: count, said) { union($0, $1) }
  }

  private mutating func number(of set: [Int]) -> Int {
    if let known = numbers[set] { return known }
    sets.append(set)
    numbers[set] = sets.count - 1
    return sets.count - 1
  }

  private mutating func union(_ left: Int, _ right: Int) -> Int {
    if left == right { return left }
    let pair = Pair(left: left, right: right)
    if let known = unions[pair] { return known }
    let union = number(of: Set(sets[left]).union(sets[right]).sorted())
    unions[pair] = union
    return union
  }

  /// The number of a department's set.
  func set(ofDepartment node: Int) -> Int { departments[node] }

  /// - Complexity: O(places of the person · log what is named).
  mutating func set(ofUser row: Int) throws(SnapshotError) -> Int {
    var set = usual
    if namesDepartments {
      for leaf in try leaves.nodes(of: row) { set = union(set, departments[leaf]) }
    }
    if let own = people[row] { set = union(set, own) }
    return set
  }
}
