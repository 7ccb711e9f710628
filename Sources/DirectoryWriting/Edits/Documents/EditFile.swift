import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage

/// The file that an editor opens: readable for no other account, in a folder of its own.
///
/// A file beside it, `.edit`, holds what is edited and the text that the editor was given first, so that an edit
/// can be resumed.
struct EditFile {
  let path: FilePath
  private let folder: FilePath

  private var origin: FilePath { folder.appending(".edit") }

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

  /// A file that an edit kept.
  ///
  /// - Throws: `.noInput` for any other file.
  init(kept path: String) throws(DirectoryError) {
    self.path = FilePath(path)
    let parent = self.path.removingLastComponent()
    folder = parent.isEmpty ? "." : parent
    guard access(path, R_OK) == 0 else {
      let reason = Errno(rawValue: errno)
      throw DirectoryError(.noInput, "cannot resume \(path): \(reason)")
    }
    guard access(origin.string, R_OK) == 0 else {
      throw DirectoryError(.noInput, "cannot resume \(path): it is not the text of an edit")
    }
  }

  /// What is edited, and the text that the editor was given first.
  func readOrigin() throws(DirectoryError) -> (target: EditTarget, text: String) {
    let text = try read(origin)
    guard let end = text.firstIndex(of: "\n"), let target = EditTarget(line: text[..<end]) else {
      throw DirectoryError(.badData, "cannot resume \(path): \(origin) is damaged")
    }
    return (target, String(text[text.index(after: end)...]))
  }

  func writeOrigin(_ target: EditTarget, _ text: String) throws(DirectoryError) {
    try write("\(target.line)\n\(text)", to: origin)
  }

  func write(_ text: String) throws(DirectoryError) { try write(text, to: path) }

  private func write(_ text: String, to path: FilePath) throws(DirectoryError) {
    do throws(Errno) { try AtomicFile.replace(path, with: Array(text.utf8)) } catch {
      throw Self.failure(path, error)
    }
  }

  func read() throws(DirectoryError) -> String { try read(path) }

  private func read(_ path: FilePath) throws(DirectoryError) -> String {
    let file: MappedFile
    do throws(Errno) { file = try MappedFile(path: path) } catch {
      throw DirectoryError(.cannotRead, "cannot read \(path): \(error)")
    }
    let text = file.withBytes { String(validating: $0, as: UTF8.self) }
    guard let text else { throw DirectoryError(.badData, "cannot read \(path): it is not UTF-8") }
    return text
  }

  /// Whether the text is unchanged, and no editor left what it had not saved beside it.
  func holdsNothing(but text: String) -> Bool {
    guard let names = try? FolderListing.names(in: folder) else { return false }
    let texts = names.filter { $0 != origin.lastComponent?.string }
    if texts.isEmpty { return true }
    return (try? read()).map(ItemText.init) == ItemText(text)
      && texts == path.lastComponent.map { [$0.string] }
  }

  /// Removes file and folder, and the copy that some editors leave beside it.
  func remove() {
    for name in [path.string, path.string + "~", origin.string] { unlink(name) }
    _ = folder.withPlatformString { rmdir($0) }
  }

  private static func failure(_ path: FilePath, _ reason: Errno) -> DirectoryError {
    DirectoryError(.cannotWrite, "cannot write \(path): \(reason)")
  }
}
