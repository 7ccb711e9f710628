import OutlineEngine
import Synchronization

/// A section's elements where they are mapped; each block is proved when it is first read.
///
/// An index outside the column throws as damage does: it is another stored number that led there.
/// For one look at every element take `verified()`, which proves all blocks at once.
package struct SnapshotColumn<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline let file: SnapshotFile
  // Unsafe: read-only, and mapped for as long as `file` lives.
  @usableFromInline nonisolated(unsafe) let elements: UnsafePointer<Element>?
  @usableFromInline let offset: Int
  @usableFromInline let section: UInt32
  /// Number of elements.
  package let count: Int

  init(_ file: SnapshotFile, _ id: UInt32, _ section: SnapshotFile.Section) {
    self.file = file
    self.section = id
    offset = section.offset
    count = section.size / MemoryLayout<Element>.stride
    elements = file.bytes.baseAddress.map {
      ($0 + section.offset).assumingMemoryBound(to: Element.self)
    }
  }

  /// The element at an index.
  ///
  /// - Complexity: O(1), and 64 KiB at the first touch of a block.
  @inlinable
  package subscript(index: Int) -> Element {
    get throws(SnapshotError) {
      guard index >= 0, index < count, let elements else { throw damaged }
      // An element lies in one block: both begin at multiples of its size.
      let at = offset &+ index &* MemoryLayout<Element>.stride
      if !file.soundBlocks.contains(at >> SnapshotFormat.blockShift) {
        try file.prove(at..<at &+ 1, of: section)
      }
      defer { _fixLifetime(file) }
      return elements[index]
    }
  }

  /// Proves the blocks of a range of elements.
  ///
  /// - Throws: `SnapshotError.damaged`, also for a range that is not within the column.
  package func prove(_ range: Range<Int>) throws(SnapshotError) {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw damaged }
    let stride = MemoryLayout<Element>.stride
    try file.prove(
      offset + range.lowerBound * stride..<offset + range.upperBound * stride,
      of: section
    )
  }

  /// All elements side by side, proved, for scans.
  ///
  /// - Complexity: O(bytes of the section) the first time, then O(bytes / 65,536).
  package func verified() throws(SnapshotError) -> OutlineColumn<Element> {
    try file.proveAtOnce(offset..<offset + count * MemoryLayout<Element>.stride, of: section)
    return all
  }

  /// The same without a proof, which goes before.
  var all: OutlineColumn<Element> {
    OutlineColumn(borrowing: UnsafeBufferPointer(start: elements, count: count), owner: file)
  }

  /// Whether these are the ends of a text that was proved as a whole (`TextColumn.verified()`).
  var isProvenText: Bool { file.provenTexts.withLock { $0.contains(section) } }

  func noteProvenText() { file.provenTexts.withLock { _ = $0.insert(section) } }

  /// Elements borrowed for the time of `body`, without a proof: `prove(_:)` goes before.
  func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) -> Result) -> Result {
    // As `withExtendedLifetime`, which the compiler leaves as a call for every row.
    defer { _fixLifetime(file) }
    return body(UnsafeBufferPointer(start: elements, count: count))
  }

  /// That this column leads astray.
  @usableFromInline package var damaged: SnapshotError { file.damaged(section) }
}

extension SnapshotColumn {
  /// A range of elements side by side, proved, borrowed for the time of `body`.
  ///
  /// - Throws: `SnapshotError.damaged`, also for a range that is not within the column.
  /// - Complexity: O(range / 64 KiB), and the bytes of its blocks the first time.
  package func withElements<Result>(
    in range: Range<Int>,
    _ body: (UnsafeBufferPointer<Element>) -> Result
  ) throws(SnapshotError) -> Result {
    try prove(range)
    return withElements { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }
}
