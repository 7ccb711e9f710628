import DirectoryModel
import DirectorySnapshot
import PrivateServer
import SystemPackage
import TextRules

extension DirectoryError {
  /// Any error as the one that crosses module borders; what we do not know is a bug of ours.
  package init(describing error: any Error) {
    switch error {
    case let error as DirectoryError: self = error
    case let error as SnapshotError: self = SnapshotStore.directoryError(error)
    case let error as PrivateServerError: self.init(error)
    case let error as TextRulesError: self.init(.usage, "\(error)")
    case is CancellationError: self.init(.interrupted, "interrupted")
    default:
      self.init(
        .bug,
        "something failed that should not: \(error)",
        advice: "please report it with the command you ran"
      )
    }
  }
}
