import OutlineEngine

extension Outline {
  /// Takes values that hold their children.
  ///
  ///     let outline = try Outline(nested: countries, children: \.provinces)
  ///
  /// - Parameters:
  ///   - roots: The roots, in order.
  ///   - children: Leads to the children of a value, in order. A value without any is a leaf.
  ///   - expandedLevels: Groups whose level is less are opened.
  /// - Throws: `OutlineBuildError.invalidNodes` when ids are not unique, and `.endless` when a value is
  ///   below itself.
  /// - Complexity: O(n), without recursion.
  @inlinable
  public init<Roots: Sequence, Children: Sequence>(
    nested roots: Roots,
    children: KeyPath<Roots.Element, Children>,
    expandedLevels: Int = 0
  ) throws(OutlineBuildError<ID>) where Roots.Element == Value, Children.Element == Value {
    let children = StoredProperty(children)
    try self.init(
      nested: roots,
      children: { children.read($0) },
      value: { $0 },
      expandedLevels: expandedLevels
    )
  }

  /// Takes values that may hold children: `nil` makes a leaf, and none an empty group.
  ///
  /// - Parameters:
  ///   - roots: The roots, in order.
  ///   - children: Leads to the children of a value, in order, or to `nil` for a leaf.
  ///   - expandedLevels: Groups whose level is less are opened.
  /// - Throws: `OutlineBuildError.invalidNodes` when ids are not unique, and `.endless` when a value is
  ///   below itself.
  /// - Complexity: O(n), without recursion.
  @inlinable
  public init<Roots: Sequence, Children: Sequence>(
    nested roots: Roots,
    children: KeyPath<Roots.Element, Children?>,
    expandedLevels: Int = 0
  ) throws(OutlineBuildError<ID>) where Roots.Element == Value, Children.Element == Value {
    let children = StoredProperty(children)
    try self.init(
      nested: roots,
      children: { OptionalChildren(base: children.read($0)) },
      value: { $0 },
      isGroup: { children.read($0) != nil },
      expandedLevels: expandedLevels
    )
  }

  /// Takes nested things of any type, and makes the value of each.
  ///
  /// - Parameters:
  ///   - roots: The roots, in order.
  ///   - children: The children of one, in order.
  ///   - value: What the outline keeps of one; called once for each, in preorder.
  ///   - isGroup: Whether one without children is a group nevertheless.
  ///   - expandedLevels: Groups whose level is less are opened.
  /// - Throws: `OutlineBuildError.invalidNodes` when ids are not unique, and `.endless` when one is below
  ///   itself.
  /// - Complexity: O(n), without recursion.
  @inlinable
  public init<Roots: Sequence, Children: Sequence>(
    nested roots: Roots,
    children: (Roots.Element) -> Children,
    value: (Roots.Element) -> Value,
    isGroup: (Roots.Element) -> Bool = { _ in false },
    expandedLevels: Int = 0
  ) throws(OutlineBuildError<ID>) where Children.Element == Roots.Element {
    var columns = PreorderColumns(capacity: 0)
    var values: [Value] = []
    var guardian = NestingGuard()
    for root in roots {
      try Self.flatten(
        root,
        children: children,
        value: value,
        isGroup: isGroup,
        into: &columns,
        &values,
        &guardian
      )
    }
    values.fit()
    try self.init(columns.finish(), values: values, expandedLevels: expandedLevels)
  }

  /// Writes one tree in preorder, with the rest of each family that is under way on a stack.
  @inlinable
  static func flatten<Source, Children: Sequence>(
    _ root: Source,
    children: (Source) -> Children,
    value: (Source) -> Value,
    isGroup: (Source) -> Bool,
    into columns: inout PreorderColumns,
    _ values: inout [Value],
    _ guardian: inout NestingGuard
  ) throws(OutlineBuildError<ID>) where Children.Element == Source {
    var families: [Children.Iterator] = []
    var source: Source? = root
    while let current = source.take() {
      columns.begin(isGroup: isGroup(current))
      var family = children(current).makeIterator()
      // Last, so that what is kept of it can be the thing itself and not a copy.
      values.appendGrowing(value(current))
      source = family.next()
      if source != nil {
        families.append(family)
        if guardian.isDue(families.count) { try checkEndless(columns, values) }
        continue
      }
      columns.end()
      while let last = families.indices.last {
        source = families[last].next()
        if source != nil { break }
        families.removeLast()
        columns.end()
      }
    }
  }

  /// Looks for an id that occurs twice on the way from the root to the innermost node.
  @usableFromInline
  static func checkEndless(
    _ columns: PreorderColumns,
    _ values: [Value]
  ) throws(OutlineBuildError<ID>) {
    let path = columns.path.map { values[$0].id }
    var seen: [ID: Int] = [:]
    for (level, id) in path.enumerated() {
      if let start = seen.updateValue(level, forKey: id) {
        throw .endless(Array(path[start..<level]))
      }
    }
  }
}

/// Says when a nest has become so deep that it is worth while to look whether it is inside itself:
/// at each doubling of its depth, so that all looks together cost as much as the depth.
@usableFromInline
struct NestingGuard {
  @usableFromInline var next = 256

  @usableFromInline
  init() {}

  @inlinable
  mutating func isDue(_ depth: Int) -> Bool {
    guard depth >= next else { return false }
    next *= 2
    return true
  }
}

/// What a key path leads to, read from its place in memory where it is stored in the value itself:
/// to follow the path takes longer than all else that is done for a node.
@usableFromInline
struct StoredProperty<Value, Member> {
  @usableFromInline let path: KeyPath<Value, Member>
  /// In bytes; `nil` for what is computed or behind a reference.
  @usableFromInline let offset: Int?

  @inlinable
  init(_ path: KeyPath<Value, Member>) {
    self.path = path
    offset = MemoryLayout<Value>.offset(of: path)
  }

  @inlinable
  @inline(__always)
  func read(_ value: Value) -> Member {
    guard let offset else { return value[keyPath: path] }
    return withUnsafeBytes(of: value) { $0.load(fromByteOffset: offset, as: Member.self) }
  }
}

/// Children that may be missing.
@usableFromInline
struct OptionalChildren<Children: Sequence>: Sequence {
  @usableFromInline let base: Children?

  @inlinable
  init(base: Children?) { self.base = base }

  @inlinable
  func makeIterator() -> Iterator { Iterator(base: base?.makeIterator()) }

  @usableFromInline
  struct Iterator: IteratorProtocol {
    @usableFromInline var base: Children.Iterator?

    @inlinable
    init(base: Children.Iterator?) { self.base = base }

    @inlinable
    mutating func next() -> Children.Element? { base?.next() }
  }
}
