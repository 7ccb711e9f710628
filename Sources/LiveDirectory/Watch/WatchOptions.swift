import DirectoryModel
import DirectoryStore

/// How a sync that watches is to be done.
package struct WatchOptions: Sendable {
  /// How each sync is done.
  package var sync = SyncOptions()
  /// How long after a sync another one is done if no one says that something was written; `nil` is
  /// the configuration's, or a minute, or five where every sync reads everything.
  package var poll: Duration?
  /// Becomes readable when the watch is to end; the task that runs it is cancelled then, too.
  package var stop: Int32 = -1

  package init() {}
}

/// What a watch has to say, in the order in which it happens.
package enum WatchEvent: Sendable {
  /// There is a snapshot that can be read; said once.
  case ready
  /// The snapshot is what the source was a moment ago.
  case synced(SyncReport, seconds: Double)
  /// A sync failed, or the connection is lost; it is tried again.
  case failed(DirectoryError, isRepeated: Bool)
  /// What failed succeeds again.
  case recovered
  /// How changes are found from now on.
  case waiting(WatchMode)
}

/// How a watch comes to know that something was written.
package enum WatchMode: Hashable, Sendable {
  /// The database says so.
  case listening
  /// It looks by itself now and then.
  case polling(Reason)

  package enum Reason: Hashable, Sendable {
    case standby, pooler, ownTables, prefersStandby
    /// Who holds the locks by which writers would know of a waiting process.
    case locked(holders: String)
    /// Why the database cannot be listened to.
    case refused(String)

    init(_ cause: ChangeListener.Cause) {
      switch cause {
      case .standby: self = .standby
      case .pooler: self = .pooler
      case .locked(let holders): self = .locked(holders: holders)
      }
    }

    /// What stands behind `since`.
    package var text: String {
      switch self {
      case .standby: "the server is a standby, which cannot send notifications"
      case .pooler: "a connection pooler does not pass notifications on"
      case .ownTables: "these tables do not send notifications"
      case .prefersStandby: "a standby is preferred, which cannot send notifications"
      case .locked(let holders):
        "\(holders) holds an advisory lock that is needed for notifications"
      case .refused(let reason): reason
      }
    }
  }
}
