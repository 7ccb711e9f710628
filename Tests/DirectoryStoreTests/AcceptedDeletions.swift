import DirectoryModel
import LibPQ

@testable import DirectoryStore

extension DirectoryImporter {
  /// What was accepted since a reader last looked, on a connection of its own; a sync asks in its own
  /// transaction.
  static func acceptedDeletions(
    since xmin: UInt64,
    seen: [LedgerEntry],
    conninfo: String
  ) async throws(DirectoryError) -> AcceptedDeletions {
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: "look for accepted deletions"
    )
    return try await database.look { (connection) throws(StoreFailure) in
      try ImportAcceptance.since(xmin, seen: seen, &connection)
    }
  }
}
