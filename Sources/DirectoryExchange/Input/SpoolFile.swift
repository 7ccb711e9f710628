import DirectoryModel
import Platform
import SystemPackage

/// A file without a name that takes what cannot be read twice, and is gone with its descriptor.
///
/// Where the system can (Linux: open(2), O_TMPFILE), it never has a name, so that nothing is left
/// whatever ends the program.
package struct SpoolFile: ~Copyable {
  /// Bytes of the largest; a compressed file may be made to hold any number.
  static let limit: Int64 = 64 << 30

  private let descriptor: FileDescriptor
  private var size: Int64 = 0
  private var pending: [UInt8] = []
  /// What is spooled, for messages.
  private let name: String

  /// Makes it in `TMPDIR`, or `/tmp`.
  package init(for name: String) throws(DirectoryError) {
    self.name = name
    let variable = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let base = variable.isEmpty ? "/tmp" : variable
    guard let file = NamelessFile.openScratch(in: FilePath(base)) ?? Self.openUnlinked(in: base)
    else {
      throw Self.failure(name, Errno(rawValue: errno), in: base)
    }
    descriptor = file
  }

  private static func openUnlinked(in folder: String) -> FileDescriptor? {
    var template = Array("\(folder)/staffbook-XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { buffer in
      guard let path = buffer.baseAddress else { return nil }
      let file = mkstemp(path)
      guard file >= 0 else { return nil }
      unlink(path)
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      return FileDescriptor(rawValue: file)
    }
  }

  deinit { try? descriptor.close() }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
    pending.append(contentsOf: bytes)
    if pending.count >= 256 << 10 { try flush() }
  }

  package mutating func append(_ bytes: [UInt8]) throws(DirectoryError) {
    pending += bytes
    if pending.count >= 256 << 10 { try flush() }
  }

  /// Ends the writing and gives the file to read.
  package consuming func finish() throws(DirectoryError) -> InputFile {
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
        "cannot read \(QuotedValue.path(name)): it contains more than \(Self.limit >> 30) GiB"
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
      "cannot write a temporary copy of \(QuotedValue.path(name))\(place): \(reason)",
      advice: reason.adviceForWriting(or: "name another folder for it in TMPDIR")
    )
  }
}
