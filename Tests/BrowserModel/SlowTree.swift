import DirectoryModel
import DirectoryReading

/// A directory's tree as plain values, in which everything is found by going through all of it.
struct SlowTree {
  struct Node {
    /// What it is called in every state of the directory.
    let key: String
    /// `nil` for the place of a person.
    let department: DepartmentID?
    let depth: Int
    let parent: Int?
    /// Behind the last node below it.
    var end: Int
    /// What each line of its card leads to.
    let targets: [DirectoryTarget?]
  }

  private(set) var nodes: [Node] = []

  init(_ directory: Directory) throws {
    var places: [TreePosition] = []
    var request = TreeRequest(opening: .all)
    request.withDetails = false
    try directory.forEachRow(of: request) { places.append($0.place) }
    for (node, place) in places.enumerated() {
      let parent = nodes.lastIndex { $0.depth < place.depth }
      let card = try directory.card(at: directory.node(at: place))
      nodes.append(
        Node(
          key: place.isDepartment
            ? card.id : "\(card.id) in \(parent.map { nodes[$0].key } ?? "none")",
          department: place.isDepartment ? DepartmentID(card.id) : nil,
          depth: place.depth,
          parent: parent,
          end: node + 1,
          targets: try directory.cardFields(of: card).flatMap { $0.values.map(\.target) }
        )
      )
    }
    for node in nodes.indices {
      let behind = nodes[(node + 1)...].firstIndex { $0.depth <= nodes[node].depth }
      nodes[node].end = behind ?? nodes.count
    }
  }

  func hasChildren(_ node: Int) -> Bool { nodes[node].end > node + 1 }

  /// The innermost first.
  func ancestors(of node: Int) -> [Int] {
    var ancestors: [Int] = []
    while let parent = nodes[ancestors.last ?? node].parent { ancestors.append(parent) }
    return ancestors
  }

  func node(of key: String) -> Int? { nodes.firstIndex { $0.key == key } }

  var departments: [Int] { nodes.indices.filter { nodes[$0].department != nil } }
}
