/// Bits that know how many set ones precede each block, for rank and select.
///
///     bits     0110 1000 … | 1111 1111 … | 0000 0001 …     512 bits a block
///     before   0             3             515             … and the total at the end
///
/// Bits are changed through `change(_:_:)`, which brings the counts up to date once.
package struct RankedBits: Sendable, Equatable {
  private static let wordsPerBlock = 8
  private static let bitsPerBlock = wordsPerBlock * BitVector.bitsPerWord

  package private(set) var bits: BitVector
  /// Set bits before each block; one element more than there are blocks.
  private var before: [Int32]

  /// Bits that are all 0.
  package init(count: Int) {
    bits = BitVector(count: count)
    before = Array(repeating: 0, count: (count + Self.bitsPerBlock - 1) / Self.bitsPerBlock + 1)
  }

  /// Takes the bits as they are, and counts.
  ///
  /// - Complexity: O(`bits.count` / 64).
  package init(_ bits: BitVector) {
    self.bits = bits
    before = Array(
      repeating: 0,
      count: (bits.count + Self.bitsPerBlock - 1) / Self.bitsPerBlock + 1
    )
    recount(0..<bits.count)
  }

  /// Bits that are all 1.
  package init(allSet count: Int) {
    self.init(count: count)
    bits.insert(0..<count)
    for block in before.indices { before[block] = Int32(min(block * Self.bitsPerBlock, count)) }
  }

  /// Number of set bits.
  ///
  /// - Complexity: O(1).
  package var setCount: Int { Int(before[before.count - 1]) }

  package subscript(position: Int) -> Bool { bits[position] }

  /// Number of set bits before `position`, which may be the number of bits.
  ///
  /// - Complexity: O(1): at most eight words are counted.
  package func rank(_ position: Int) -> Int {
    precondition((0...bits.count).contains(position), "bit outside the vector")
    let block = position / Self.bitsPerBlock
    let word = position / BitVector.bitsPerWord
    var rank = Int(before[block])
    for index in block * Self.wordsPerBlock..<word { rank += bits.words[index].nonzeroBitCount }
    let rest = position % BitVector.bitsPerWord
    return rest == 0 ? rank : rank + (bits.words[word] & BitVector.mask(rest)).nonzeroBitCount
  }

  /// Number of set bits in `range`.
  func rank(of range: Range<Int>) -> Int { rank(range.upperBound) - rank(range.lowerBound) }

  /// Position of the set bit that `rank` others precede.
  ///
  /// - Complexity: O(log of the number of blocks).
  package func select(_ rank: Int) -> Int {
    precondition((0..<setCount).contains(rank), "no such set bit")
    let block = lastBlock(withAtMost: Int32(rank))
    var remaining = rank - Int(before[block])
    var word = block * Self.wordsPerBlock
    while case let here = bits.words[word].nonzeroBitCount, here <= remaining {
      remaining -= here
      word += 1
    }
    return word * BitVector.bitsPerWord + Self.select(remaining, in: bits.words[word])
  }

  /// Lets `body` change bits within `range`, then counts again.
  ///
  /// - Complexity: O(words of the range + number of blocks), beside `body`.
  package mutating func change(_ range: Range<Int>, _ body: (inout BitVector) -> Void) {
    body(&bits)
    recount(range)
  }

  /// The last block that at most `rank` set bits precede: it holds the set bit of that rank.
  ///
  /// Looks first where it is if bits are set evenly, and from there in steps that double.
  private func lastBlock(withAtMost rank: Int32) -> Int {
    before.withUnsafeBufferPointer { before in
      let blocks = before.count - 1
      var low = Int(rank) * blocks / Int(before[blocks])
      var high = low + 1
      var step = 1
      while before[low] > rank {
        (low, high) = (Swift.max(0, low - step), low)
        step *= 2
      }
      while before[high] <= rank {
        (low, high) = (high, Swift.min(blocks, high + step))
        step *= 2
      }
      while high - low > 1 {
        let middle = (low + high) / 2
        if before[middle] <= rank { low = middle } else { high = middle }
      }
      return low
    }
  }

  /// Position of the set bit of `word` that `rank` others precede: goes to one half after the other.
  private static func select(_ rank: Int, in word: UInt64) -> Int {
    var (rest, remaining, position) = (word, rank, 0)
    var width = UInt64(BitVector.bitsPerWord / 2)
    while width > 0 {
      let lower = (rest & (1 &<< width &- 1)).nonzeroBitCount
      if remaining >= lower {
        remaining -= lower
        rest &>>= width
        position += Int(width)
      }
      width /= 2
    }
    return position
  }

  /// Counts the blocks that `range` touches and shifts those that follow.
  private mutating func recount(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let first = range.lowerBound / Self.bitsPerBlock
    let end = (range.upperBound - 1) / Self.bitsPerBlock + 1
    let oldEnd = before[end]
    bits.words.withUnsafeBufferPointer { words in
      before.withUnsafeMutableBufferPointer { before in
        for block in first..<end {
          before[block + 1] = before[block] + Self.countOfBlock(block, in: words)
        }
        let shift = before[end] - oldEnd
        guard shift != 0 else { return }
        for block in end + 1..<Swift.max(end + 1, before.count) { before[block] += shift }
      }
    }
  }

  /// Blocks that are all 0 or all 1 are frequent, and told without counting.
  @inline(__always)
  private static func countOfBlock(_ block: Int, in words: UnsafeBufferPointer<UInt64>) -> Int32 {
    let range = block * wordsPerBlock..<Swift.min((block + 1) * wordsPerBlock, words.count)
    var (some, all) = (UInt64(0), ~UInt64(0))
    for index in range {
      some |= words[index]
      all &= words[index]
    }
    if some == 0 { return 0 }
    if all == ~0 { return Int32(range.count * BitVector.bitsPerWord) }
    return Int32(range.reduce(0) { $0 + words[$1].nonzeroBitCount })
  }
}
