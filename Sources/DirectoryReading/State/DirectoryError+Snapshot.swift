import DirectoryModel
import DirectorySnapshot
import Platform

extension DirectoryError {
  /// Why a snapshot cannot be read or written, as the error that crosses module borders.
  package init(_ error: SnapshotError) {
    switch error {
    case .cannotWrite(_, let reason):
      self.init(
        .cannotWrite,
        error.explanation,
        advice: reason.adviceForWriting(
          or: "set XDG_CACHE_HOME or STAFFBOOK_HOME to another folder"
        )
      )
    case .cannotRead(_, let reason):
      self.init(
        .cannotRead,
        error.explanation,
        advice: reason.adviceForReading(or: "remove it; the next sync rebuilds it")
      )
    case .interrupted: self = .interrupted
    default:
      self.init(.badData, error.explanation, advice: "rebuild it with: \(.sync)")
    }
  }

  /// What reading a directory threw; `nil` for an error of another origin.
  package init?(ofReading error: any Error) {
    guard let error = error as? SnapshotError else { return nil }
    self.init(error)
  }
}

extension SnapshotError {
  /// Why the snapshot is not used, in words.
  package var explanation: String {
    switch self {
    case .missing(let path): "there is no snapshot \(path)"
    case .foreign(let path): "\(path) is not a snapshot"
    case .newerFormat(let path, let version):
      "the snapshot \(path) has format \(version), which is newer than this program supports"
    case .olderFormat(let path, let version):
      "the snapshot \(path) has the old format \(version)"
    case .damaged(let path, let part): "the snapshot \(path) is damaged (\(part))"
    case .cannotRead(let path, let reason): "cannot read the snapshot \(path): \(reason)"
    case .cannotWrite(let path, let reason): "cannot write the snapshot \(path): \(reason)"
    case .interrupted: "interrupted"
    }
  }
}
