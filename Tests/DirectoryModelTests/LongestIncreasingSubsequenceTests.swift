import Platform
import Seeds
import Testing

@Suite("What a list gives up to be in order")
struct LongestRiseTests {
  @Test(arguments: newSeeds(200))
  func `is as little as can be, and the rest rises`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let keys = (0..<Int.random(in: 0...40, using: &generator))
      .map { _ in UInt64.random(in: 0...30, using: &generator) }
    let strays = LongestIncreasingSubsequence.strays(in: keys)
    #expect(zip(strays, strays.dropFirst()).allSatisfy(<), "seed \(seed)")
    let kept = keys.indices.filter { !strays.contains($0) }.map { keys[$0] }
    #expect(zip(kept, kept.dropFirst()).allSatisfy(<), "seed \(seed)")
    #expect(kept.count == longestRise(in: keys), "seed \(seed)")
  }

  @Test func `is nothing of a list in order`() {
    #expect(LongestIncreasingSubsequence.strays(in: []).isEmpty)
    #expect(LongestIncreasingSubsequence.strays(in: Array(0..<1_000)).isEmpty)
  }

  @Test func `is the one that moved`() {
    #expect(LongestIncreasingSubsequence.strays(in: [1, 2, 9, 3, 4, 5]) == [2])
    #expect(LongestIncreasingSubsequence.strays(in: [2, 3, 4, 1, 5]) == [3])
  }

  /// By looking at every pair.
  private func longestRise(in keys: [UInt64]) -> Int {
    var lengths: [Int] = []
    for (index, key) in keys.enumerated() {
      lengths.append(1 + (0..<index).reduce(0) { keys[$1] < key ? max($0, lengths[$1]) : $0 })
    }
    return lengths.max() ?? 0
  }
}
