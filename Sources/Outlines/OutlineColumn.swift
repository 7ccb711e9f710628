/// One value for each node, in memory of its own or in memory that an owner keeps alive.
///
/// A column made from an array copies it once; a borrowed one points into a mapped file, and its
/// pages are read when an element is. Whoever reads a column cannot tell which it is. Copies of a
/// column share its memory.
///
/// - Complexity: Every element is reached in O(1).
public struct OutlineColumn<Element: BitwiseCopyable & Sendable>: RandomAccessCollection {
  @usableFromInline let elements: UnsafeBufferPointer<Element>
  @usableFromInline let owner: AnyObject

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
  init(_ memory: ColumnMemory<Element>) {
    self.init(borrowing: UnsafeBufferPointer(memory.elements), owner: memory)
  }

  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { elements.count }

  @inlinable
  public subscript(position: Int) -> Element {
    precondition(elements.indices.contains(position), "position outside the column")
    // As `withExtendedLifetime`, which the compiler leaves as a call for every element.
    defer { _fixLifetime(owner) }
    return elements[position]
  }

  /// The elements side by side, borrowed for the time of `body`.
  @inlinable
  public func withUnsafeBufferPointer<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(owner) {} }
    return try body(elements)
  }
}

// @unchecked: the elements are read-only once a column exists, and `owner`, itself Sendable, keeps
// them in place.
extension OutlineColumn: @unchecked Sendable {}

/// The memory of a column of our own, uninitialised at first.
@usableFromInline
final class ColumnMemory<Element: BitwiseCopyable & Sendable> {
  @usableFromInline let elements: UnsafeMutableBufferPointer<Element>

  @inlinable
  init(count: Int) { elements = .allocate(capacity: count) }

  @inlinable
  deinit { elements.deallocate() }
}

// @unchecked: written by the one who makes it, and read-only once it is in a column.
extension ColumnMemory: @unchecked Sendable {}
