import DirectoryModel
import DirectoryReading
import FoundationEssentials
import LiveDirectory
import Platform

extension StatusReport {
  /// One JSON object on one line.
  package var json: String { JSONLine.encode(Encoded(self)) }

  private struct Encoded: Encodable {
    struct Snapshot: Encodable {
      var path: String
      var takenAt: Int64
      var checkedAt: Int64?
      /// Seconds since it was last found to be the source's state.
      var age: Int64
      var source: String
      var locale: String
      var bytes: Int
      var departments: Int
      var users: Int
      var memberships: Int
      var unplaced: Int
    }

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
      snapshot = report.snapshot.map { snapshot in
        Snapshot(
          path: snapshot.path,
          takenAt: snapshot.takenAt,
          checkedAt: snapshot.checkedAt,
          age: max(0, Int64(Platform.time(nil)) - (snapshot.checkedAt ?? snapshot.takenAt)),
          source: snapshot.source,
          locale: snapshot.locale,
          bytes: snapshot.bytes,
          departments: snapshot.departments,
          users: snapshot.users,
          memberships: snapshot.memberships,
          unplaced: snapshot.unplaced
        )
      }
    }
  }
}
