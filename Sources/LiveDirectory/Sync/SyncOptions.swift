/// How a sync is to be done.
package struct SyncOptions: Sendable {
  /// Reads everything, also where only changes would do.
  package var full = false
  /// Lets a source that lost much, or all, replace the snapshot.
  package var acceptDeletions = false
  /// Finds out what a sync would do and writes nothing.
  package var isRehearsal = false
  /// Reads from a standby where the connection string names several hosts and one of them is.
  package var preferStandby = false

  /// Names every change, and not only counts them.
  package var namesChanges = false

  /// Starts the private server where it is not running; otherwise that is an error.
  package var startsServer = true

  package init() {}
}
