import Administration
import LiveDirectory
import Platform
import Terminal

/// Prints the state of the database and the snapshot.
struct StatusPrinter {
  let asJSON: Bool

  func print(_ report: StatusReport) throws {
    if asJSON {
      Messages.data(report.json)
      return
    }
    var screen = Screen()
    let painter = CardPainter(screen.profile)
    painter.append(
      heading: "Source",
      [
        CardPainter.Field("Database", report.source),
        CardPainter.Field("Server", Self.serverLine(report)),
        CardPainter.Field("Data", report.dataFolder),
      ],
      to: &screen.buffer
    )
    screen.buffer.append(UInt8(ascii: "\n"))
    painter.append(
      heading: "Snapshot",
      Self.fields(of: report.snapshot) + [
        CardPainter.Field("Kept fresh", Self.watcherLine(report.watcher))
      ],
      to: &screen.buffer
    )
    try screen.finish()
  }

  static func serverLine(_ report: StatusReport) -> String {
    switch report.server {
    case .reachable(let version): "reachable, PostgreSQL \(version / 10_000).\(version % 10_000)"
    case .unreachable(let reason): "unreachable: \(reason)"
    case .stopped: "not running; it starts when it is needed"
    }
  }

  private static func watcherLine(_ watcher: WatcherState?) -> String {
    guard let watcher else { return "no; keep it up to date with: staffbook sync --watch" }
    let process = "by process \(watcher.process)"
    let moment = Age.moment(watcher.since)
    switch watcher.mode {
    case .starting: return "\(process), which is starting"
    case .listening: return "\(process), which the database notifies, since \(moment)"
    case .polling:
      return "\(process), which checks every \(counted(watcher.poll, "second")), since "
        + (watcher.reason ?? "it is not notified")
    case .failing: return "\(process), which has failed since \(moment): \(watcher.reason ?? "")"
    }
  }

  private static func fields(of snapshot: StatusReport.Snapshot?) -> [CardPainter.Field] {
    guard let snapshot else {
      return [
        CardPainter.Field("State", "there is no snapshot yet; create it with: staffbook sync")
      ]
    }
    return [
      CardPainter.Field("Read from", snapshot.source),
      CardPainter.Field("Data changed", Age.moment(snapshot.takenAt)),
      CardPainter.Field("Last checked", snapshot.checkedAt.map { Age.moment($0) }),
      CardPainter.Field("People", String(snapshot.users)),
      CardPainter.Field("Departments", String(snapshot.departments)),
      CardPainter.Field("Memberships", String(snapshot.memberships)),
      CardPainter.Field("Unplaced", snapshot.unplaced == 0 ? nil : String(snapshot.unplaced)),
      CardPainter.Field("Locale", snapshot.locale),
      CardPainter.Field("File", snapshot.path),
    ]
  }
}
