import DirectoryModel
import DirectoryReading
import Platform
import PrivateServer
import SiteSettings
import SystemPackage

/// Keeps the snapshot up to its source.
package struct DirectoryWatch: Sendable {
  private let site: Site

  package init(_ administrator: Administrator) { site = administrator.site }

  /// Keeps the snapshot up to the source until the task is cancelled.
  ///
  /// The private server is started for the first sync, and never again: an operator who stops it
  /// wants it to be stopped. Whatever fails is tried again, but for wrong settings.
  ///
  /// - Parameters:
  ///   - options: How.
  ///   - tell: Told what happens.
  /// - Throws: `.usage` for wrong settings and where there is no source, and `.refusedForNow` where
  ///   the user watches already.
  package func watch(
    _ options: WatchOptions,
    _ tell: @escaping @Sendable (WatchEvent) -> Void
  ) async throws(DirectoryError) {
    try site.settings.requireSound()
    try requireSource()
    while !Task.isCancelled {
      try await watchWhileLocked(options, tell)
      // A process that removes the snapshots' folder removes our lock with it, and another
      // could watch too. A file system that renumbers its files must not keep us busy; cancelled is
      // over.
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Nothing that runs by itself sets up a private server: a watch that is enabled for all accounts would
  /// give each its own.
  private func requireSource() throws(DirectoryError) {
    guard site.settings.source.server == .privateServer else { return }
    do throws(PrivateServerError) {
      guard try site.privateServer.status().state == .absent else { return }
    } catch {
      throw DirectoryError(error)
    }
    let file = site.settings.folders.configuration.appending("config.yaml").string
    throw DirectoryError(
      .usage,
      "cannot watch: no database is configured, and there is no private server",
      advice: """
        write database: postgresql://HOST/DATABASE to \(file) or /etc/staffbook/config.yaml, or run: \
        \(.run(["db", "start"]))
        """
    )
  }

  /// Returns when the lock's file is no longer ours, or the task is cancelled.
  private func watchWhileLocked(
    _ options: WatchOptions,
    _ tell: @escaping @Sendable (WatchEvent) -> Void
  ) async throws(DirectoryError) {
    try site.settings.folders.createHome()
    let store = site.snapshots
    try Folders.create(store.folder)
    // A process that asks for the status may hold the lock for a moment.
    let acquired = try await FileLock.wait(for: store.watchLockPath, patience: .seconds(1)) {}
    guard let lock = acquired else {
      throw DirectoryError(
        .refusedForNow,
        "cannot watch: \(FileLock.holder(of: store.watchLockPath)) is already watching this snapshot",
        advice: "stop it first, or leave it running"
      )
    }
    let poll = (options.poll ?? Self.pollPause(site.settings)).components.seconds
    func note(_ mode: WatcherState.Mode, _ reason: String?) {
      store.save(
        WatcherState(
          process: getpid(),
          mode: mode,
          reason: reason,
          since: Int64(Platform.time(nil)),
          poll: poll
        )
      )
    }
    note(.starting, nil)
    var watch = SnapshotWatch(site, options, tell: tell, note: note)
    try await watch.run { lock.isFile(at: store.watchLockPath) }
  }

  /// How long after a sync a watch looks by itself.
  static func pollPause(_ settings: Settings) -> Duration {
    if let seconds = settings.poll { return .seconds(seconds) }
    return settings.source.queries == nil ? .seconds(60) : .seconds(300)
  }
}
