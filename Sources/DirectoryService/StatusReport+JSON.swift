import FoundationEssentials

extension StatusReport {
  /// One JSON object on one line.
  package var json: String { JSONLine.encode(Encoded(self)) }

  private struct Encoded: Encodable {
    struct Snapshot: Encodable {
      var path: String
      var takenAt: Int64
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
    var snapshot: Snapshot?

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
      snapshot = report.snapshot.map { snapshot in
        Snapshot(
          path: snapshot.path,
          takenAt: snapshot.takenAt,
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

extension SyncReport {
  /// One JSON object on one line.
  package func json(seconds: Double) -> String {
    JSONLine.encode(
      Encoded(
        mode: "full",
        departments: departments,
        users: users,
        memberships: memberships,
        unplaced: unplaced,
        source: source,
        seconds: seconds
      )
    )
  }

  private struct Encoded: Encodable {
    var mode: String
    var departments: Int
    var users: Int
    var memberships: Int
    var unplaced: Int
    var source: String
    var seconds: Double
  }
}

private enum JSONLine {
  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and finite numbers always encode.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
