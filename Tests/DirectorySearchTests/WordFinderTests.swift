import Seeds
import Testing

@testable import DirectorySearch

@Suite("Finding a word in long texts")
struct WordFinderTests {
  @Test(arguments: newSeeds(20))
  func `finds every place that a look at each byte finds`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = Array("ab.é9".utf8)
    for _ in 0..<200 {
      let text = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        letters[Int.random(in: 0..<letters.count, using: &generator)]
      }
      let length = Int.random(in: 1...5, using: &generator)
      let word = (0..<length).map { _ in
        letters[Int.random(in: 0..<letters.count, using: &generator)]
      }
      var found: [Int] = []
      word.withUnsafeBufferPointer { word in
        text.withUnsafeBufferPointer { text in
          let finder = WordFinder(word)
          var from = 0
          while let at = finder.position(in: text, from: from) {
            found.append(at)
            from = at + 1
          }
        }
      }
      let expected = text.indices.filter { text[$0...].starts(with: word) }
      #expect(found == expected, "seed \(seed), \(word) in \(text)")
    }
  }
}
