import DirectoryModel
import Platform
import SystemPackage

/// A file without a name that takes what cannot be read twice.
package struct SpoolFile: ~Copyable {
  /// Bytes of the largest; a compressed file may be made to hold any number.
  static let limit: Int64 = 64 << 30

  private let file: ScratchFile
  private var size: Int64 = 0
  private var pending: [UInt8] = []
  /// What is spooled, for messages.
  private let name: String

  /// Makes it in `TMPDIR`, or `/tmp`.
  package init(for name: String) throws(DirectoryError) {
    self.name = name
    do throws(Errno) {
      file = try ScratchFile()
    } catch {
      throw Self.failure(name, error, in: ScratchFile.folder)
    }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
    pending.append(contentsOf: bytes)
    if pending.count >= 256 << 10 { try flush() }
  }

  package mutating func append(_ bytes: [UInt8]) throws(DirectoryError) {
    pending += bytes
    if pending.count >= 256 << 10 { try flush() }
  }

  /// Ends the writing and gives the file to read.
  package consuming func finish(
    _ traits: InputTraits = InputTraits()
  ) throws(DirectoryError) -> InputFile {
    try flush()
    let copy: FileDescriptor
    do throws(Errno) {
      copy = try system { try file.descriptor.duplicate() }
      _ = fcntl(copy.rawValue, F_SETFD, FD_CLOEXEC)
    } catch {
      throw Self.failure(name, error)
    }
    return InputFile(name: name, takingOver: copy, size: size, traits: traits)
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
      try system { _ = try file.descriptor.writeAll(pending) }
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
