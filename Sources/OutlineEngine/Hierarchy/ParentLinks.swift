/// Parent links by index, made from links by id in any order.
///
///     input     id "a" under "b"   id "b"   id "c" under "x"
///     parents   1                  −1       −1, and an orphan: "x" is an unknown id
public struct ParentLinks<ID: Hashable & Sendable>: Sendable {
  /// An id that several inputs have.
  public struct Duplicate: Sendable {
    public let id: ID
    /// All inputs with that id, in order; links to the id lead to the first.
    public let indices: [Int]

    @inlinable
    package init(id: ID, indices: [Int]) {
      self.id = id
      self.indices = indices
    }
  }

  /// An input whose parent is an unknown id.
  public struct Orphan: Sendable {
    public let index: Int
    public let parent: ID

    @inlinable
    package init(index: Int, parent: ID) {
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
    table.fill(
      count: count,
      hash: { id($0).hashValue },
      isSame: { id($0) == id($1) },
      repeated: { repeated.append(($0, $1)) }
    )
    self.init(count: count, table: table, repeated: repeated, id: id, parent: parent)
  }

  @inlinable
  package init(
    count: Int,
    table: IndexTable,
    repeated: [(first: Int, index: Int)],
    id: (Int) -> ID,
    parent: (Int) -> ID?
  ) {
    var orphans: [Orphan] = []
    parents = [Int32](unsafeUninitializedCapacity: count) { parents, initializedCount in
      table.findAll(
        count: count,
        // A root looks for nothing; it gets a slot like the others, and no one asks what is there.
        hash: { parent($0)?.hashValue ?? 0 },
        isSame: { index, child in parent(child).map { $0 == id(index) } ?? true }
      ) { child, found in
        var link = Hierarchy.noParent
        if let wanted = parent(child) {
          if let found {
            link = Int32(truncatingIfNeeded: found)
          } else {
            orphans.append(Orphan(index: child, parent: wanted))
          }
        }
        parents.initializeElement(at: child, to: link)
      }
      initializedCount = count
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
  package static func duplicates(
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
