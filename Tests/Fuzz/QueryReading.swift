import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Platform
import SystemPackage

/// Reads what the user typed, and looks for it in a small directory.
enum QueryReading {
  @Sendable
  static func seeds() -> [[UInt8]] {
    [
      "", "lens", "\"Lens Lab\"", "name:Åsa -title:head", "張 偉*", "a\u{301} \u{200D}",
      "zhang wei", "zw -sales", "+49 30 12", "phone:7", "-\"a \"\"b\"\" c\" id:u1", "mueller 重庆",
      "ㄱㅇㅁ", "in:sales -in:\"optics/lens\"", "shchukin dept:optics", "%_\\*-", "lnes labb",
    ].map { Array($0.utf8) }
  }

  /// A search by index that finds other than one without is a finding.
  @Sendable
  static func read(_ input: UnsafeRawBufferPointer) {
    let text = String(decoding: input, as: UTF8.self)
    let query = SearchQuery(text, phones: rules)
    guard query.refusal == nil else {
      precondition(query.isEmpty, "a query that is refused has nothing to look for")
      return
    }
    do {
      let (scan, index) = engines
      let request = SearchRequest(query)
      let outcome = try scan.search(request)
      let byIndex = try index.search(request)
      precondition(byIndex == outcome, "the index finds \(byIndex), a look at all \(outcome)")
      for hit in outcome.hits {
        let explanation = try index.explain(hit, of: outcome)
        var end = 0
        for range in explanation.highlights {
          precondition(range.lowerBound >= end, "parts of a name rise and stand apart")
          end = range.upperBound
        }
      }
      _ = try index.matchingNodes(for: query)
      _ = try index.suggestion(for: query)
    } catch {
      fatalError("a sound directory cannot be searched: \(error)")
    }
  }

  private static let rules = DialingPlan(country: "DE") ?? .unknown

  private static let engines: (scan: SearchEngine, index: SearchEngine) = {
    do {
      return try makeEngines()
    } catch {
      fatalError("cannot make a directory to search: \(error)")
    }
  }()

  private static func makeEngines() throws -> (scan: SearchEngine, index: SearchEngine) {
    let name = "/tmp/staffbook-fuzz-\(UInt64.random(in: .min ... .max))"
    let (path, indexPath) = (FilePath(name + ".snapshot"), FilePath(name + ".index"))
    defer {
      for file in [path, indexPath] { _ = file.withPlatformString { remove($0) } }
    }
    let metadata = SnapshotMetadata(
      takenAt: 0,
      locale: "C",
      collationVersion: "1",
      source: "a fuzzer"
    )
    try TreeBuilder.build(records(), locale: "C").write(to: path, metadata: metadata)
    let snapshot = try DirectorySnapshot(path: path)
    try SearchIndexBuilder.write(of: snapshot, to: indexPath, phones: rules)
    guard case .usable(let index) = SearchIndex.open(indexPath, for: snapshot, phones: rules) else {
      fatalError("the index just written is not usable")
    }
    return (
      try SearchEngine(snapshot, phones: rules),
      try SearchEngine(snapshot, phones: rules, index: index)
    )
  }

  /// Names of many scripts, two of them in two places.
  private static func records() throws -> DirectoryRecords {
    var records = DirectoryRecords()
    for (id, parent, name) in [
      ("root", nil, "Lumen"), ("optics", "root", "Optics – 光学"), ("lens", "optics", "Lens Lab"),
      ("sales", "root", "Sales \"100%\" _x_"),
    ] as [(String, String?, String)] {
      try records.departments.append(
        DepartmentRecord(id: DepartmentID(id), parent: parent.map { DepartmentID($0) }, name: name)
      )
    }
    let names = [
      "张伟", "張偉明", "单晓梅", "Jürgen Müller", "Mueller", "Åsa Strøm", "Щукин Пётр", "강유미",
      "さとう りさ", "Γιώργος", "محمد", "משה", "अमित", "สมชาย", "O’Hara", "Ann-Kathrin a\u{301}",
    ]
    for (row, name) in names.enumerated() {
      let user = UserID("u\(row)")
      let places = row < 2 ? ["lens", "sales"] : [["lens", "optics", "sales"][row % 3]]
      try records.users.append(
        UserRecord(
          id: user,
          primaryDepartment: DepartmentID(places[0]),
          name: name,
          contacts: [
            .email: "a.b\(row)@lumen.example",
            .phone: row % 2 == 0 ? "+49 30 12\(row)" : "030/7\(row)",
          ]
        )
      )
      for place in places {
        try records.memberships.append(
          MembershipRecord(user: user, department: DepartmentID(place), title: "Head *\\ \(row)")
        )
      }
    }
    return records
  }
}
