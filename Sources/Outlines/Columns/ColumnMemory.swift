/// The memory of a column of our own, uninitialised at first.
@usableFromInline
final class ColumnMemory<Element: BitwiseCopyable & Sendable> {
  @usableFromInline private(set) var elements: UnsafeMutableBufferPointer<Element>

  @inlinable
  init(count: Int) {
    elements = Self.block(replacing: nil, capacity: count)
  }

  @inlinable
  deinit { MemoryBlock.free(elements.baseAddress) }

  @usableFromInline var capacity: Int { elements.count }

  /// Gives the block another capacity; the elements that fit stay.
  ///
  /// - Complexity: O(1) where the C library moves pages, otherwise O(`capacity`).
  @discardableResult
  func resize(to capacity: Int) -> UnsafeMutableBufferPointer<Element> {
    elements = Self.block(replacing: elements.baseAddress, capacity: capacity)
    return elements
  }

  @usableFromInline
  static func block(
    replacing old: UnsafeMutablePointer<Element>?,
    capacity: Int
  ) -> UnsafeMutableBufferPointer<Element> {
    let bytes = MemoryBlock.resize(old, toBytes: capacity * MemoryLayout<Element>.stride)
    return UnsafeMutableBufferPointer(
      start: bytes.assumingMemoryBound(to: Element.self),
      count: capacity
    )
  }
}

// @unchecked: written by the one who makes it or who alone refers to it, and read-only otherwise.
extension ColumnMemory: @unchecked Sendable {}
