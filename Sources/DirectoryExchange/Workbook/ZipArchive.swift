import CMinizip
import DirectoryModel
import SystemPackage

/// The entries of a ZIP archive (PKWARE, APPNOTE.TXT 6.3.10), read by minizip.
///
/// Sizes and checksums are held to what is found, and all that is unpacked counts against the archive's
/// own size, so that one that is made to fill a disk or memory is refused on the way.
struct ZipArchive: ~Copyable {
  private let archive: unzFile
  private let packedSize: Int64
  /// Bytes that were unpacked so far.
  private var unpacked: Int64 = 0

  /// - Throws: Where it is not an archive, or a damaged one.
  init(_ file: InputFile) throws(WorkbookError) {
    packedSize = max(file.size, 1)
    // The file that is open, which may have no name any more.
    guard let archive = unzOpen64("/dev/fd/\(file.descriptor.rawValue)") else { throw .cutOff }
    self.archive = archive
  }

  deinit { unzClose(archive) }

  /// Goes to an entry, whatever the case of its name.
  ///
  /// - Returns: Whether there is one.
  func has(_ name: String) -> Bool {
    let ignoringCase: CInt = 2
    return unzLocateFile(archive, name, ignoringCase) == UNZ_OK
  }

  /// Calls `body` with an entry's bytes, some at a time.
  ///
  /// - Throws: Where there is none of the name, and what it throws.
  mutating func read(
    _ name: String,
    _ body: (UnsafeRawBufferPointer) throws(WorkbookError) -> Void
  ) throws(WorkbookError) {
    var entry = unz_file_info64()
    guard has(name), unzGetCurrentFileInfo64(archive, &entry, nil, 0, nil, 0, nil, 0) == UNZ_OK
    else { throw .damaged("its part \(QuotedValue.string(name)) is missing") }
    guard entry.flag & 1 == 0 else {
      throw WorkbookError(reason: "it is encrypted", advice: "save it without a password")
    }
    guard unzOpenCurrentFile(archive) == UNZ_OK else { throw .damaged("a part has no header") }
    defer { unzCloseCurrentFile(archive) }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
    defer { memory.deallocate() }
    var size: UInt64 = 0
    while true {
      let count = unzReadCurrentFile(archive, memory.baseAddress, CUnsignedInt(memory.count))
      guard count >= 0 else { throw .damaged("a part cannot be decompressed") }
      guard count > 0 else { break }
      size += UInt64(count)
      unpacked += Int64(count)
      guard unpacked < GzipReader.unlimitedSize || unpacked / packedSize < GzipReader.mostExpansion
      else { throw Self.bomb }
      try body(UnsafeRawBufferPointer(rebasing: memory[..<Int(count)]))
    }
    guard size == entry.uncompressed_size, unzCloseCurrentFile(archive) == UNZ_OK else {
      throw .damaged("a part does not have its checksum")
    }
  }

  static let bomb = WorkbookError(
    reason:
      "it expands to more than \(GzipReader.mostExpansion) times its size, like a decompression "
      + "bomb"
  )
}

/// Why a workbook cannot be read, as in `cannot read staff.xlsx: …`.
struct WorkbookError: Error {
  var reason: String
  var advice: Advice?
  var kind = DirectoryError.Kind.badData
  /// What went wrong elsewhere meanwhile.
  private var other: DirectoryError?

  init(reason: String, advice: Advice? = nil, kind: DirectoryError.Kind = .badData) {
    self.reason = reason
    self.advice = advice
    self.kind = kind
  }

  init(_ other: DirectoryError) {
    self.init(reason: other.message)
    self.other = other
  }

  func directoryError(_ name: String) -> DirectoryError {
    other
      ?? DirectoryError(kind, "cannot read \(QuotedValue.path(name)): \(reason)", advice: advice)
  }

  static let cutOff = WorkbookError(
    reason: "it begins like an Excel workbook or another ZIP archive, but is truncated or damaged",
    advice: "copy or save it again"
  )

  static func damaged(_ what: String) -> WorkbookError {
    WorkbookError(reason: "the file is damaged: \(what)", advice: "copy or save it again")
  }
}
