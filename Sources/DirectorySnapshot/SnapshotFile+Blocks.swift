import DirectoryModel
import Dispatch
import Synchronization

extension SnapshotFile {
  /// Proves the blocks that hold a range of the file, those that are not proved yet.
  ///
  /// - Parameters:
  ///   - range: Bytes of the body; nothing is done for none.
  ///   - section: What to name in the error.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(blocks), and 64 KiB for each one that was not proved yet.
  @usableFromInline
  func prove(_ range: Range<Int>, of section: UInt32) throws(SnapshotError) {
    guard !range.isEmpty else { return }
    let last = (range.upperBound - 1) >> SnapshotFormat.blockShift
    for block in range.lowerBound >> SnapshotFormat.blockShift...last {
      guard soundBlocks.contains(block) || prove(block) else { throw damaged(section) }
    }
  }

  /// The same for a range of any length, on two threads where it is long.
  func proveAtOnce(_ range: Range<Int>, of section: UInt32) throws(SnapshotError) {
    guard range.count > Self.longRange else { return try prove(range, of: section) }
    let middle = range.lowerBound + range.count / 2
    let isSound = Mutex(true)
    DispatchQueue.concurrentPerform(iterations: 2) { half in
      do throws(SnapshotError) {
        try prove(half == 0 ? range.lowerBound..<middle : middle..<range.upperBound, of: section)
      } catch {
        isSound.withLock { $0 = false }
      }
    }
    guard isSound.withLock({ $0 }) else { throw damaged(section) }
  }

  /// Takes some tenths of a millisecond to prove.
  private static var longRange: Int { 4 << 20 }

  /// Whether a block has its checksum.
  private func prove(_ block: Int) -> Bool {
    let range = range(of: block)
    let stored: UInt64 = bytes.littleEndian(at: checksumsOffset + block * 8)
    guard XXHash64.digest(UnsafeRawBufferPointer(rebasing: bytes[range])) == stored else {
      return false
    }
    soundBlocks.insert(block)
    return true
  }

  /// The checksum of bytes that are one whole block of this file as it is mapped; `nil` for others.
  func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count == SnapshotFormat.blockSize, let start = self.bytes.baseAddress,
      let address = bytes.baseAddress, address > start
    else { return nil }
    let offset = address - start
    guard offset % SnapshotFormat.blockSize == 0, offset + bytes.count <= checksumsOffset else {
      return nil
    }
    return self.bytes.littleEndian(at: checksumsOffset + offset >> SnapshotFormat.blockShift * 8)
  }

  private func range(of block: Int) -> Range<Int> {
    let start = block << SnapshotFormat.blockShift
    return max(start, bodyOffset)..<min(start + SnapshotFormat.blockSize, checksumsOffset)
  }

  /// Proves all blocks again, on two threads.
  ///
  /// - Throws: `SnapshotError.damaged` with the first damaged section.
  /// - Complexity: O(bytes), at about the speed of memory.
  package func proveAll() throws(SnapshotError) {
    let count = SnapshotFormat.blockCount(bodyEnd: checksumsOffset)
    let next = Atomic(0)
    let firstDamaged = Mutex(Int.max)
    DispatchQueue.concurrentPerform(iterations: count < 2 * Self.share ? 1 : 2) { _ in
      while case let start = next.add(Self.share, ordering: .relaxed).oldValue, start < count {
        for block in start..<min(start + Self.share, count) where !prove(block) {
          firstDamaged.withLock { $0 = min($0, block) }
        }
      }
    }
    let damagedBlock = firstDamaged.withLock { $0 }
    guard damagedBlock < count else { return }
    guard let section = section(in: range(of: damagedBlock)) else {
      throw .damaged(path, part: "block \(damagedBlock)")
    }
    throw damaged(section)
  }

  /// Blocks that a thread takes at once: 1 MiB.
  private static var share: Int { 16 }
}
