import SystemPackage

/// A part of a file in memory, which moves on as the file is read and grows where one piece needs it.
///
/// The descriptor is borrowed: it must stay open, and is read from where it stands.
struct ByteWindow: ~Copyable {
  /// Why there is no more to read.
  enum Fault: Error, Equatable {
    /// One piece is longer than the limit.
    case tooLong(limit: Int)
    case unreadable(String)
  }

  static let defaultSize = 256 << 10
  /// Bytes of the longest piece by default.
  static let longestPiece = 16 << 20

  private let descriptor: FileDescriptor
  private let limit: Int
  private var memory: UnsafeMutableRawBufferPointer
  /// First byte that is still wanted.
  private(set) var start = 0
  /// End of what was read.
  private(set) var end = 0
  private(set) var isAtEnd = false

  init(reading descriptor: FileDescriptor, size: Int = defaultSize, limit: Int = longestPiece) {
    precondition(size > 0 && limit >= size)
    self.descriptor = descriptor
    self.limit = limit
    memory = .allocate(byteCount: size, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Bytes that are there from `start` on.
  var count: Int { end - start }

  /// A byte from `start` on.
  @inline(__always)
  subscript(offset: Int) -> UInt8 { memory[start &+ offset] }

  /// A part from `start` on; valid until the next call that changes the window.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[start + range.lowerBound..<start + range.upperBound])
  }

  /// Gives up the first `count` bytes.
  mutating func drop(_ count: Int) {
    precondition(count <= self.count, "more than there is")
    start += count
  }

  /// Reads more behind what is there.
  ///
  /// - Returns: Whether there was more.
  mutating func readMore() throws(Fault) -> Bool {
    guard !isAtEnd else { return false }
    makeRoom()
    guard end < memory.count else { throw .tooLong(limit: limit) }
    do {
      let count = try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[end...]))
      end += count
      isAtEnd = count == 0
    } catch {
      isAtEnd = true
      throw .unreadable("\(error)")
    }
    return !isAtEnd
  }

  private mutating func makeRoom() {
    if start > 0 {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
      end -= start
      start = 0
    }
    guard end == memory.count, memory.count < limit else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(2 * memory.count, limit),
      alignment: 16
    )
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
    memory.deallocate()
    memory = larger
  }
}
