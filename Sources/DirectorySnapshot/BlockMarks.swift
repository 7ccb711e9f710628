import Synchronization

/// A bit for each block of a file, set by any thread and never cleared.
@usableFromInline
final class BlockMarks: Sendable {
  // Unsafe: allocated in `init`, freed in `deinit`, and atomic in between.
  @usableFromInline nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let wordCount: Int

  init(count: Int) {
    wordCount = (count + 63) / 64
    words = .allocate(capacity: wordCount)
    for word in 0..<wordCount { (words + word).initialize(to: Atomic(0)) }
  }

  deinit {
    words.deinitialize(count: wordCount)
    words.deallocate()
  }

  /// Whether a bit is set.
  ///
  /// No ordering is needed: the bit says something about bytes that never change.
  @inlinable
  func contains(_ block: Int) -> Bool {
    words[block >> 6].load(ordering: .relaxed) >> UInt64(block & 63) & 1 == 1
  }

  func insert(_ block: Int) {
    words[block >> 6].bitwiseOr(1 << UInt64(block & 63), ordering: .relaxed)
  }
}
