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
    guard let file = try? MappedFile(path: watermarkPath),
      let stored = file.withBytes({ bytes in
        bytes.count <= Self.longestWatermark ? StoredWatermark(bytes) : nil
      }), stored.snapshot == checksum
    else { return nil }
    return stored
  }

  /// Puts a watermark in the place of the one before; the caller holds the lock, and the snapshot
  /// that it names is in its place.
  func save(_ watermark: StoredWatermark) throws(DirectoryError) {
    do throws(Errno) {
      try AtomicFile.replace(watermarkPath, with: watermark.encoded(), provisional: .fixed)
    } catch {
      throw DirectoryError(SnapshotError.cannotWrite(watermarkPath, error))
    }
  }
}
