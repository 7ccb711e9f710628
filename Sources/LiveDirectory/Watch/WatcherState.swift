import DirectoryModel
import DirectoryReading
import FoundationEssentials
import Platform
import SystemPackage

/// What a process that watches says of itself, in a small file beside the snapshot.
package struct WatcherState: Codable, Sendable, Equatable {
  package enum Mode: String, Codable, Sendable {
    /// It has not come to wait yet.
    case starting
    /// The database notifies it.
    case listening
    /// It looks by itself.
    case polling
    /// The last sync failed.
    case failing
  }

  /// The process.
  package var process: Int32
  package var mode: Mode
  /// Why it only looks by itself, or what failed.
  package var reason: String?
  /// Since when that is so: seconds since 1970, UTC.
  package var since: Int64
  /// Seconds between two looks.
  package var poll: Int64
}

extension SnapshotStore {
  /// The lock that a watch holds: one is enough for a snapshot.
  var watchLockPath: FilePath { folder.appending("watch.lock") }
  private var watcherPath: FilePath { folder.appending("watcher.json") }

  private static let longestState = 1 << 16

  /// Who watches; `nil` where there is none.
  package var watcher: WatcherState? {
    guard let process = FileLock.currentHolder(of: watchLockPath) else { return nil }
    let starting = WatcherState(process: process, mode: .starting, since: 0, poll: 0)
    guard let file = try? MappedFile(path: watcherPath),
      let state = file.withBytes({ bytes in
        bytes.count <= Self.longestState
          ? try? JSONDecoder().decode(WatcherState.self, from: Data(bytes)) : nil
      }), state.process == process
    else { return starting }
    return state
  }

  /// Says how it is; what cannot be written is not missed.
  ///
  /// - Parameter state: Of the caller, who holds the watch's lock.
  func save(_ state: WatcherState) {
    let text = JSONLine.encode(state)
    try? AtomicFile.replace(watcherPath, with: Array(text.utf8), provisional: .fixed)
  }
}
