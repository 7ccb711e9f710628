import DirectoryModel
import DirectoryReading
import DirectoryStore
import LibPQ
import LiveDirectory
import Platform
import PrivateServer
import SiteSettings
import SystemPackage

/// What is known of source and snapshot.
package struct StatusReport: Sendable {
  package enum Server: Sendable, Equatable {
    case reachable(version: Int)
    case unreachable(reason: String)
    /// The private server, which starts when it is needed.
    case stopped
  }

  package struct Snapshot: Encodable, Sendable {
    package var path: String
    /// Seconds since 1970, UTC.
    package var takenAt: Int64
    /// When it was last found to be the source's state, or made so; `nil` when that is not known.
    package var checkedAt: Int64?
    /// Seconds from then, or from when it was taken, to now.
    package var age: Int64
    package var source: String
    package var locale: String
    package var bytes: Int
    package var departments: Int
    package var users: Int
    package var memberships: Int
    package var unplaced: Int
  }

  /// The source without a secret.
  package var source: String
  package var server: Server
  /// The folder of the private server's data; `nil` where it has none yet, or is not the source.
  package var dataFolder: String?
  /// `nil` when there is none.
  package var snapshot: Snapshot?
  /// Who keeps the snapshot up to date; `nil` where there is none.
  package var watcher: WatcherState?
}

extension StatusReport {
  /// Looks at source and snapshot and changes neither; a private server is not started for it.
  package init(for administrator: Administrator) async throws(DirectoryError) {
    let site = administrator.site
    source = Self.description(of: site.settings.source)
    server = await Self.server(site)
    dataFolder = Self.dataFolder(site)
    snapshot = try Self.snapshot(site)
    watcher = site.snapshots.watcher
  }

  private static func dataFolder(_ site: Site) -> String? {
    guard site.settings.source.server == .privateServer else { return nil }
    return (try? site.privateServer.status())?.data?.string
  }

  /// The source for people, without a password.
  static func description(of source: SourceSetting) -> String {
    switch source.server {
    case .privateServer: "private server"
    case .conninfo(""): "PostgreSQL as set in PG* variables"
    case .conninfo(let conninfo): PGConninfo.redacted(conninfo: conninfo)
    }
  }

  private static func snapshot(_ site: Site) throws(DirectoryError) -> StatusReport.Snapshot? {
    guard let directory = try site.snapshots.openWhole(notice: site.notice) else { return nil }
    let checkedAt = site.snapshots.watermark(of: directory.checksum)?.readAt
    return StatusReport.Snapshot(
      path: site.snapshots.path.string,
      takenAt: directory.takenAt,
      checkedAt: checkedAt.map { $0 / 1_000_000 },
      age: max(0, Int64(time(nil)) - (checkedAt.map { $0 / 1_000_000 } ?? directory.takenAt)),
      source: directory.source,
      locale: directory.locale,
      bytes: directory.byteCount,
      departments: directory.departmentCount,
      users: directory.userCount,
      memberships: directory.membershipCount,
      unplaced: directory.unplacedCount
    )
  }

  private static func server(_ site: Site) async -> StatusReport.Server {
    do {
      let conninfo: String
      switch site.settings.source.server {
      case .conninfo(let given): conninfo = given
      case .privateServer:
        guard case .running(let address, _) = try site.privateServer.status().state else {
          return .stopped
        }
        conninfo = try address.conninfo
      }
      let site = try await PGSession.connect(conninfo: conninfo)
      return .reachable(version: await site.withConnection { $0.serverVersion })
    } catch {
      // libpq's reasons take several lines.
      let lines = "\(error)".split(whereSeparator: \.isNewline)
      return .unreachable(
        reason: lines.map { String($0.drop(while: \.isWhitespace)) }.joined(separator: "; ")
      )
    }
  }
}

extension StatusReport {
  /// One JSON object on one line.
  package var json: String {
    let (state, version, reason): (String, Int?, String?) =
      switch server {
      case .reachable(let version): ("reachable", version, nil)
      case .unreachable(let reason): ("unreachable", nil, reason)
      case .stopped: ("stopped", nil, nil)
      }
    let object: JSONObject = [
      "source": source, "server": state, "serverVersion": version, "reason": reason,
      "data": dataFolder, "snapshot": snapshot, "watcher": watcher,
    ]
    return object.line
  }
}
