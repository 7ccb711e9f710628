import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage

/// The file that an editor opens: readable for nobody else, in a folder of its own.
struct EditFile {
  let path: FilePath
  private let folder: FilePath

  /// - Parameters:
  ///   - parent: An existing folder of ours.
  ///   - name: The file's name.
  /// - Throws: `.cannotWrite`.
  init(in parent: FilePath, name: String) throws(DirectoryError) {
    var template = Array(parent.appending("edit-XXXXXX").string.utf8CString)
    // Of mode 0700. (mkdtemp(3))
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }
    }
    guard made != nil else {
      throw Self.failure(parent, Errno(rawValue: errno))
    }
    folder = FilePath(
      String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    )
    path = folder.appending(name)
  }

  func write(_ text: String) throws(DirectoryError) {
    do {
      let file = try AtomicFile(
        target: path,
        permissions: .ownerReadWrite,
        existing: .replaced
      )
      _ = try file.descriptor.writeAll(text.utf8)
      try file.commit()
    } catch {
      throw Self.failure(path, (error as? Errno) ?? .ioError)
    }
  }

  func read() throws(DirectoryError) -> String {
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      let bytes = try file.closeAfter {
        var bytes: [UInt8] = []
        while true {
          let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
          }
          if piece.isEmpty { return bytes }
          bytes += piece
        }
      }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw DirectoryError(.badData, "cannot read \(path): it is not UTF-8")
      }
      return text
    } catch let error as DirectoryError {
      throw error
    } catch {
      throw DirectoryError(.cannotRead, "cannot read \(path): \(error)")
    }
  }

  /// Whether nobody changed the text, and no editor left what it had not saved beside it.
  func holdsNothing(but text: String) -> Bool {
    guard let names = try? FolderListing.names(in: folder) else { return false }
    if names.isEmpty { return true }
    return (try? read()) == text && names == path.lastComponent.map { [$0.string] }
  }

  /// Removes file and folder, and the copy that some editors leave beside it.
  func remove() {
    for name in [path.string, path.string + "~"] { unlink(name) }
    _ = folder.withPlatformString { rmdir($0) }
  }

  private static func failure(_ path: FilePath, _ reason: Errno) -> DirectoryError {
    DirectoryError(.cannotWrite, "cannot write \(path): \(reason)")
  }
}
