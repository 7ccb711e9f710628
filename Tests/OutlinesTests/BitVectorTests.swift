import OutlineModel
import Outlines
import Seeds
import Testing

@Suite("Bits")
struct BitVectorTests {
  @Test(arguments: newSeeds(4))
  func `ranges set and cleared are those of an array of booleans`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in [0, 1, 63, 64, 65, 127, 128, 500] {
      var bits = BitVector(count: count)
      var plain = [Bool](repeating: false, count: count)
      for _ in 0..<200 {
        let low = Int.random(in: 0...count, using: &generator)
        let range = low..<Int.random(in: low...count, using: &generator)
        let value = Bool.random(using: &generator)
        if value { bits.insert(range) } else { bits.remove(range) }
        for position in range { plain[position] = value }
        #expect((0..<count).map { bits[$0] } == plain)
        #expect(bits.words.reduce(0) { $0 + $1.nonzeroBitCount } == plain.count { $0 })
      }
    }
  }

  @Test(arguments: newSeeds(4))
  func `the first and the last bit of every range are found`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let plain = (0..<200).map { _ in Int.random(in: 0..<20, using: &generator) == 0 }
    var bits = BitVector(count: plain.count)
    for position in plain.indices { bits[position] = plain[position] }
    for low in 0...plain.count {
      for high in low...plain.count {
        #expect(bits.first(in: low..<high) == (low..<high).first { plain[$0] })
        #expect(bits.last(in: low..<high) == (low..<high).last { plain[$0] })
      }
    }
  }

  @Test func `bits of another vector come in within the range only`() {
    let other = OutlineColumn<UInt64>([~0, 0xF0F0, ~0])
    var bits = BitVector(count: 140)
    bits.insert(60..<70, of: other)
    #expect((0..<140).filter { bits[$0] } == [60, 61, 62, 63, 68, 69])
    bits.insert(0..<140, of: other)
    #expect(bits == BitVector(count: 140, column: other))
    #expect(bits.words[2] == 0xFFF)
  }

  @Test(arguments: newSeeds(4))
  func `two vectors combine bit by bit`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in [0, 1, 64, 65, 300] {
      let (one, other) = (random(count, &generator), random(count, &generator))
      let positions = 0..<count
      #expect(bits(one.union(other)) == positions.filter { one[$0] || other[$0] })
      #expect(bits(one.intersection(other)) == positions.filter { one[$0] && other[$0] })
      #expect(bits(one.subtracting(other)) == positions.filter { one[$0] && !other[$0] })
      #expect(bits(one.symmetricDifference(other)) == positions.filter { one[$0] != other[$0] })
      #expect(one.setCount == bits(one).count)
      #expect(one.isClear == bits(one).isEmpty)
    }
  }

  @Test(arguments: newSeeds(4))
  func `pieces of a vector are written one after the other`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let source = random(Int.random(in: 1...300, using: &generator), &generator)
      var writer = BitWriter(capacity: 0)
      var plain: [Bool] = []
      for _ in 0..<5 {
        let low = Int.random(in: 0...source.count, using: &generator)
        let range = low..<Int.random(in: low...source.count, using: &generator)
        writer.append(range, of: source)
        writer.appendClear(range.count / 2)
        plain += range.map { source[$0] } + Array(repeating: false, count: range.count / 2)
      }
      let written = writer.finish()
      #expect(written.count == plain.count)
      #expect((0..<plain.count).map { written[$0] } == plain)
    }
  }

  @Test(arguments: newSeeds(4))
  func `bits are read and cleared at any place`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var vector = random(Int.random(in: 1...200, using: &generator), &generator)
      let plain = (0..<vector.count).map { vector[$0] }
      let start = Int.random(in: 0..<vector.count, using: &generator)
      let word = vector.bits(at: start)
      for bit in 0..<64 {
        let isSet = plain.indices.contains(start + bit) && plain[start + bit]
        #expect((word >> UInt64(bit) & 1 == 1) == isSet)
      }
      vector.clear(word, at: start)
      let rest = plain.indices.filter { plain[$0] && !(start..<start + 64).contains($0) }
      #expect(bits(vector) == rest)
    }
  }

  private func random(_ count: Int, _ generator: inout SeededGenerator) -> BitVector {
    var vector = BitVector(count: count)
    for position in 0..<count { vector[position] = Bool.random(using: &generator) }
    return vector
  }

  private func bits(_ vector: BitVector) -> [Int] {
    var positions: [Int] = []
    vector.forEach { positions.append($0) }
    return positions
  }

  @Test func `a bit past the end is our own bug`() async {
    await #expect(processExitsWith: .failure) { _ = BitVector(count: 64)[64] }
    await #expect(processExitsWith: .failure) {
      var bits = BitVector(count: 65)
      bits.insert(60..<66)
    }
  }
}

@Suite("Rank and select")
struct RankedBitsTests {
  @Test(
    arguments: [0, 1, 64, 511, 512, 513, 1024, 5000],
    [0.0, 0.001, 0.1, 0.5, 0.99, 1.0]
  )
  func `agree with counting, for every position and every rank`(count: Int, density: Double) {
    var generator = SeededGenerator(seed: UInt64(count))
    let plain = (0..<count).map { _ in Double.random(in: 0..<1, using: &generator) < density }
    var ranked = RankedBits(count: count)
    ranked.change(0..<count) { bits in
      for position in plain.indices { bits[position] = plain[position] }
    }
    expect(ranked, agreesWith: plain)
    expect(RankedBits(ranked.bits), agreesWith: plain)
    expect(RankedBits(allSet: count), agreesWith: plain.map { _ in true })
  }

  @Test(arguments: newSeeds(8))
  func `stay right while ranges change`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...4000, using: &generator)
    var ranked = RankedBits(count: count)
    var plain = [Bool](repeating: false, count: count)
    for _ in 0..<40 {
      let low = Int.random(in: 0...count, using: &generator)
      let range = low..<Int.random(in: low...count, using: &generator)
      let value = Bool.random(using: &generator)
      ranked.change(range) { if value { $0.insert(range) } else { $0.remove(range) } }
      for position in range { plain[position] = value }
      expect(ranked, agreesWith: plain)
    }
  }

  private func expect(_ ranked: RankedBits, agreesWith plain: [Bool]) {
    var ranks = [0]
    for bit in plain { ranks.append(ranks[ranks.count - 1] + (bit ? 1 : 0)) }
    #expect((0...plain.count).map(ranked.rank) == ranks)
    #expect(ranked.setCount == ranks[plain.count])
    #expect((0..<ranked.setCount).map(ranked.select) == plain.indices.filter { plain[$0] })
  }
}
