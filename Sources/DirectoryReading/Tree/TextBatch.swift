import DirectorySnapshot

/// Texts of several rows, column by column, copied side by side.
///
/// Rows of people lie in no order, so that each text read by itself waits for memory. Of many texts
/// of one column that are read in one go the processor fetches several at a time.
struct TextBatch {
  /// Only the first `used` count; it never shrinks.
  private var memory: [UInt8] = []
  private var used = 0
  /// Where each text ends in `memory`.
  private var ends: [Int] = []
  private var starts: [Int] = []

  mutating func removeAll() {
    used = 0
    ends.removeAll(keepingCapacity: true)
  }

  /// Appends the texts of some rows of a column.
  ///
  /// - Returns: The number of the first one; the others follow.
  /// - Complexity: O(bytes).
  mutating func append(_ column: TextRows, rows: [Int]) -> Int {
    let first = ends.count
    column.withAllBytes { bytes, columnEnds in
      place(rows, columnEnds)
      if memory.count < used { memory += repeatElement(0, count: used + used / 2 - memory.count) }
      copy(from: bytes, first: first)
    }
    return first
  }

  /// Settles where the texts come from and where they go.
  private mutating func place(_ rows: [Int], _ columnEnds: UnsafeBufferPointer<UInt32>) {
    starts.removeAll(keepingCapacity: true)
    for row in rows {
      precondition(row >= 0 && row < columnEnds.count, "a row that the column does not have")
      let start = row == 0 ? 0 : Int(columnEnds[row &- 1])
      starts.append(start)
      used += Int(columnEnds[row]) &- start
      ends.append(used)
    }
  }

  private mutating func copy(from bytes: UnsafeRawBufferPointer, first: Int) {
    memory.withUnsafeMutableBytes { target in
      guard let target = target.baseAddress, let source = bytes.baseAddress else { return }
      var position = first == 0 ? 0 : ends[first - 1]
      for (index, start) in starts.enumerated() {
        let length = ends[first + index] &- position
        (target + position).copyMemory(from: source + start, byteCount: length)
        position &+= length
      }
    }
  }

  /// Lends all texts, by number, for the time of `body`.
  func lend<Result>(
    _ body: ((Int) -> UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try memory.withUnsafeBytes { memory in
      try body { index in
        UnsafeRawBufferPointer(
          rebasing: memory[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
        )
      }
    }
  }
}
