import DirectoryModel

/// One consistent state of a directory and where it came from.
package struct LoadedDirectory: Sendable {
  package var records: DirectoryRecords
  package var source: DirectorySource
}

/// Where and when a state was read, and what a later read needs to fetch only what changed.
package struct DirectorySource: Hashable, Sendable {
  /// A host's name, its address, or the folder of a socket.
  package var host: String
  package var database: String
  package var isStandby: Bool
  /// Microseconds since 1970, UTC, by the server's clock.
  package var takenAt: Int64
  /// `nil` where nothing tracks changes, as in a company's own tables.
  package var watermark: SourceWatermark?
  /// What was accepted for all readers since the earlier read, where anything was removed.
  package var accepted = AcceptedDeletions()
  /// Whether the database user may decide who may see whom.
  package var isAdministrator = false
}

/// How far a load has come.
package struct LoadProgress: Hashable, Sendable {
  /// Rows of all tables so far.
  package var rows: Int
  /// The server's estimate of all rows; `nil` when it has none.
  package var expectedRows: Int?
}
