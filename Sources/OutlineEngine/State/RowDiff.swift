/// Finds which rows went, came and moved between two sets of visible nodes.
struct RowDiff {
  let old: RankedBits
  let new: RankedBits
  /// Visible nodes that have no place among the new rows, by their old positions.
  private var removed: BitVector
  /// Visible nodes that had no place among the old rows, by their new positions.
  private var come: BitVector
  /// Visible nodes that were visible before, by their new positions.
  private(set) var kept: BitVector
  private var moved: [RowChanges.Move] = []

  /// The nodes stayed where they were.
  ///
  /// - Complexity: O(n / 64).
  init(from old: RankedBits, to new: RankedBits) {
    self.old = old
    self.new = new
    removed = old.bits.subtracting(new.bits)
    come = new.bits.subtracting(old.bits)
    kept = old.bits.intersection(new.bits)
  }

  /// The nodes were rearranged.
  ///
  /// - Complexity: O(n / 64 + pieces + moved rows).
  init(from old: RankedBits, to new: RankedBits, by change: NodePermutation) {
    self.old = old
    self.new = new
    removed = old.bits
    come = new.bits
    kept = new.bits
    var target = 0
    for piece in change.allPieces {
      if let source = piece.source { follow(piece, from: source, to: target) }
      target += piece.count
    }
    kept = kept.subtracting(come)
  }

  /// - Parameter redrawn: Nodes that look different, by their new positions; only those that were
  ///   and are visible count.
  /// - Returns: What became of the rows.
  func changes(redrawing redrawn: BitVector?) -> RowChanges {
    RowChanges(
      removed: old.ranks(ofRunsIn: removed),
      inserted: new.ranks(ofRunsIn: come),
      moved: moved,
      redrawn: redrawn.map { new.ranks(ofRunsIn: $0.intersection(kept)) } ?? []
    )
  }

  private mutating func follow(_ piece: NodePermutation.Piece, from source: Int, to target: Int) {
    var offset = 0
    while offset < piece.count {
      let width = min(BitVector.bitsPerWord, piece.count - offset)
      let both =
        old.bits.bits(at: source + offset) & new.bits.bits(at: target + offset)
        & BitVector.mask(width)
      removed.clear(both, at: source + offset)
      come.clear(both, at: target + offset)
      if piece.isMoved { move(both, from: source + offset, to: target + offset) }
      offset += width
    }
  }

  private mutating func move(_ nodes: UInt64, from source: Int, to target: Int) {
    var rest = nodes
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      let (from, to) = (old.rank(source + bit), new.rank(target + bit))
      if let last = moved.last, last.from.upperBound == from, last.to.upperBound == to {
        moved[moved.count - 1].from = last.from.lowerBound..<from + 1
        moved[moved.count - 1].to = last.to.lowerBound..<to + 1
      } else {
        moved.append(RowChanges.Move(from: from..<from + 1, to: to..<to + 1))
      }
    }
  }
}

extension RankedBits {
  /// The ranks of the bits that are set in `subset`, as ranges.
  ///
  /// - Parameter subset: Has no bit that is not set here.
  /// - Returns: What became of the rows.
  /// - Complexity: O(n / 64 + ranges).
  func ranks(ofRunsIn subset: BitVector) -> [Range<Int>] {
    subset.words.withUnsafeBufferPointer { subset in ranks { subset[$0] } }
  }

  /// The ranks of the bits of some words, as ranges.
  ///
  /// - Parameter subset: The word at an index; has no bit that is not set here.
  /// - Returns: What became of the rows.
  /// - Complexity: O(n / 64 + ranges).
  @inline(__always)
  func ranks(ofRunsIn subset: (Int) -> UInt64) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    bits.words.withUnsafeBufferPointer { words in
      var position = 0
      while let start = BitVector.firstBit(in: position..<bits.count, of: subset) {
        let end = BitVector.firstBit(in: start..<bits.count) { words[$0] & ~subset($0) }
        position = end ?? bits.count
        let rank = rank(start)
        ranges.append(rank..<rank + self.rank(of: start..<position))
      }
    }
    return ranges
  }
}
