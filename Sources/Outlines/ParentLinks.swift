/// Parent links by index, made from links by id in any order.
///
///     input     id "a" under "b"   id "b"   id "c" under "x"
///     parents   1                  −1       −1, and an orphan: "x" is nobody's id
public struct ParentLinks<ID: Hashable & Sendable>: Sendable {
  /// An id that several inputs have.
  public struct Duplicate: Sendable {
    public let id: ID
    /// All inputs with that id, in order; links to the id lead to the first.
    public let indices: [Int]

    @inlinable
    init(id: ID, indices: [Int]) {
      self.id = id
      self.indices = indices
    }
  }

  /// An input whose parent is nobody's id.
  public struct Orphan: Sendable {
    public let index: Int
    public let parent: ID

    @inlinable
    init(index: Int, parent: ID) {
      self.index = index
      self.parent = parent
    }
  }

  /// For each input the index of its parent; `Hierarchy.noParent` for roots and for orphans.
  public let parents: [Int32]

  /// Ids that are not unique, in the order of their first input.
  public let duplicates: [Duplicate]

  /// Inputs whose parent does not exist, in order.
  public let orphans: [Orphan]

  /// Finds the parent of every input.
  ///
  /// - Parameters:
  ///   - count: Number of inputs.
  ///   - id: The id of the input at an index; asked again when ids are compared, so cheap.
  ///   - parent: The id of its parent, or `nil` for a root. A node may name itself: that is a ring,
  ///     which `LinkProblems` reports.
  /// - Complexity: O(n) hashes; 8 to 16 bytes for each input beside the result, without a copy of
  ///   the ids.
  @inlinable
  public init(count: Int, id: (Int) -> ID, parent: (Int) -> ID?) {
    var table = IndexTable(capacity: count)
    var repeated: [(first: Int, index: Int)] = []
    for index in 0..<count {
      let own = id(index)
      if let first = table.insert(index, hash: own.hashValue, isSame: { id($0) == own }) {
        repeated.append((first, index))
      }
    }
    var orphans: [Orphan] = []
    parents = (0..<count).map { index in
      guard let wanted = parent(index) else { return Hierarchy.noParent }
      if let found = table.find(hash: wanted.hashValue, isSame: { id($0) == wanted }) {
        return Int32(truncatingIfNeeded: found)
      }
      orphans.append(Orphan(index: index, parent: wanted))
      return Hierarchy.noParent
    }
    self.orphans = orphans
    duplicates = Self.duplicates(repeated, id: id)
  }

  /// Finds the parent of every pair of an id and its parent's.
  ///
  /// - Complexity: O(n) hashes.
  @inlinable
  public init(_ links: some RandomAccessCollection<(id: ID, parent: ID?)>) {
    let start = links.startIndex
    self.init(
      count: links.count,
      id: { links[links.index(start, offsetBy: $0)].id },
      parent: { links[links.index(start, offsetBy: $0)].parent }
    )
  }

  @inlinable
  static func duplicates(
    _ repeated: [(first: Int, index: Int)],
    id: (Int) -> ID
  ) -> [Duplicate] {
    var indices: [Int: [Int]] = [:]
    for (first, index) in repeated { indices[first, default: [first]].append(index) }
    return indices.sorted { $0.key < $1.key }.map { first, all in
      Duplicate(id: id(first), indices: all)
    }
  }
}
