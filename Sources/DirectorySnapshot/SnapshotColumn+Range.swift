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
