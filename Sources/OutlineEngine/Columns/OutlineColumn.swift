/// One value for each node, in memory of its own or in memory that an owner keeps alive.
///
/// A column made from an array copies it once; a borrowed one points into a mapped file, and its
/// pages are read when an element is. Readers of a column cannot tell which it is. Copies of a
/// column share its memory.
///
/// - Complexity: Every element is reached in O(1).
public struct OutlineColumn<Element: BitwiseCopyable & Sendable>: RandomAccessCollection {
  @usableFromInline package private(set) var elements: UnsafeBufferPointer<Element>
  @usableFromInline package private(set) var owner: AnyObject

  /// Copies `array`.
  ///
  /// - Complexity: O(`array.count`).
  @inlinable
  public init(_ array: [Element]) {
    let memory = ColumnMemory<Element>(count: array.count)
    _ = memory.elements.initialize(fromContentsOf: array)
    self.init(memory)
  }

  /// Borrows `elements`, which must stay as they are for as long as `owner` lives.
  ///
  /// - Parameters:
  ///   - elements: Memory aligned for `Element`; not read here.
  ///   - owner: Frees the memory in its `deinit`; retained by the column and by its copies.
  /// - Complexity: O(1).
  @inlinable
  public init(borrowing elements: UnsafeBufferPointer<Element>, owner: any AnyObject & Sendable) {
    self.elements = elements
    self.owner = owner
  }

  /// Takes over memory all of whose elements are initialised.
  @inlinable
  package init(_ memory: ColumnMemory<Element>) {
    self.init(borrowing: UnsafeBufferPointer(memory.elements), owner: memory)
  }

  /// Takes over memory whose first `count` elements are initialised.
  @inlinable
  package init(_ memory: ColumnMemory<Element>, count: Int) {
    self.init(borrowing: UnsafeBufferPointer(rebasing: memory.elements[..<count]), owner: memory)
  }

  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { elements.count }

  /// The element at a position.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(position: Int) -> Element {
    precondition(elements.indices.contains(position), "position outside the column")
    // As `withExtendedLifetime`, which the compiler leaves as a call for every element.
    defer { _fixLifetime(owner) }
    return elements[position]
  }

  /// The elements side by side, borrowed for the time of `body`.
  ///
  /// - Complexity: O(1), and what `body` takes.
  @inlinable
  public func withUnsafeBufferPointer<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { _fixLifetime(owner) }
    return try body(elements)
  }
}

extension OutlineColumn {
  /// Lets `body` write the elements in place, in memory of the column's own that has room for the
  /// old and the new count.
  ///
  /// - Parameters:
  ///   - newCount: Number of elements that `body` leaves; it finds the old ones at the start.
  ///   - body: Must initialise every element past the old count.
  /// - Complexity: O(1) beside `body` when no one shares the memory and there is room, otherwise
  ///   O(`count`) for a copy.
  mutating func edit(newCount: Int, _ body: (UnsafeMutablePointer<Element>) -> Void) {
    let memory = ownMemory(for: Swift.max(count, newCount))
    guard let base = memory.elements.baseAddress else { return }
    body(base)
    elements = UnsafeBufferPointer(start: base, count: newCount)
  }

  private mutating func ownMemory(for wanted: Int) -> ColumnMemory<Element> {
    let isShared = !isKnownUniquelyReferenced(&owner)
    if !isShared, let memory = owner as? ColumnMemory<Element> {
      // A little more than is wanted, so that one node after the other can be added.
      if memory.capacity < wanted { memory.resize(to: wanted + wanted / 8) }
      return memory
    }
    let memory = ColumnMemory<Element>(count: wanted > count ? wanted + wanted / 8 : wanted)
    _ = memory.elements.update(fromContentsOf: elements)
    owner = memory
    return memory
  }
}

// @unchecked: the elements are read-only while anybody else refers to `owner`, which is itself
// Sendable and keeps them in place.
extension OutlineColumn: @unchecked Sendable {}
