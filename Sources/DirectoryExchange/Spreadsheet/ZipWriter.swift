import CMinizip
import DirectoryModel
import Platform
import SystemPackage

/// A ZIP archive (PKWARE, APPNOTE.TXT 6.3.10) that minizip writes into a file without a name, since it
/// goes back to an entry's header when the entry ends.
///
/// The same content gives the same bytes: the time of each entry is that at which DOS began.
struct ZipWriter: ~Copyable {
  /// The archive, once it is finished.
  let archive: ScratchFile
  /// `nil` when it is finished.
  private var zip: zipFile?
  /// Bytes of the open entry, before compression.
  private(set) var entrySize = 0

  /// Fast, and a third larger than the best: a workbook is written oftener than it is mailed.
  private static let level: CInt = 3

  /// - Throws: `.cannotWrite`.
  init() throws(DirectoryError) {
    let archive = try Self.makeFile()
    guard let zip = zipOpen64("/dev/fd/\(archive.descriptor.rawValue)", APPEND_STATUS_CREATE) else {
      throw Self.failure(Errno(rawValue: errno))
    }
    self.archive = archive
    self.zip = zip
  }

  private static func makeFile() throws(DirectoryError) -> ScratchFile {
    do throws(Errno) {
      return try ScratchFile()
    } catch {
      throw failure(error)
    }
  }

  deinit { if let zip { zipClose(zip, nil) } }

  mutating func begin(_ name: String) throws(DirectoryError) {
    var info = zip_fileinfo()
    info.tmz_date = tm_zip(tm_sec: 0, tm_min: 0, tm_hour: 0, tm_mday: 1, tm_mon: 0, tm_year: 1980)
    entrySize = 0
    try check(
      zipOpenNewFileInZip(zip, name, &info, nil, 0, nil, 0, nil, CInt(Z_DEFLATED), Self.level)
    )
  }

  mutating func append(_ bytes: [UInt8]) throws(DirectoryError) {
    entrySize += bytes.count
    try check(bytes.withUnsafeBytes { zipWriteInFileInZip(zip, $0.baseAddress, UInt32($0.count)) })
  }

  func end() throws(DirectoryError) { try check(zipCloseFileInZip(zip)) }

  /// Writes an entry as a whole.
  mutating func add(_ name: String, _ text: String) throws(DirectoryError) {
    try begin(name)
    try append(Array(text.utf8))
    try end()
  }

  /// Writes the list of entries, which ends the archive.
  mutating func finish() throws(DirectoryError) { try check(zipClose(zip.take(), nil)) }

  private func check(_ status: CInt) throws(DirectoryError) {
    guard status != ZIP_OK else { return }
    throw Self.failure(Errno(rawValue: errno))
  }

  private static func failure(_ reason: Errno) -> DirectoryError {
    DirectoryError(
      .cannotWrite,
      "cannot write a temporary file in \(QuotedValue.path(ScratchFile.folder)): \(reason)",
      advice: reason.adviceForWriting(or: "name another folder for it in TMPDIR")
    )
  }
}
