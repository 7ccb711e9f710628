import DirectoryModel
import Synchronization
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("Watching records arrive")
struct RecordLoaderTests {
  /// Notes how many rows of each table there were each time.
  private final class Watcher: RecordObserver {
    let seen = Mutex<[[Int]]>([])

    func readBegins() { seen.withLock { $0 = [] } }

    func rowsArrived(_ records: borrowing DirectoryRecords) {
      let counts = [records.departments.count, records.users.count, records.memberships.count]
      seen.withLock { $0.append(counts) }
    }
  }

  @Test func `rows come table by table, a few at a time, and all in the end`() async throws {
    try await withDirectory { conninfo in
      let session = try await SQLSession(conninfo)
      try await session.run(
        """
        begin;
        insert into staffbook.departments (id, name) values ('d', 'Lamps');
        insert into staffbook.users (id, name, primary_department_id)
          select 'u' || i, 'Keeper ' || i, 'd' from generate_series(1, 5000) i;
        insert into staffbook.memberships (user_id, department_id)
          select 'u' || i, 'd' from generate_series(1, 5000) i;
        commit;
        """
      )
      let watcher = Watcher()
      let loaded = try await DirectoryRepository(conninfo: conninfo).load(arrivals: watcher)
      let seen = watcher.seen.withLock { $0 }
      #expect(loaded.records.users.count == 5_000)
      #expect(seen.last == [1, 5_000, 5_000])
      #expect(seen.count > 8)
      for (earlier, later) in zip(seen, seen.dropFirst()) {
        #expect(zip(earlier, later).allSatisfy { $0 <= $1 })
      }
      #expect(seen.allSatisfy { $0[at: 2] == 0 || $0[at: 1] == 5_000 }, "users before memberships")
    }
  }
}
