import OutlineEngine

/// What does not fit into a tree, by its ids.
public struct InvalidNodes<ID: Hashable & Sendable>: Sendable, Hashable {
  /// A node whose parent does not exist.
  public struct Orphan: Sendable, Hashable {
    /// The node.
    public let id: ID
    /// The parent that it names.
    public let parent: ID

    @usableFromInline
    package init(id: ID, parent: ID) {
      self.id = id
      self.parent = parent
    }
  }

  /// Ids that several nodes have, in the order of their first node.
  public internal(set) var duplicates: [ID]

  /// Nodes whose parent is an unknown id, in the order of the input.
  public internal(set) var orphans: [Orphan]

  /// Nodes that are their own ancestors: each ring from child to parent, starting with the node that
  /// came first in the input.
  public internal(set) var rings: [[ID]]

  @usableFromInline
  package init(duplicates: [ID] = [], orphans: [Orphan] = [], rings: [[ID]] = []) {
    self.duplicates = duplicates
    self.orphans = orphans
    self.rings = rings
  }

  /// Whether everything fitted.
  ///
  /// - Complexity: O(1).
  public var isEmpty: Bool { duplicates.isEmpty && orphans.isEmpty && rings.isEmpty }
}

/// What becomes of nodes that do not fit into a tree.
public enum InvalidNodePolicy<Value> {
  /// Nothing is built; the error names them all.
  case reject

  /// They go below a group of their own, the last root.
  ///
  /// Orphans hang there with all that is below them, and so does the first member of each ring,
  /// with the rest of the ring below it. Of nodes with the same id the first keeps its place, and
  /// each later one goes below the group under the id that `renaming` gives it; links to the id
  /// lead to the first. Without `renaming` later ones are left out, and named among the invalid nodes.
  ///
  /// - `group`: The value of the group, which is made only when there is something in it.
  /// - `renaming`: Makes a value with another id; gets the value and how many with its id came
  ///   before.
  case group(Value, renaming: ((Value, Int) -> Value)? = nil)
}

/// Why no outline could be built.
public enum OutlineBuildError<ID: Hashable & Sendable>: Error, Equatable {
  /// Some nodes do not fit into a tree: all of them are named.
  case invalidNodes(InvalidNodes<ID>)
  /// Nested values contain themselves: the ids from one occurrence to the next.
  case endless([ID])
  /// Levels or columns are not a hierarchy.
  case hierarchy(HierarchyError)
}

extension OutlineBuildError: CustomStringConvertible {
  /// All ids that do not fit, in words.
  ///
  /// - Complexity: O(ids).
  public var description: String {
    switch self {
    case .invalidNodes(let invalidNodes):
      "\(invalidNodes.duplicates.count) ids occur twice, \(invalidNodes.orphans.count) parents are missing, "
        + "\(invalidNodes.rings.count) rings have no beginning"
    case .endless(let ids): "the values \(ids) contain one another"
    case .hierarchy(let error): "\(error)"
    }
  }
}
