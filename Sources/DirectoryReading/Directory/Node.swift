import DirectoryModel

/// A place in the tree of one state: a department, or a person's place in one.
///
/// Each state numbers its nodes anew. One that is used with another state is a bug of ours, which ends
/// the process or is answered as absent, and never by somebody else's card; only
/// `DirectoryOutline.follow(to:)` knows what became of it.
package struct Node: Hashable, Comparable, Sendable {
  /// In preorder.
  package let position: Int
  /// The checksum of the state.
  let state: UInt64

  package static func < (left: Node, right: Node) -> Bool { left.position < right.position }
}

extension Directory {
  func node(_ position: Int) -> Node { Node(position: position, state: checksum) }

  /// Whether a node is of this state.
  package func holds(_ node: Node) -> Bool { node.state == checksum }

  /// The node that one of this directory's rows shows.
  package func node(at place: TreePlace) -> Node { node(place.node) }

  func position(of node: Node) -> Int {
    precondition(node.state == checksum, "a node of another state of the directory")
    return node.position
  }
}
