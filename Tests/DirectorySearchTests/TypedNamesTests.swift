import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import SystemPackage
import Testing

/// The queries of `Tests/Relevance/typed-names.tsv`, measured: names of many scripts and languages as
/// they are typed in Latin letters, otherwise, in short.
@Suite("Names as they are typed, by kind")
struct TypedNamesTests {
  /// The least recall among the first ten, and the least mean reciprocal rank.
  struct Floor: Sendable, CustomTestStringConvertible {
    var kind: String
    var recall: Double
    var reciprocalRank: Double

    var testDescription: String { kind }
  }

  static let floors: [Floor] = [
    Floor(kind: "Armenian in Latin letters", recall: 0.99, reciprocalRank: 0.99),
    Floor(kind: "Cantonese and Wade-Giles surnames", recall: 0.99, reciprocalRank: 0.98),
    Floor(kind: "Cyrillic in Latin letters", recall: 0.99, reciprocalRank: 0.99),
    Floor(kind: "Devanagari spelled otherwise", recall: 0.99, reciprocalRank: 0.67),
    Floor(kind: "English forms of other scripts", recall: 0.99, reciprocalRank: 0.97),
    Floor(kind: "Georgian in Latin letters", recall: 0.99, reciprocalRank: 0.99),
    Floor(kind: "Greek in Latin letters", recall: 0.99, reciprocalRank: 0.99),
    Floor(kind: "Hindi in Latin letters", recall: 0.99, reciprocalRank: 0.99),
    Floor(kind: "Japanese places", recall: 0.99, reciprocalRank: 0.9),
    Floor(kind: "Japanese, frequent", recall: 0.97, reciprocalRank: 0.95),
    Floor(kind: "Japanese, less frequent", recall: 0.95, reciprocalRank: 0.94),
    Floor(kind: "Tamil in Latin letters", recall: 0.95, reciprocalRank: 0.92),
    Floor(kind: "Thai in Latin letters", recall: 0.98, reciprocalRank: 0.96),
    Floor(kind: "Ukrainian signs", recall: 0.99, reciprocalRank: 0.93),
    Floor(kind: "departments by initials", recall: 0.97, reciprocalRank: 0.58),
    Floor(kind: "departments of other scripts", recall: 0.99, reciprocalRank: 0.98),
    Floor(kind: "departments without & and accents", recall: 0.99, reciprocalRank: 0.96),
    Floor(kind: "initials in other forms", recall: 0.99, reciprocalRank: 0.92),
    Floor(kind: "katakana of foreign names", recall: 0.95, reciprocalRank: 0.83),
    Floor(kind: "nicknames of many languages", recall: 0.95, reciprocalRank: 0.89),
    Floor(kind: "pinyin initials", recall: 0.99, reciprocalRank: 0.9),
    Floor(kind: "pinyin surname and beginning", recall: 0.99, reciprocalRank: 0.88),
    Floor(kind: "pinyin with tones", recall: 0.99, reciprocalRank: 0.99),
    Floor(kind: "short pinyin", recall: 0.99, reciprocalRank: 0.98),
    Floor(kind: "slips in Latin readings", recall: 0.94, reciprocalRank: 0.89),
    Floor(kind: "st for saint", recall: 0.99, reciprocalRank: 0.86),
    Floor(kind: "variants of a name", recall: 0.99, reciprocalRank: 0.95),
  ]

  private static let set: Result<TypedNames, any Error> = Result { try TypedNames() }

  @Test func `every kind has a floor and enough queries`() throws {
    let names = try Self.set.get()
    let kinds = Set(names.queries.map(\.kind))
    #expect(kinds == Set(Self.floors.map(\.kind)))
    for kind in kinds {
      #expect(names.queries.count { $0.kind == kind } >= 55, "\(kind)")
    }
  }

  @Test(arguments: floors)
  func `is found among the first ten`(floor: Floor) throws {
    let names = try Self.set.get()
    var (count, found, sum) = (0, 0, 0.0)
    for query in names.queries where query.kind == floor.kind {
      let outcome = try names.index.search(SearchRequest(SearchQuery(query.text), limit: 10))
      let place = outcome.hits.firstIndex { names.name(of: $0) == query.name }
      count += 1
      if let place {
        found += 1
        sum += 1 / Double(place + 1)
      }
      if place != 0 {
        let first = outcome.hits.first.map { "\(names.name(of: $0)) (\($0.tier))" } ?? "nothing"
        print("\(floor.kind): “\(query.text)” for \(query.name) at \(place ?? -1), first \(first)")
      }
      if count % (48 / rounds(1, thorough: 2)) == 0 {
        let scan = try names.scan.search(SearchRequest(SearchQuery(query.text), limit: 10))
        #expect(scan.hits == outcome.hits, "“\(query.text)”")
      }
    }
    let recall = Double(found) / Double(max(count, 1))
    let rank = sum / Double(max(count, 1))
    print("\(floor.kind): recall at 10 \(recall), MRR \(rank), \(count) queries")
    #expect(recall >= floor.recall)
    #expect(rank >= floor.reciprocalRank)
  }
}

/// A directory of everybody and every department that the queries look for.
private struct TypedNames {
  struct Query {
    var kind: String
    var text: String
    var name: String
  }

  private(set) var queries: [Query] = []
  let scan: SearchEngine
  let index: SearchEngine
  private var people: [String] = []
  private var departments: [String] = []

  init() throws {
    let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
    let text = String(
      decoding: try Self.readFile(folder.appending("Relevance/typed-names.tsv")),
      as: UTF8.self
    )
    // By scalars: a mark at the start of a column would join the tab before it.
    for line in text.unicodeScalars.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: "\t").map(String.init)
      guard columns.count == 3 else { throw TestFailure("not three columns: \(String(line))") }
      queries.append(Query(kind: columns[0], text: columns[1], name: columns[2]))
    }
    var company = Company()
    var known: Set<[UInt8]> = []
    for query in queries where known.insert(Array(query.name.utf8)).inserted {
      guard query.name.hasPrefix("#") else {
        people.append(query.name)
        continue
      }
      departments.append(query.name)
      try company.department("d\(departments.count)", name: String(query.name.dropFirst()))
    }
    people += TypedPerson.all.map(\.name)
    for (row, name) in people.enumerated() {
      try company.user("u\(10_000 + row * 7)", in: "d\(row % departments.count + 1)", name: name)
    }
    let engines = try company.engines()
    (scan, index) = (engines.scan, engines.index)
  }

  func name(of hit: SearchHit) -> String {
    hit.isDepartment ? departments[hit.row] : people[hit.row]
  }

  private static func readFile(_ path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { return bytes }
        bytes.append(contentsOf: chunk[..<count])
      }
    }
  }
}
