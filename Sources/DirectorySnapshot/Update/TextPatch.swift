import DirectoryModel

/// A column of text in which some rows are replaced, to be written without being put together.
struct TextPatch {
  let old: TextRows
  let new: StringColumn
  let plan: RowNumbering
  let patches: [RowNumbering.Patch]

  /// Whether every row has the text that it had.
  var isIdentity: Bool {
    plan.count == plan.oldCount
      && patches.allSatisfy { patch in
        old.withBytes(at: patch.row) { former in
          switch patch.source {
          case .old(let row): old.withBytes(at: row) { sameBytes(former, $0) }
          case .new(let content): new.withBytes(at: content) { sameBytes(former, $0) }
          }
        }
      }
  }

  /// Bytes of the whole column.
  var byteCount: Int {
    let kept = old.count == 0 ? 0 : old.range(of: old.count - 1).upperBound
    var count = kept
    for patch in patches {
      if patch.row < plan.oldCount { count -= old.range(of: patch.row).count }
      count += length(patch.source)
    }
    for row in stride(from: plan.oldCount - 1, through: plan.count, by: -1) {
      count -= old.range(of: row).count
    }
    return count
  }

  private func length(_ source: RowNumbering.Patch.Source) -> Int {
    switch source {
    case .old(let row): old.range(of: row).count
    case .new(let content): new.range(of: content).count
    }
  }

  /// Runs of old rows and the patches behind them, in order.
  private func forEachRun(
    _ body: (_ kept: Range<Int>, _ patch: RowNumbering.Patch?) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    var row = 0
    for patch in patches {
      try body(row..<patch.row, patch)
      row = patch.row + 1
    }
    try body(min(row, plan.count)..<plan.count, nil)
  }

  /// Writes the column's two sections.
  ///
  /// - Complexity: O(bytes), at about the speed of memory; without a copy of the column.
  func write(
    to writer: inout SnapshotFileWriter,
    _ text: SnapshotSection,
    _ ends: SnapshotSection
  ) throws(SnapshotError) {
    try writer.begin(text.rawValue, elementSize: 1)
    try forEachRun { (kept, patch) throws(SnapshotError) in
      try append(kept, to: &writer)
      if let patch { try append(patch.source, to: &writer) }
    }
    try writer.begin(ends.rawValue, elementSize: MemoryLayout<UInt32>.size)
    var buffer = RowEndBuffer()
    try forEachRun { (kept, patch) throws(SnapshotError) in
      try buffer.append(kept, of: old, to: &writer)
      if let patch { try buffer.append(length: length(patch.source), to: &writer) }
    }
    try buffer.flush(to: &writer)
  }

  private func append(
    _ rows: Range<Int>,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    guard !rows.isEmpty else { return }
    let range =
      old.range(of: rows.lowerBound).lowerBound..<old.range(of: rows.upperBound - 1).upperBound
    let result = old.withAllBytes { bytes, _ in
      writer.appending(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    try result.get()
  }

  private func append(
    _ source: RowNumbering.Patch.Source,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let result =
      switch source {
      case .old(let row): old.withBytes(at: row) { writer.appending($0) }
      case .new(let content): new.withBytes(at: content) { writer.appending($0) }
      }
    try result.get()
  }
}

extension SnapshotFileWriter {
  /// `append(_:)` for use where a typed error cannot pass.
  fileprivate mutating func appending(
    _ bytes: UnsafeRawBufferPointer
  ) -> Result<Void, SnapshotError> {
    do throws(SnapshotError) { return .success(try append(bytes)) } catch { return .failure(error) }
  }
}

/// Ends of rows on their way to a file, a few pages of them at a time.
private struct RowEndBuffer {
  private static let capacity = 1 << 14
  private var ends: [UInt32] = []
  /// Where the last row ended.
  private var end = 0

  init() { ends.reserveCapacity(Self.capacity) }

  /// Old rows, whose ends all move by the same number of bytes.
  mutating func append(
    _ rows: Range<Int>,
    of column: TextRows,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    var row = rows.lowerBound
    guard row < rows.upperBound else { return }
    let shift = UInt32(truncatingIfNeeded: end &- column.range(of: row).lowerBound)
    while row < rows.upperBound {
      let next = min(rows.upperBound, row + Self.capacity - ends.count)
      column.withAllBytes { _, old in
        ends.append(contentsOf: old[row..<next].lazy.map { $0 &+ shift })
      }
      row = next
      if ends.count == Self.capacity { try flush(to: &writer) }
    }
    end = Int(UInt32(truncatingIfNeeded: column.range(of: rows.upperBound - 1).upperBound) &+ shift)
  }

  mutating func append(
    length: Int,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    end += length
    ends.append(UInt32(truncatingIfNeeded: end))
    if ends.count == Self.capacity { try flush(to: &writer) }
  }

  mutating func flush(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    let result = ends.withUnsafeBytes { writer.appending($0) }
    try result.get()
    ends.removeAll(keepingCapacity: true)
  }
}
