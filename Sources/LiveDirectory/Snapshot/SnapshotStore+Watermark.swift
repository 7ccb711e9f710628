import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SystemPackage

extension SnapshotStore {
  /// The small file beside the snapshot that remembers the source.
  private var watermarkPath: FilePath { folder.appending("directory.watermark") }

  /// More than any watermark has; what is longer is none.
  private static var longestWatermark: Int { 64 << 20 }

  /// What is remembered of the source that a snapshot is of.
  ///
  /// - Parameter checksum: The snapshot's.
  /// - Returns: `nil` when there is none, or it is damaged, or it belongs to another snapshot; then
  ///   everything is to be compared.
  package func watermark(of checksum: UInt64) -> StoredWatermark? {
    guard let bytes = try? watermarkBytes(), let stored = StoredWatermark(bytes),
      stored.snapshot == checksum
    else { return nil }
    return stored
  }

  private func watermarkBytes() throws -> [UInt8] {
    let file = try FileDescriptor.open(
      watermarkPath,
      .readOnly,
      options: [.noFollow, .nonBlocking, .closeOnExec]
    )
    return try file.closeAfter {
      var bytes: [UInt8] = []
      while bytes.count <= Self.longestWatermark {
        let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
          count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        if piece.isEmpty { break }
        bytes += piece
      }
      return bytes
    }
  }

  /// Puts a watermark in the place of the one before; the caller holds the lock, and the snapshot
  /// that it names is in its place.
  func save(_ watermark: StoredWatermark) throws(DirectoryError) {
    do throws(Errno) {
      let file = try AtomicFile(
        target: watermarkPath,
        permissions: .ownerReadWrite,
        existing: .replaced,
        provisional: .fixed
      )
      try Self.write(watermark.encoded(), to: file.descriptor)
      try file.commit()
    } catch {
      throw DirectoryError(SnapshotError.cannotWrite(watermarkPath, error))
    }
  }

  private static func write(_ bytes: [UInt8], to file: FileDescriptor) throws(Errno) {
    do { _ = try file.writeAll(bytes) } catch { throw (error as? Errno) ?? .ioError }
  }
}
