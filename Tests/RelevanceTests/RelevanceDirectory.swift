import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import SystemPackage
import TestSupport

/// A real data set, to be searched with an index and without.
struct RelevanceDirectory {
  private let snapshot: DirectorySnapshot
  private let scan: SearchEngine
  private let index: SearchEngine
  private let records: DirectoryRecords

  /// Builds snapshot and index in a folder that must stay while the value is used.
  init(_ data: String, in folder: FilePath) throws {
    records = try Self.records(in: TestData.directory(named: data))
    let path = folder.appending("directory.snapshot")
    let metadata = SnapshotMetadata(
      takenAt: 0,
      locale: "C",
      collationVersion: "C",
      source: data
    )
    try TreeBuilder.build(records, locale: "C").write(to: path, metadata: metadata)
    snapshot = try DirectorySnapshot(path: path)
    let indexPath = folder.appending("search.index")
    try SearchIndexBuilder.write(of: snapshot, to: indexPath, phones: .unknown)
    let state = SearchIndex.open(indexPath, for: snapshot, phones: .unknown)
    guard case .usable(let file) = state else {
      throw TestSetupError("the index just written is not usable: \(state)")
    }
    scan = try SearchEngine(snapshot, phones: .unknown)
    index = try SearchEngine(snapshot, phones: .unknown, index: file)
  }

  /// People and departments.
  var recordCount: Int { records.users.count + records.departments.count }

  /// The first ten hits by the index, as the set names them.
  func search(_ text: String) throws -> [String] {
    let outcome = try index.search(try request(text))
    return outcome.hits.map { hit in
      hit.isDepartment
        ? "department:\(records.departments[hit.row].id.rawValue)"
        : "user:\(records.users[hit.row].id.rawValue)"
    }
  }

  /// Whether looking at every record finds the same first hits, for the same reasons.
  func isSameByScan(_ text: String) throws -> Bool {
    let request = try request(text)
    return try scan.search(request).hits == index.search(request).hits
  }

  private func request(_ text: String) throws -> SearchRequest {
    let query = SearchQuery(text)
    let scope = SearchScope(
      within: try query.scopes.map(node(ofDepartment:)),
      outside: try query.excludedScopes.map(node(ofDepartment:))
    )
    return SearchRequest(query, in: scope, limit: 10)
  }

  /// The node of a department given by its id or its name.
  private func node(ofDepartment name: String) throws -> Int {
    let rows = 0..<records.departments.count
    guard
      let row = rows.first(where: { records.departments[$0].id == DepartmentID(name) })
        ?? rows.first(where: { records.departments[$0].name == name })
    else { throw TestSetupError("there is no department \(name)") }
    return try index.node(ofDepartment: row)
  }

  // MARK: - Records

  private static func records(in folder: FilePath) throws -> DirectoryRecords {
    var records = DirectoryRecords()
    for row in try CSVFile(folder.appending("departments.csv")).rows {
      try records.departments.append(
        DepartmentRecord(
          id: DepartmentID(row[0]),
          parent: row[1].isEmpty ? nil : DepartmentID(row[1]),
          name: row[2],
          description: row[3],
          sortOrder: Int64(row[4]) ?? 0
        )
      )
    }
    for row in try CSVFile(folder.appending("users.csv")).rows {
      try records.users.append(
        UserRecord(
          id: UserID(row[0]),
          primaryDepartment: DepartmentID(row[1]),
          name: row[2],
          contacts: [.email: row[4], .phone: row[5]]
        )
      )
      try append(row[0], row[1], title: row[3], sortOrder: row[6], to: &records)
    }
    // Data sets in which no one has a second place have no such file.
    let memberships = folder.appending("memberships.csv")
    for row in try CSVFile(ifThere: memberships)?.rows ?? [] {
      try append(row[0], row[1], title: row[2], sortOrder: row[3], to: &records)
    }
    return records
  }

  private static func append(
    _ user: String,
    _ department: String,
    title: String,
    sortOrder: String,
    to records: inout DirectoryRecords
  ) throws {
    try records.memberships.append(
      MembershipRecord(
        user: UserID(user),
        department: DepartmentID(department),
        title: title,
        sortOrder: Int64(sortOrder) ?? 0
      )
    )
  }
}
