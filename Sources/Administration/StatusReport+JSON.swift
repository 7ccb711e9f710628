import DirectoryModel
import DirectoryReading
import LiveDirectory

extension StatusReport {
  /// One JSON object on one line.
  package var json: String { JSONLine.encode(Encoded(self)) }

  private struct Encoded: Encodable {
    var source: String
    var server: String
    var serverVersion: Int?
    var reason: String?
    /// The private server's folder.
    var data: String?
    var snapshot: Snapshot?
    var watcher: WatcherState?

    init(_ report: StatusReport) {
      source = report.source
      switch report.server {
      case .reachable(let version):
        server = "reachable"
        serverVersion = version
      case .unreachable(let text):
        server = "unreachable"
        reason = text
      case .stopped: server = "stopped"
      }
      data = report.dataFolder
      watcher = report.watcher
      snapshot = report.snapshot
    }
  }
}
