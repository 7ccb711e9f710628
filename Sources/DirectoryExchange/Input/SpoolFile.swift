import DirectoryModel
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name that takes what cannot be read twice, and is gone with its descriptor.
struct SpoolFile: ~Copyable {
  /// Bytes of the largest; a compressed file may be made to hold any number.
  static let limit: Int64 = 64 << 30

  private let descriptor: FileDescriptor
  private var size: Int64 = 0
  private var pending: [UInt8] = []
  /// What is spooled, for messages.
  private let name: String

  /// Makes it in `TMPDIR`, or `/tmp`.
  init(for name: String) throws(DirectoryError) {
    self.name = name
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array("\(base.isEmpty ? "/tmp" : base)/staffbook-XXXXXX".utf8CString)
    let raw = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { mkstemp($0) } ?? -1
    }
    guard raw >= 0 else {
      throw Self.failure(name, Errno(rawValue: errno), in: base.isEmpty ? "/tmp" : base)
    }
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
    descriptor = FileDescriptor(rawValue: raw)
    _ = template.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { unlink($0) } }
  }

  deinit { try? descriptor.close() }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
    pending.append(contentsOf: bytes)
    if pending.count >= 256 << 10 { try flush() }
  }

  mutating func append(_ bytes: [UInt8]) throws(DirectoryError) {
    pending += bytes
    if pending.count >= 256 << 10 { try flush() }
  }

  /// Ends the writing and gives the file to read.
  consuming func finish() throws(DirectoryError) -> InputFile {
    try flush()
    let copy: FileDescriptor
    do throws(Errno) {
      copy = try system { try descriptor.duplicate() }
      _ = fcntl(copy.rawValue, F_SETFD, FD_CLOEXEC)
    } catch {
      throw Self.failure(name, error)
    }
    return InputFile(name: name, takingOver: copy, size: size)
  }

  private mutating func flush() throws(DirectoryError) {
    size += Int64(pending.count)
    guard size <= Self.limit else {
      throw DirectoryError(
        .badData,
        "cannot read \(QuotedValue.path(name)): it holds more than \(Self.limit >> 30) GiB"
      )
    }
    do throws(Errno) {
      try system { _ = try descriptor.writeAll(pending) }
    } catch {
      throw Self.failure(name, error)
    }
    pending.removeAll(keepingCapacity: true)
  }

  private static func failure(
    _ name: String,
    _ reason: Errno,
    in folder: String? = nil
  ) -> DirectoryError {
    let place = folder.map { " in \(QuotedValue.path($0))" } ?? ""
    return DirectoryError(
      .cannotWrite,
      "cannot keep a copy of \(QuotedValue.path(name))\(place) while it is read: \(reason)",
      advice: "make room, or name another folder for it in TMPDIR"
    )
  }
}
