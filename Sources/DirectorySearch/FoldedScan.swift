#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import DirectorySnapshot
import Dispatch
import Synchronization
import TextRules

/// Finds the rows of a text column whose folded text contains words.
///
/// Rows are folded block by block into one buffer, a separator after each that no folded word
/// contains, so that one search runs over thousands of rows.
enum FoldedScan {
  /// Not a byte of UTF-8.
  private static let separator: UInt8 = 0xFF
  private static let blockRows = 4_096
  /// Fewer rows than this are not worth a second thread.
  private static let worthSplitting = 50_000

  /// For each word the rows that contain it.
  ///
  /// - Parameters:
  ///   - column: The texts to look in.
  ///   - words: Folded UTF-8, none of them empty.
  /// - Returns: A set for each word.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the column) for folding and as much again for each word, on two
  ///   threads; memory of one block each, and a bit for each row and word.
  static func rows(
    of column: TextColumn,
    containing words: [[UInt8]]
  ) throws(SnapshotError) -> [RowSet] {
    let column = try column.verified()
    let parts = column.count < worthSplitting ? 1 : 2
    // Whole blocks for each thread, so that no two threads write to one word of a set.
    let blocks = (column.count + blockRows - 1) / blockRows
    let share = (blocks + parts - 1) / parts * blockRows
    let found = Mutex(words.map { _ in RowSet(count: column.count) })
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      let range = min(part * share, column.count)..<min((part + 1) * share, column.count)
      let sets = scan(column, rows: range, for: words)
      found.withLock { found in
        for index in sets.indices { found[index].formUnion(sets[index]) }
      }
    }
    return found.withLock { $0 }
  }

  private static func scan(
    _ column: TextRows,
    rows: Range<Int>,
    for words: [[UInt8]]
  ) -> [RowSet] {
    var sets = words.map { _ in RowSet(count: column.count) }
    var text: [UInt8] = []
    var ends: [Int] = []
    column.withAllBytes { bytes, rowEnds in
      var block = rows.lowerBound..<min(rows.lowerBound + blockRows, rows.upperBound)
      while !block.isEmpty {
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        var start = block.lowerBound == 0 ? 0 : Int(rowEnds[block.lowerBound - 1])
        for row in block {
          let end = Int(rowEnds[row])
          Folding.appendFolded(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), to: &text)
          text.append(separator)
          ends.append(text.count)
          start = end
        }
        for (index, word) in words.enumerated() {
          mark(word, in: text, ends: ends, firstRow: block.lowerBound, &sets[index])
        }
        block = block.upperBound..<min(block.upperBound + blockRows, rows.upperBound)
      }
    }
    return sets
  }

  private static func mark(
    _ word: [UInt8],
    in text: [UInt8],
    ends: [Int],
    firstRow: Int,
    _ set: inout RowSet
  ) {
    var row = 0
    var from = 0
    while let at = text.position(of: word, from: from) {
      while ends[row] <= at { row += 1 }
      set.insert(firstRow + row)
      from = ends[row]
    }
  }
}

extension [UInt8] {
  /// Where a word first stands at or after an offset: memchr(3) to its first byte, then memcmp(3).
  ///
  /// - Complexity: O(n · m) at worst, O(n) where first bytes are rarely followed by a near miss.
  func position(of word: [UInt8], from start: Int = 0) -> Int? {
    withUnsafeBytes { text in
      word.withUnsafeBytes { word in
        guard let base = text.baseAddress, let needle = word.baseAddress else { return nil }
        let last = text.count - word.count
        var from = start
        while from <= last {
          guard let found = memchr(base + from, Int32(word[0]), last - from + 1) else { return nil }
          let at = UnsafeRawPointer(found) - base
          if memcmp(base + at, needle, word.count) == 0 { return at }
          from = at + 1
        }
        return nil
      }
    }
  }
}
