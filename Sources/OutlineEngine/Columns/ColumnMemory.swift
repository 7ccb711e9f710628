#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory of the C library, whose large blocks grow by moving pages instead of copying bytes.
@usableFromInline
package enum MemoryBlock {
  /// Makes a block larger or smaller; makes a new one of `nil`.
  ///
  /// - Returns: Memory aligned for every element type of a column (16 bytes).
  @usableFromInline
  package static func resize(_ block: UnsafeMutableRawPointer?, toBytes count: Int)
    -> UnsafeMutableRawPointer
  {
    guard let resized = realloc(block, max(count, 16)) else { fatalError("out of memory") }
    return resized
  }

  @usableFromInline
  package static func free(_ block: UnsafeMutableRawPointer?) {
    #if canImport(Glibc)
      Glibc.free(block)
    #elseif canImport(Musl)
      Musl.free(block)
    #elseif canImport(Darwin)
      Darwin.free(block)
    #endif
  }
}

/// The memory of a column of our own, uninitialised at first.
@usableFromInline
package final class ColumnMemory<Element: BitwiseCopyable & Sendable> {
  @usableFromInline package private(set) var elements: UnsafeMutableBufferPointer<Element>

  @inlinable
  package init(count: Int) {
    elements = Self.block(replacing: nil, capacity: count)
  }

  @inlinable
  deinit { MemoryBlock.free(elements.baseAddress) }

  @usableFromInline package var capacity: Int { elements.count }

  /// Gives the block another capacity; the elements that fit stay.
  ///
  /// - Complexity: O(1) where the C library moves pages, otherwise O(`capacity`).
  @discardableResult
  func resize(to capacity: Int) -> UnsafeMutableBufferPointer<Element> {
    elements = Self.block(replacing: elements.baseAddress, capacity: capacity)
    return elements
  }

  @usableFromInline
  package static func block(
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
