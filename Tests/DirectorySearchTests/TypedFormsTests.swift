import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import Testing

/// What people type, paste and dial, measured: for each kind of query how many find who was meant
/// among the first ten, and where.
@Suite("What is typed, by kind")
struct TypedFormsTests {
  /// A kind of query, and the least that it must reach.
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var recall: Double
    var reciprocalRank: Double
    /// Queries for a person; none where the kind does not fit.
    var queries: @Sendable (TypedPerson, inout SeededGenerator) -> [String]

    var testDescription: String { name }

    init(
      _ name: String,
      _ recall: Double,
      _ reciprocalRank: Double,
      _ queries: @escaping @Sendable (TypedPerson, inout SeededGenerator) -> [String]
    ) {
      (self.name, self.recall, self.reciprocalRank) = (name, recall, reciprocalRank)
      self.queries = queries
    }
  }

  private static let engines: Result<(scan: SearchEngine, index: SearchEngine), any Error> = Result
  {
    try TypedPerson.company().engines()
  }

  static let fewestQueries = 60

  @Test(arguments: Kind.all)
  func `is found among the first ten`(kind: Kind) throws {
    let (scan, index) = try Self.engines.get()
    var generator = SeededGenerator(seed: 15)
    var (after, before) = (Score(), Score())
    var misses: [String] = []
    while after.count < Self.fewestQueries {
      for (row, person) in TypedPerson.all.enumerated() {
        for text in kind.queries(person, &generator) {
          var request = SearchRequest(SearchQuery(text), limit: 10)
          let outcome = try index.search(request)
          if after.count % 16 == 0 { #expect(try scan.search(request) == outcome, "“\(text)”") }
          let place = Self.place(of: row, in: outcome)
          after.add(place)
          if place == nil { misses.append("“\(text)” for \(person.name)") }
          request.allowsTiers = false
          before.add(Self.place(of: row, in: try index.search(request)))
        }
      }
    }
    for miss in misses.prefix(12) { print("\(kind.name): \(miss) is not found") }
    print("\(kind.name): \(after), as typed alone \(before)")
    #expect(after.recall >= kind.recall, "\(after)")
    #expect(after.reciprocalRank >= kind.reciprocalRank, "\(after)")
  }

  /// Counted from 1.
  private static func place(of row: Int, in outcome: SearchOutcome) -> Int? {
    outcome.hits.firstIndex { !$0.isDepartment && $0.row == row }.map { $0 + 1 }
  }

  private struct Score: CustomStringConvertible {
    private(set) var count = 0
    private var found = 0
    private var sum = 0.0

    mutating func add(_ place: Int?) {
      count += 1
      guard let place else { return }
      found += 1
      sum += 1 / Double(place)
    }

    var recall: Double { Double(found) / Double(max(count, 1)) }
    var reciprocalRank: Double { sum / Double(max(count, 1)) }

    var description: String {
      func shown(_ value: Double) -> String { String(Double(Int(value * 1_000)) / 1_000) }
      return "recall at 10 \(shown(recall)), MRR \(shown(reciprocalRank)), \(count) queries"
    }
  }

  @Test func `nonsense finds nothing`() throws {
    let (_, index) = try Self.engines.get()
    var generator = SeededGenerator(seed: 500)
    var (after, before) = (0, 0)
    var found: [String] = []
    for _ in 0..<500 {
      let text = Nonsense.query(using: &generator)
      var request = SearchRequest(SearchQuery(text), limit: 10)
      let hits = try index.search(request).hits
      if !hits.isEmpty {
        found.append(
          "“\(text)” finds \(TypedPerson.all[min(hits[0].row, 99)].name) in \(hits[0].tier)"
        )
      }
      after += hits.isEmpty ? 0 : 1
      request.allowsTiers = false
      before += try index.search(request).hits.isEmpty ? 0 : 1
    }
    for line in found.prefix(40) { print("nonsense: \(line)") }
    print("nonsense: \(after) of 500 find something, as typed alone \(before)")
    #expect(after - before <= 5)
  }
}

/// Letters that fingers fall on.
enum Nonsense {
  private static let alphabets = [
    "abcdefghijklmnopqrstuvwxyz", "bcdfghjklmnpqrstvwxz", "asdfghjkl", "qwertzuiop",
    "абвгдежзийклмнопрстуфхцчшщыэюя", "αβγδεζηθικλμνξοπρστυφχψω",
  ].map { Array($0) }

  static func query(using generator: inout SeededGenerator) -> String {
    let alphabet = alphabets.randomElement(using: &generator) ?? []
    return (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      String(
        (0..<Int.random(in: 4...9, using: &generator))
          .compactMap { _ in alphabet.randomElement(using: &generator) }
      )
    }.joined(separator: " ")
  }
}
