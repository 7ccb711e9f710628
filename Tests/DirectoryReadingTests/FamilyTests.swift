import DirectoryModel
import DirectoryTestSupport
import FoundationEssentials
import Seeds
import Testing

@testable import DirectoryReading

@Suite("Where a row stands among its siblings")
struct FamilyTests {
  private struct Row: Decodable {
    var id: String
    var level: Int
    var position: Int
    var siblings: Int
  }

  /// Rows of an outline in which everything is open, beside their numbers by counting.
  private func check(_ company: Company, seed: UInt64) throws {
    var outline = try DirectoryOutline(try company.directory(), SavedView())
    outline.apply(.expandAll)
    var json: [UInt8] = []
    try outline.write(0..<outline.rowCount, as: .json, to: &json)
    let rows = try JSONDecoder().decode([Row].self, from: Data(json))
    var (open, families): ([Int], [Int: [Int]]) = ([], [:])
    for (index, row) in rows.enumerated() {
      open.removeLast(open.count - row.level)
      families[open.last ?? -1, default: []].append(index)
      open.append(index)
    }
    for family in families.values {
      for (number, index) in family.enumerated() {
        let row = rows[index]
        #expect((row.position, row.siblings) == (number + 1, family.count), "seed \(seed): \(row)")
      }
    }
    #expect(rows.count == outline.rowCount)
  }

  @Test(arguments: newSeeds(6))
  func `is what counting gives, in small and large families`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var company = Company()
    let count = Int.random(in: 1...300, using: &generator)
    let spread = Int.random(in: 1...count, using: &generator)
    for index in 0..<count {
      // One parent has most of them; what is under an unknown one has no place.
      let parent = Int.random(in: 0..<spread, using: &generator)
      let isRoot = index == 0 || Int.random(in: 0..<50, using: &generator) == 0
      let isLost = Int.random(in: 0..<60, using: &generator) == 0
      try company.department(
        "d\(index)",
        under: isRoot ? nil : isLost ? "gone" : "d\(min(parent, index - 1))"
      )
    }
    for index in 0..<Int.random(in: 0...200, using: &generator) {
      let places = Set(
        (0..<2).map { _ in Int.random(in: 0..<min(count + 1, 20), using: &generator) }
      )
      for (number, place) in places.sorted().enumerated() {
        if number == 0 {
          try company.user("u\(index)", in: "d\(place)")
        } else {
          try company.member("u\(index)", of: "d\(place)")
        }
      }
    }
    try check(company, seed: seed)
  }
}
