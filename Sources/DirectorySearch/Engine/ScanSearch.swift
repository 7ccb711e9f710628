import DirectorySnapshot
import OutlineEngine

/// Search by looking at every record: what an index is measured against, and what answers where
/// there is none.
struct ScanSearch {
  private struct Ranked {
    var hit: SearchHit
    /// As `Neighbourhood` has it.
    var ring: Int
    var length: Int
    var place: UInt32
  }

  private let parts: SearchColumns
  private let scope: ScopeFilter
  private let neighbourhood: Neighbourhood?
  private let patience: SearchDeadline
  private var matcher: RecordMatcher
  private var ranked: [Ranked] = []

  init(
    _ matcher: RecordMatcher,
    _ scope: ScopeFilter,
    _ neighbourhood: Neighbourhood?,
    _ patience: SearchDeadline
  ) {
    self.neighbourhood = neighbourhood
    parts = matcher.parts
    self.matcher = matcher
    self.scope = scope
    self.patience = patience
  }

  /// All hits, best first: by rank, then who is nearer, then the shorter name, then by `HitOrder`.
  ///
  /// - Complexity: O(bytes of all fields · terms + hits · log hits).
  mutating func hits() throws(SearchError) -> [SearchHit] {
    for ordinal in 0..<matcher.shape.count {
      if ordinal % 1_024 == 0 { try patience.check() }
      try SearchError.reading { () throws(SnapshotError) in try visit(department: ordinal) }
    }
    for user in 0..<parts.users.count {
      if user % 1_024 == 0 { try patience.check() }
      try SearchError.reading { () throws(SnapshotError) in try visit(user: user) }
    }
    ranked.sort {
      ($0.hit.rank, $0.ring, $0.length, $0.place) < ($1.hit.rank, $1.ring, $1.length, $1.place)
    }
    return ranked.map(\.hit)
  }

  private mutating func visit(department ordinal: Int) throws(SnapshotError) {
    guard scope.contains(department: ordinal),
      try scope.filter?.contains(department: Int(matcher.shape.rows[ordinal])) ?? true,
      try !parts.isStub(Int(matcher.shape.rows[ordinal])),
      let found = try matcher.match(departmentAt: ordinal), let rank = found.rank
    else { return }
    let row = Int(matcher.shape.rows[ordinal])
    let node = try parts.departments.node(of: row)
    let hit = SearchHit(node: node, isDepartment: true, row: row, rank: rank)
    ranked.append(
      Ranked(
        hit: hit,
        ring: neighbourhood?.count ?? 0,
        length: found.nameLength,
        place: HitOrder.place(department: node)
      )
    )
  }

  private mutating func visit(user: Int) throws(SnapshotError) {
    guard try scope.filter?.contains(user: user) ?? true else { return }
    let leaves = try parts.leaves.nodes(of: user)
    guard let primary = try parts.primaryLeaf(among: leaves) else { return }
    guard let shown = try scope.shownLeaf(of: leaves, primary: primary, matcher),
      let found = try matcher.match(user: user, leaves: leaves), let rank = found.rank
    else { return }
    let hit = SearchHit(node: shown, isDepartment: false, row: user, rank: rank)
    let place = try HitOrder.place(person: primary, parts)
    let ring = try ring(of: leaves)
    ranked.append(Ranked(hit: hit, ring: ring, length: found.nameLength, place: place))
  }
}

extension ScanSearch {
  private func ring(of leaves: [Int]) throws(SnapshotError) -> Int {
    guard let neighbourhood else { return 0 }
    var ordinals: [Int] = []
    for leaf in leaves {
      if let ordinal = try matcher.department(of: leaf) { ordinals.append(ordinal) }
    }
    return neighbourhood.ring(of: ordinals)
  }
}

/// Departments by ordinals that a hit must or must not be in.
struct ScopeFilter {
  let within: [Range<Int>]
  let outside: [Range<Int>]
  /// Whose fields are as asked for; `nil` where nothing is asked of them.
  var filter: FieldFilter?

  init(
    _ scope: SearchScope,
    _ shape: DepartmentShape,
    _ parts: SearchColumns
  ) throws(SnapshotError) {
    func ranges(_ nodes: [Int]) throws(SnapshotError) -> [Range<Int>] {
      var ranges: [Range<Int>] = []
      for node in nodes {
        let subtree = try parts.tree.subtree(of: node)
        let first = try shape.ordinal(ofNode: subtree.lowerBound, parts)
        ranges.append(first..<(try shape.ordinal(ofNode: subtree.upperBound, parts)))
      }
      return ranges
    }
    within = try ranges(scope.within)
    outside = try ranges(scope.outside)
  }

  var isEverywhere: Bool { within.isEmpty && outside.isEmpty }

  func contains(department ordinal: Int) -> Bool {
    within.allSatisfy { $0.contains(ordinal) } && !outside.contains { $0.contains(ordinal) }
  }

  func contains(departments ordinals: some Sequence<Int>) -> Bool {
    within.allSatisfy { range in ordinals.contains { range.contains($0) } }
      && !outside.contains { range in ordinals.contains { range.contains($0) } }
  }

  /// The leaf that stands for a person here: the primary one where it lies in the first department
  /// looked in, otherwise the first that does.
  ///
  /// - Returns: `nil` for who is not in the scope.
  func shownLeaf(
    of leaves: [Int],
    primary: Int,
    _ places: some LeafPlaces
  ) throws(SnapshotError) -> Int? {
    if isEverywhere { return primary }
    var ordinals: [Int] = []
    for leaf in leaves { ordinals.append(try places.department(of: leaf) ?? -1) }
    guard contains(departments: ordinals) else { return nil }
    guard let first = within.first else { return primary }
    if let index = leaves.firstIndex(of: primary), first.contains(ordinals[index]) {
      return primary
    }
    return leaves.indices.first { first.contains(ordinals[$0]) }.map { leaves[$0] }
  }
}

/// Knows in which department a leaf lies.
protocol LeafPlaces {
  /// The ordinal of the department; `nil` for a leaf without one.
  func department(of leaf: Int) throws(SnapshotError) -> Int?
}

extension RecordMatcher: LeafPlaces {}
extension SearchEngine: LeafPlaces {}
