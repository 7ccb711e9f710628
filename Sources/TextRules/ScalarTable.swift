import Synchronization

/// One value for each Unicode scalar, worked out in blocks when one is first asked for.
///
/// Nothing is paid at start-up for scripts that no name is written in, and a lookup is two loads.
// @unchecked: `blocks` is allocated once and freed never before the table; its elements are atomic,
// and a block is immutable once it is published there.
final class ScalarTable<Entry: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private typealias Slot = Atomic<UnsafePointer<Entry>?>

  private static var blockBits: UInt32 { 7 }
  private static var blockSize: Int { 1 << Int(blockBits) }
  private static var blockCount: Int { 0x110000 >> Int(blockBits) }

  private let blocks: UnsafeMutablePointer<Slot>
  private let entry: @Sendable (UInt32) -> Entry

  init(_ entry: @escaping @Sendable (UInt32) -> Entry) {
    self.entry = entry
    blocks = .allocate(capacity: Self.blockCount)
    for index in 0..<Self.blockCount { (blocks + index).initialize(to: Slot(nil)) }
  }

  deinit {
    for index in 0..<Self.blockCount { blocks[index].load(ordering: .acquiring)?.deallocate() }
    blocks.deinitialize(count: Self.blockCount)
    blocks.deallocate()
  }

  /// The value of a scalar.
  ///
  /// - Parameter scalar: A code point, at most U+10FFFF.
  @inline(__always)
  subscript(scalar: UInt32) -> Entry {
    let block = Int(scalar >> Self.blockBits)
    let offset = Int(scalar) & (Self.blockSize - 1)
    if let entries = blocks[block].load(ordering: .acquiring) { return entries[offset] }
    return makeBlock(block)[offset]
  }

  @inline(never)
  private func makeBlock(_ block: Int) -> UnsafePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: Self.blockSize)
    let first = UInt32(block) << Self.blockBits
    for offset in 0..<Self.blockSize {
      (entries + offset).initialize(to: entry(first + UInt32(offset)))
    }
    let (stored, winner) = blocks[block].compareExchange(
      expected: nil,
      desired: UnsafePointer(entries),
      ordering: .acquiringAndReleasing
    )
    guard !stored, let winner else { return UnsafePointer(entries) }
    entries.deallocate()
    return winner
  }
}
