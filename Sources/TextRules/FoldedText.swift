/// A folded text that knows which bytes of the original each part of it came from, so that what is
/// found in the folded form can be shown as it was written.
///
/// The text is cut before every scalar that nothing before it can change. What such a piece folds
/// to comes from the whole piece: `ß` folds to `ss`, and a hit on one `s` of it shows the `ß`; a hit
/// on a letter shows its accents, and what is invisible behind it.
package struct FoldedText: Sendable {
  /// The folded form, the same as ``Folding`` makes.
  package let bytes: [UInt8]
  /// For each piece, where it ends in the folded form and in the original; both rise.
  private let foldedEnds: [UInt32]
  private let originalEnds: [UInt32]

  /// Folds a text.
  ///
  /// - Parameter utf8: At most 4 GiB; ill-formed bytes are read as U+FFFD.
  /// - Complexity: O(n); 8 bytes for each piece, a letter with its marks being one.
  package init(_ utf8: UnsafeRawBufferPointer) {
    var pieces = Pieces()
    var start = 0
    while start < utf8.count {
      let end = Self.end(ofPieceAt: start, in: utf8)
      pieces.append(UnsafeRawBufferPointer(rebasing: utf8[start..<end]), end: end)
      start = end
    }
    bytes = pieces.folded
    foldedEnds = pieces.foldedEnds
    originalEnds = pieces.originalEnds
  }

  package init(_ text: String) {
    self = text.withUTF8Bytes { FoldedText($0) }
  }

  /// The bytes of the original that a part of the folded form came from.
  ///
  /// - Parameter range: Offsets in ``bytes``.
  /// - Returns: Offsets in the original, whole scalars; empty for an empty range.
  /// - Complexity: O(log n).
  package func original(of range: Range<Int>) -> Range<Int> {
    let first = piece(at: range.lowerBound)
    let start = first == 0 ? 0 : Int(originalEnds[first - 1])
    guard !range.isEmpty else { return start..<start }
    return start..<Int(originalEnds[piece(at: range.upperBound - 1)])
  }

  /// The piece that holds a folded offset; the number of pieces at the end of the text.
  private func piece(at offset: Int) -> Int {
    var low = 0
    var high = foldedEnds.count
    while low < high {
      let middle = (low + high) / 2
      if Int(foldedEnds[middle]) <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func end(ofPieceAt start: Int, in utf8: UnsafeRawBufferPointer) -> Int {
    var index = start
    repeat {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
      if length == 0 {
        // Folding repairs ill-formed bytes together; a cut between them would change how.
        index += 1
        while index < utf8.count, UTF8Scan.scalar(at: index, in: utf8).length == 0 { index += 1 }
      } else if index > start, Folding.startsPiece(scalar) {
        return index
      } else {
        index += length
      }
    } while index < utf8.count
    return index
  }

  private struct Pieces {
    var folded: [UInt8] = []
    var foldedEnds: [UInt32] = []
    var originalEnds: [UInt32] = []
    private var piece: [UInt8] = []

    mutating func append(_ source: UnsafeRawBufferPointer, end: Int) {
      piece.removeAll(keepingCapacity: true)
      Folding.appendFolded(source, to: &piece)
      // A run of spaces may go over pieces, with what is invisible between.
      let joins = piece.first == 0x20 && folded.last == 0x20
      folded.append(contentsOf: joins ? piece.dropFirst() : piece[...])
      if let last = foldedEnds.last, Int(last) == folded.count {
        originalEnds[originalEnds.count - 1] = UInt32(end)
      } else if !folded.isEmpty {
        foldedEnds.append(UInt32(folded.count))
        originalEnds.append(UInt32(end))
      }
    }
  }
}
