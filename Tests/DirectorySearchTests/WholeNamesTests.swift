import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import Testing
import TextRules

@Suite("Records that are called as was typed")
struct WholeNamesTests {
  @Test func `are those whose names fold to the same, with an index and without`() throws {
    var generator = SeededGenerator(seed: .random(in: .min ... .max))
    let seed = generator.state
    var company = Company()
    try company.department("d", name: "Köln Office")
    for row in 0..<400 {
      // Some names are longer than any dictionary has words.
      let name =
        row % 50 == 0
        ? String(repeating: "x\(row / 100)", count: 200)
        : RandomText.text(words: 1...3, using: &generator)
      if name.unicodeScalars.contains(where: DirectoryLimits.isVisible) {
        try company.user("u\(row)", in: "d", name: name)
      }
    }
    let engines = try company.engines()
    let names = (0..<company.records.users.count).map { company.records.users[$0].name }
    for own in names {
      for name in [own, Folding.fold(own), own.uppercased()] {
        let found = try engines.index.rows(named: name, .user)
        #expect(try found == engines.scan.rows(named: name, .user), "seed \(seed), “\(name)”")
        let folded = Folding.fold(name)
        #expect(
          found == names.indices.filter { Folding.fold(names[$0]) == folded },
          "seed \(seed), “\(name)”"
        )
      }
    }
    for engine in [engines.index, engines.scan] {
      #expect(try engine.rows(named: "koln  OFFICE", .department) == [0])
      #expect(try engine.rows(named: "koln", .department) == [])
      #expect(try engine.rows(named: "koln office", .user) == [])
    }
  }
}
