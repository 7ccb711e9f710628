import OutlineEngine

/// Values with links to their parents by index, all of which can be placed.
@usableFromInline
struct ValueLinks<Value: Identifiable & Sendable> where Value.ID: Sendable {
  @usableFromInline private(set) var values: [Value]
  @usableFromInline private(set) var parents: [Int32]
  /// Indices by the ids of their values.
  @usableFromInline private(set) var index: IndexTable
  @usableFromInline private(set) var invalidNodes: InvalidNodes<Value.ID>

  /// Finds the parent of every value, and places what does not fit.
  @inlinable
  static func link(
    _ values: [Value],
    parent: (Value) -> Value.ID?,
    invalidNodes placement: InvalidNodePolicy<Value>
  ) throws(OutlineBuildError<Value.ID>) -> ValueLinks {
    var repeated: [(first: Int, index: Int)] = []
    let index = Outline<Value>.makeIndex(of: values, repeated: &repeated)
    let links = values.withUnsafeBufferPointer { values in
      ParentLinks(
        count: values.count,
        table: index,
        repeated: repeated,
        id: { values[$0].id },
        parent: { parent(values[$0]) }
      )
    }
    var linked = ValueLinks(values: values, parents: links.parents, index: index)
    try linked.place(links, placement)
    return linked
  }

  @usableFromInline
  init(values: [Value], parents: [Int32], index: IndexTable) {
    self.values = values
    self.parents = parents
    self.index = index
    invalidNodes = InvalidNodes()
  }

  @usableFromInline
  mutating func place(
    _ links: ParentLinks<Value.ID>,
    _ placement: InvalidNodePolicy<Value>
  ) throws(OutlineBuildError<Value.ID>) {
    let rings = LinkProblems.find(in: links.parents).rings
    invalidNodes = InvalidNodes(
      duplicates: links.duplicates.map(\.id),
      orphans: links.orphans.map { .init(id: values[$0.index].id, parent: $0.parent) },
      rings: rings.map { $0.map { values[$0].id } }
    )
    guard !invalidNodes.isEmpty else { return }
    guard case .group(let group, let renaming) = placement else {
      throw .invalidNodes(invalidNodes)
    }
    placeInvalidNodes(links, rings: rings, under: group)
    try settleDuplicates(links.duplicates, renaming: renaming)
  }

  /// Hangs orphans and the first members of rings on the group; duplicates too, for the time being.
  private mutating func placeInvalidNodes(
    _ links: ParentLinks<Value.ID>,
    rings: [[Int]],
    under group: Value
  ) {
    let place = Int32(values.count)
    values.append(group)
    parents.append(Hierarchy.noParent)
    for orphan in links.orphans { parents[orphan.index] = place }
    for ring in rings { parents[ring[0]] = place }
    for duplicate in links.duplicates {
      for index in duplicate.indices.dropFirst() { parents[index] = place }
    }
  }

  /// Gives duplicates their new ids or leaves them out, and indexes again.
  private mutating func settleDuplicates(
    _ duplicates: [ParentLinks<Value.ID>.Duplicate],
    renaming: ((Value, Int) -> Value)?
  ) throws(OutlineBuildError<Value.ID>) {
    var left: Set<Int> = []
    for duplicate in duplicates {
      for (occurrence, index) in duplicate.indices.enumerated().dropFirst() {
        if let renaming {
          values[index] = renaming(values[index], occurrence)
        } else {
          left.insert(index)
        }
      }
    }
    leaveOut(left)
    var repeated: [(first: Int, index: Int)] = []
    index = Outline<Value>.makeIndex(of: values, repeated: &repeated)
    guard repeated.isEmpty else {
      let values = values
      throw .invalidNodes(
        InvalidNodes(duplicates: ParentLinks.duplicates(repeated) { values[$0].id }.map(\.id))
      )
    }
  }

  /// Nothing links to what is left out: links lead to the first of several with the same id.
  private mutating func leaveOut(_ left: Set<Int>) {
    guard !left.isEmpty else { return }
    let kept = values.indices.filter { !left.contains($0) }
    var numbers = [Int32](repeating: Hierarchy.noParent, count: values.count)
    for (number, index) in kept.enumerated() { numbers[index] = Int32(number) }
    parents = kept.map { index in
      parents[index] < 0 ? Hierarchy.noParent : numbers[Int(parents[index])]
    }
    values = kept.map { values[$0] }
  }
}
