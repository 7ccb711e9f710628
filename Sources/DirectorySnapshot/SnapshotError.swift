import SystemPackage

/// Why a snapshot file cannot be used or written.
package enum SnapshotError: Error, Equatable {
  /// There is no such file.
  case missing(FilePath)
  /// The file does not begin like a snapshot.
  case foreign(FilePath)
  /// A later Staffbook wrote it.
  case newerFormat(FilePath, version: UInt32)
  /// An earlier Staffbook wrote it.
  case olderFormat(FilePath, version: UInt32)
  /// A checksum or a stored index does not fit.
  case damaged(FilePath, part: String)
  /// The system refused to read it.
  case cannotRead(FilePath, Errno)
  /// The system refused to write it.
  case cannotWrite(FilePath, Errno)
  /// The task was cancelled.
  case interrupted

  /// For what computes long: ends it where the task is cancelled.
  package static func checkCancellation() throws(SnapshotError) {
    if Task.isCancelled { throw .interrupted }
  }
}
