import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import LibPQ
import LiveDirectory
import Seeds
import SiteSettings
import SystemPackage
import TestSupport
import Testing

/// Keeps a snapshot in a folder, as people do.
private struct SnapshotReader: HistoryReader {
  private let home: ScratchFolder
  /// Where the server is that syncs with a standby; all servers are in one connection string, so
  /// that they are one source.
  private let standby: String?
  private let conninfo: String

  init(primary: borrowing PostgresCluster) throws {
    home = try ScratchFolder()
    standby = nil
    conninfo = primary.conninfo()
  }

  init(primary: borrowing PostgresCluster, standby: borrowing PostgresCluster) throws {
    home = try ScratchFolder()
    self.standby = standby.conninfo()
    conninfo = "host=\(primary.folder),\(standby.folder) user=postgres dbname=postgres"
  }

  func sync(with source: String, witness: @escaping HistoryWitness) async throws -> HistorySync {
    let settings = try Settings(
      environment: [
        "STAFFBOOK_HOME": home.path.string, "STAFFBOOK_DATABASE_URL": conninfo,
        "STAFFBOOK_LOCALE": "und",
      ]
    )
    let session = Session(settings: settings) { _ in }
    var options = SyncOptions()
    options.acceptDeletions = true
    options.preferStandby = source == standby
    let report = try await SnapshotSync(Administrator(session, to: "test")).sync(
      options,
      observer: witness
    )
    let snapshot = try DirectorySnapshot(path: session.site.snapshots.path)
    return HistorySync(comparedBecause: report.reason, rows: try snapshot.rows())
  }
}

extension DirectorySnapshot {
  /// All records by content, as the tables have them.
  fileprivate func rows() throws -> DirectoryRows {
    try verify()
    let (tree, departments, users) = try (tree(), departments(), users())
    let (contacts, memberships, leaves) = try (contacts(), memberships(), leaves())
    let fields = try fields()
    func departmentID(of node: Int) throws -> String {
      try departments.ids[try tree.departmentRecord(of: node)]
    }
    var userRows: [[String]] = []
    var membershipRows: [[String]] = []
    for user in 0..<users.count {
      var primary = ""
      for node in try leaves.nodes(of: user) {
        let membership = try tree.record(of: node)
        let department = try tree.parent(of: node).map(departmentID) ?? ""
        if try memberships.isPrimary(membership) { primary = department }
        membershipRows.append([
          try users.ids[user], department, try memberships.titles[membership],
          String(try memberships.sortOrders[membership]), "\(try memberships.leads(membership))",
        ])
      }
      userRows.append([
        try users.ids[user], primary, try users.names[user], try contacts[.email][user],
        try contacts[.phone][user], try fields.values(ofUser: user).text,
      ])
    }
    let departmentRows = try (0..<departments.count).map { row in
      [
        try departments.ids[row],
        try tree.parent(of: departments.node(of: row)).map(departmentID) ?? "",
        try departments.names[row], try departments.descriptions[row],
        String(try departments.sortOrders[row]), try fields.values(ofDepartment: row).text,
      ]
    }
    var identities: [[String]] = []
    for row in 0..<departments.count {
      identities.append(["department", try departments.ids[row], try departments.identities[row]])
    }
    for row in 0..<users.count {
      identities.append(["user", try users.ids[row], try users.identities[row]])
    }
    return DirectoryRows(
      fields: fields.declared.map {
        [
          $0.owner.rawValue, $0.name, $0.kind.rawValue, $0.label, "\($0.isMultiple)",
          "\($0.isSearched)", "\($0.sortOrder)",
        ]
      },
      departments: departmentRows,
      users: userRows,
      memberships: membershipRows,
      identities: identities
    )
  }
}

/// How many syncs a history has.
private let historyLength = rounds(40, thorough: 100)

extension HistoryOutcome {
  fileprivate func expectSound(_ name: String) {
    print("snapshot beside \(name): \(self)")
    #expect(mismatches.isEmpty, "\(mismatches.prefix(3)) of \(self)")
    #expect(incrementalShare >= 0.95, "\(self)")
    #expect(failures.isEmpty, "\(failures.prefix(3)) of \(self)")
    #expect(changed > syncs / 4, "\(self)")
  }
}

@Suite("A snapshot beside many writers", .serialized)
struct SyncHistoryTests {
  private func makeDirectory() async throws -> PostgresCluster {
    let cluster = try await PostgresCluster.make()
    _ = try await Migrator().migrate(conninfo: cluster.conninfo())
    var connection = try PGConnection(conninfo: cluster.conninfo())
    try connection.executeScript(HistoryWriter.beginning)
    return cluster
  }

  @Test func `holds at each sync what its transaction sees`() async throws {
    let cluster = try await makeDirectory()
    let history = History(
      primary: cluster.conninfo(),
      sources: [cluster.conninfo()],
      syncs: historyLength
    )
    try await history.play(to: SnapshotReader(primary: cluster)).expectSound("writers")
  }

  @Test func `does so with transactions that stay open and prepared`() async throws {
    let cluster = try await makeDirectory()
    var open = try PGConnection(conninfo: cluster.conninfo())
    try open.executeScript(
      "begin; update staffbook.departments set description = 'open' where id = 'open'"
    )
    var prepared = try PGConnection(conninfo: cluster.conninfo())
    try prepared.executeScript(
      """
      begin; update staffbook.departments set description = 'so' where id = 'prepared';
      prepare transaction 'p'
      """
    )
    let history = History(
      primary: cluster.conninfo(),
      sources: [cluster.conninfo()],
      syncs: historyLength
    )
    let reader = try SnapshotReader(primary: cluster)
    try await history.play(to: reader).expectSound("open and prepared transactions")
    try open.executeScript("commit")
    try prepared.executeScript("commit prepared 'p'")
    var after = history
    after.syncs = 20
    try await after.play(to: reader).expectSound("them, ended")
  }

  @Test func `does so between a primary and its standby`() async throws {
    let primary = try await makeDirectory()
    let standby = try await primary.makeStandby()
    let history = History(
      primary: primary.conninfo(),
      sources: [primary.conninfo(), standby.conninfo()],
      syncs: historyLength
    )
    try await history.play(to: SnapshotReader(primary: primary, standby: standby))
      .expectSound("primary and standby")
  }
}
