import DirectoryModel

/// Which department was under which, at a moment that goes back change by change.
struct DepartmentParents {
  /// A root's is `nil`; what was not there has none.
  private var parents: [DepartmentID: DepartmentID?]
  private let root: DepartmentID
  /// What is known already to be below the root, or not.
  private var known: [DepartmentID: Bool] = [:]

  /// - Parameters:
  ///   - parents: Those of now.
  ///   - root: The department that is asked about.
  init(_ parents: [DepartmentID: DepartmentID?], below root: DepartmentID) {
    self.parents = parents
    self.root = root
  }

  /// Goes back before a change.
  mutating func takeBack(_ change: Change) {
    guard change.kind == .department else { return }
    let id = DepartmentID(change.id)
    let former = change.before.map { $0.primary?.id }
    if former == parents[id] { return }
    parents[id] = former
    known = [:]
  }

  /// Whether a department is the root or below it.
  ///
  /// - Complexity: O(levels), and O(1) where one above it was asked about before.
  mutating func isBelow(_ department: DepartmentID) -> Bool {
    var way: [DepartmentID] = []
    var passed: Set<DepartmentID> = []
    var next: DepartmentID? = department
    var answer = false
    while let id = next {
      if id == root || known[id] == true {
        answer = true
        break
      }
      // A ring has no end.
      guard known[id] == nil, passed.insert(id).inserted else { break }
      way.append(id)
      next = parents[id] ?? nil
    }
    for id in way { known[id] = answer }
    return answer
  }

  /// Whether a record stands below the root by one of its states.
  mutating func holds(_ change: Change, _ state: Change.State?) -> Bool {
    guard let state else { return false }
    if change.kind == .department { return isBelow(DepartmentID(change.id)) }
    return state.memberships.contains { isBelow($0.place.id) }
      || state.primary.map { isBelow($0.id) } == true
  }

  /// The root and all below it.
  mutating func all() -> [DepartmentID] {
    parents.keys.filter { isBelow($0) }
  }
}
