import Seeds
import OutlineModel
import Testing

/// A few for each run of the tests; `OutlineHistories`, optimised, makes a million steps.
@Suite("Random histories")
struct HistoryTests {
  @Test(arguments: newSeeds(12))
  func `show the rows of the plain model after each step`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var history = try History(seed: seed, size: Int.random(in: 0...40, using: &random))
    try history.run(steps: 100)
  }

  @Test(arguments: newSeeds(1))
  func `show them in large trees too`(seed: UInt64) throws {
    var history = try History(seed: seed, size: 1_000)
    try history.run(steps: 20)
  }
}
