import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage

/// The file that an editor opens: readable for nobody else, in a folder of its own.
///
/// Beside it is noted what it is about and the text that it began with, so that an edit which did not end well
/// can be resumed.
struct EditFile {
  let path: FilePath
  private let folder: FilePath

  private var note: FilePath { folder.appending(".edit") }

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

  /// A file that was kept.
  ///
  /// - Throws: `.noInput` where it is not one.
  init(kept path: String) throws(DirectoryError) {
    self.path = FilePath(path)
    let parent = self.path.removingLastComponent()
    folder = parent.isEmpty ? "." : parent
    guard access(note.string, R_OK) == 0 else {
      throw DirectoryError(
        .noInput,
        "cannot resume \(path): it is not a text that an edit has kept"
      )
    }
  }

  /// What it is about, and the text that it began with.
  func origin() throws(DirectoryError) -> (target: EditTarget, text: String) {
    let lines = try read(note).split(
      separator: "\n",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard lines.count == 2, let target = EditTarget(note: lines[0]) else {
      throw DirectoryError(.badData, "cannot resume \(path): \(note) is damaged")
    }
    return (target, String(lines[1]))
  }

  func writeOrigin(_ target: EditTarget, _ text: String) throws(DirectoryError) {
    try write("\(target.note)\n\(text)", to: note)
  }

  func write(_ text: String) throws(DirectoryError) { try write(text, to: path) }

  private func write(_ text: String, to path: FilePath) throws(DirectoryError) {
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

  func read() throws(DirectoryError) -> String { try read(path) }

  private func read(_ path: FilePath) throws(DirectoryError) -> String {
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
    let texts = names.filter { $0 != note.lastComponent?.string }
    if texts.isEmpty { return true }
    return (try? read()) == text && texts == path.lastComponent.map { [$0.string] }
  }

  /// Removes file and folder, and the copy that some editors leave beside it.
  func remove() {
    for name in [path.string, path.string + "~", note.string] { unlink(name) }
    _ = folder.withPlatformString { rmdir($0) }
  }

  private static func failure(_ path: FilePath, _ reason: Errno) -> DirectoryError {
    DirectoryError(.cannotWrite, "cannot write \(path): \(reason)")
  }
}
