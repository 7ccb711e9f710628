import SystemPackage

/// A file mapped for reading; the mapping ends with the last reference.
///
/// The file stays readable after it was replaced by a rename. It must not be shortened in place
/// while it is mapped, which is why writers only ever replace it: a read past the new end would be
/// answered with SIGBUS (mmap(2)).
// @unchecked: the bytes are read-only and the mapping is never resized.
package final class MappedFile: @unchecked Sendable {
  /// Only for those who keep the file alive meanwhile; others use `withBytes(_:)`.
  package let bytes: UnsafeRawBufferPointer
  package let path: FilePath
  private let isMapped: Bool

  /// Of copied bytes: a cache line, which every section of a file of ours may ask for.
  private static let alignment = 64

  /// Maps a regular file.
  ///
  /// - Throws: What the system says (open(2), fstat(2), mmap(2)); `Errno.invalidArgument` when it
  ///   is not a regular file.
  package convenience init(path: FilePath) throws(Errno) {
    let descriptor = Self.openForReading(path)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { Platform.close(descriptor) }
    try self.init(descriptor, path: path)
  }

  /// Maps a file that has no name, and takes it for the one at `path`.
  ///
  /// - Throws: What the system says (fstat(2), mmap(2)).
  package convenience init(_ file: borrowing ScratchFile, path: FilePath) throws(Errno) {
    try self.init(file.descriptor.rawValue, path: path)
  }

  private init(_ descriptor: CInt, path: FilePath) throws(Errno) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
    self.path = path
    isMapped = true
    let size = Int(status.st_size)
    guard size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED
    else { throw Errno(rawValue: errno) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  /// Copies bytes that came another way than from a file, and takes them for the file at `path`.
  package init(copying bytes: UnsafeRawBufferPointer, path: FilePath) {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: bytes.count,
      alignment: Self.alignment
    )
    memory.copyMemory(from: bytes)
    self.bytes = UnsafeRawBufferPointer(memory)
    self.path = path
    isMapped = false
  }

  /// The file's bytes, borrowed for the time of `body`.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(bytes)
  }

  deinit {
    if !isMapped {
      bytes.deallocate()
    } else if let start = bytes.baseAddress {
      munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
  }

  private static func openForReading(_ path: FilePath) -> CInt {
    // Not blocking: a FIFO put in the file's place must not hang us.
    path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
  }
}
