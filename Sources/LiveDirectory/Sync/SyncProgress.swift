/// How far a sync has come.
package enum SyncProgress: Sendable {
  /// Rows read so far, and the server's guess at all of them.
  case reading(rows: Int, expected: Int?)
  /// Comparing, linking and sorting.
  case building
  /// Writing the snapshot and making it durable.
  case writing
  /// Making the search index.
  case indexing

  /// What is being done, in one word.
  package var phase: String {
    switch self {
    case .reading: "reading"
    case .building: "building"
    case .writing: "writing"
    case .indexing: "indexing"
    }
  }
}
