#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory of the C library, whose large blocks grow by moving pages instead of copying bytes.
@usableFromInline
enum MemoryBlock {
  /// Makes a block larger or smaller; makes a new one of `nil`.
  ///
  /// - Returns: Memory aligned for every element type of a column (16 bytes).
  @usableFromInline
  static func resize(_ block: UnsafeMutableRawPointer?, toBytes count: Int)
    -> UnsafeMutableRawPointer
  {
    guard let resized = realloc(block, max(count, 16)) else { fatalError("out of memory") }
    return resized
  }

  @usableFromInline
  static func free(_ block: UnsafeMutableRawPointer?) {
    #if canImport(Glibc)
      Glibc.free(block)
    #elseif canImport(Musl)
      Musl.free(block)
    #elseif canImport(Darwin)
      Darwin.free(block)
    #endif
  }
}
