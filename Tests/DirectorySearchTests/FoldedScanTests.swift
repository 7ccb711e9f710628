import DirectoryModel
import DirectorySnapshot
import TextRules
import Testing

@testable import DirectorySearch

@Suite("Scanning a column for folded words")
struct FoldedScanTests {
  /// A column of a snapshot that holds these texts in this order.
  private func column(_ texts: [String]) throws -> TextColumn {
    var company = Company()
    try company.department("root")
    for (row, text) in texts.enumerated() { try company.user("\(row)", in: "root", name: text) }
    return try company.snapshot().users().names
  }

  private func rows(_ set: RowSet) -> [Int] {
    var rows: [Int] = []
    set.forEach { rows.append($0) }
    return rows
  }

  private func naiveRows(_ texts: [String], containing word: [UInt8]) -> [Int] {
    texts.indices.filter { naivelyContains(Array(Folding.fold(texts[$0]).utf8), word) }
  }

  @Test(arguments: newSeeds(8))
  func `finds the rows that a naive scan finds`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let texts = (0..<Int.random(in: 1...400, using: &generator)).map { _ in
      RandomText.text(words: 0...5, using: &generator)
    }
    let words = (0..<40).flatMap { _ in
      SearchQuery(RandomText.text(words: 1...2, using: &generator)).words
    }
    let found = try FoldedScan.rows(of: try column(texts), containing: words)
    #expect(found.count == words.count)
    for (word, set) in zip(words, found) {
      #expect(
        rows(set) == naiveRows(texts, containing: word),
        "seed \(seed), word \(String(decoding: word, as: UTF8.self))"
      )
    }
  }

  /// Around the 4,096 rows of a block and the 50,000 that are worth a second thread.
  @Test(arguments: [0, 1, 63, 64, 4_095, 4_096, 4_097, 8_193, 49_999, 50_000, 53_248, 53_249])
  func `finds the first and the last row of every block`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let border = Set((0...count / 4_096).flatMap { [$0 * 4_096 - 1, $0 * 4_096] } + [count - 1])
    let texts = (0..<count).map { row in
      border.contains(row)
        ? "Bórder \(row)" : ["Anna", "", "Bo", "rder"][Int.random(in: 0..<4, using: &generator)]
    }
    let words = ["border", "anna", "rder", "order 4096", "nobody"].map { Array($0.utf8) }
    let found = try FoldedScan.rows(of: try column(texts), containing: words)
    for (word, set) in zip(words, found) {
      #expect(
        rows(set) == naiveRows(texts, containing: word),
        "\(count) rows, word \(String(decoding: word, as: UTF8.self))"
      )
    }
  }

  @Test func `a word does not reach from one row into the next`() throws {
    let column = try column(["Ann", "a Lund", "", "Anna"])
    let found = try FoldedScan.rows(
      of: column,
      containing: [Array("anna".utf8), Array("dann".utf8)]
    )
    #expect(found.map { rows($0) } == [[3], []])
  }

  @Test func `a word as long as a row, and longer than all rows`() throws {
    let column = try column(["Anna", "nna", "Ann"])
    let words = ["anna", String(repeating: "anna", count: 100)].map { Array($0.utf8) }
    #expect(try FoldedScan.rows(of: column, containing: words).map { rows($0) } == [[0], []])
  }

  @Test func `no words find nothing`() throws {
    #expect(try FoldedScan.rows(of: try column(["Anna"]), containing: []).isEmpty)
  }
}

@Suite("Finding bytes in bytes")
struct BytePositionTests {
  @Test(arguments: newSeeds(20))
  func `is where a naive search finds them`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let text = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
        UInt8.random(in: 0...2, using: &generator)
      }
      let word = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        UInt8.random(in: 0...2, using: &generator)
      }
      let start = Int.random(in: 0...text.count, using: &generator)
      let expected = (start...text.count).first { text[$0...].starts(with: word) }
      #expect(text.position(of: word, from: start) == expected, "seed \(seed): \(word) in \(text)")
    }
  }
}

@Suite("A set of rows")
struct RowSetTests {
  @Test(arguments: newSeeds(10))
  func `is a set of numbers`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...300, using: &generator)
    func members() -> Set<Int> {
      Set(
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
          Int.random(in: 0..<count, using: &generator)
        }
      )
    }
    let (left, right) = (members(), members())
    func set(_ members: Set<Int>) -> RowSet {
      members.reduce(into: RowSet(count: count)) { $0.insert($1) }
    }
    func rows(_ set: RowSet) -> [Int] {
      var rows: [Int] = []
      set.forEach { rows.append($0) }
      return rows
    }
    #expect(rows(set(left)) == left.sorted(), "seed \(seed)")
    #expect((0..<count).allSatisfy { set(left).contains($0) == left.contains($0) }, "seed \(seed)")
    var union = set(left)
    union.formUnion(set(right))
    #expect(rows(union) == left.union(right).sorted(), "seed \(seed)")
    var common = set(left)
    common.formIntersection(set(right))
    #expect(rows(common) == left.intersection(right).sorted(), "seed \(seed)")
  }
}
