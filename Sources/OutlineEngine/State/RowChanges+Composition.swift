extension RowChanges {
  /// The change that does at once what this one does and then `next`.
  ///
  /// A row that comes by the first and goes by the second is in neither list; one that goes by the
  /// first and comes back by the second goes and comes, since changes do not know what rows show.
  /// As few rows as possible are named as moved.
  ///
  /// - Parameter next: A change of the rows that this one leaves.
  /// - Returns: Numbered as before this change, and as after `next`.
  /// - Complexity: O(k log k) for k ranges in both.
  public func followed(by next: RowChanges) -> RowChanges {
    let (first, second) = (RowOrigins(of: self), RowOrigins(of: next))
    var composed = second.following(first).changes()
    composed.redrawn = (second.images(of: redrawn) + next.redrawn).united()
      .subtracting(composed.inserted)
    return composed
  }
}

/// Where each row after a change was before it, in runs; the last run has no end.
private struct RowOrigins {
  /// More rows than there are, and little enough to be added up.
  private static let endless = 1 << 40

  /// Runs in the order after the change; `nil` for rows that come.
  private var pieces: [NodePermutation.Piece] = []
  /// The row after the change where each piece begins.
  private var starts: [Int] = []
  private var count = 0

  private init() {}

  init(of changes: RowChanges) {
    var kept = Self.gaps(between: changes.removed + changes.moved.map(\.from))[...]
    var arriving = changes.inserted.map { (rows: $0, source: Int?.none) }
    arriving += changes.moved.map { ($0.to, $0.from.lowerBound) }
    arriving.sort { $0.rows.lowerBound < $1.rows.lowerBound }
    for (rows, source) in arriving {
      while count < rows.lowerBound, let run = kept.popFirst() {
        let part = run.prefix(rows.lowerBound - count)
        append(part.lowerBound, part.count)
        if part.count < run.count { kept = [part.upperBound..<run.upperBound] + kept }
      }
      append(source, rows.count)
    }
    for run in kept { append(run.lowerBound, run.count) }
  }

  /// What is in none of the ranges.
  private static func gaps(between ranges: [Range<Int>]) -> [Range<Int>] {
    [0..<endless].subtracting(ranges.united())
  }

  private mutating func append(_ source: Int?, _ length: Int) {
    guard length > 0 else { return }
    if let last = pieces.last, last.source.map({ $0 + last.count }) == source {
      pieces[pieces.count - 1].count += length
    } else {
      starts.append(count)
      pieces.append(NodePermutation.Piece(source: source, count: length))
    }
    count += length
  }

  /// Where each row was before the change that came first.
  func following(_ first: RowOrigins) -> RowOrigins {
    var composed = RowOrigins()
    for piece in pieces {
      guard let source = piece.source else {
        composed.append(nil, piece.count)
        continue
      }
      first.trace(source..<source + piece.count) { composed.append($0, $1) }
    }
    return composed
  }

  /// Hands over where some rows were before the change, run by run.
  private func trace(_ rows: Range<Int>, _ body: (_ source: Int?, _ count: Int) -> Void) {
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= rows.lowerBound { low = middle } else { high = middle }
    }
    var row = rows.lowerBound
    while row < rows.upperBound {
      let isLast = low == pieces.count - 1
      let end = isLast ? rows.upperBound : min(starts[low] + pieces[low].count, rows.upperBound)
      body(pieces[low].source.map { $0 + row - starts[low] }, end - row)
      row = end
      low += 1
    }
  }

  /// Where rows are after the change, of those that stay or move.
  func images(of rows: [Range<Int>]) -> [Range<Int>] {
    let staying = pieces.indices.compactMap { index in
      pieces[index].source.map {
        (source: $0..<$0 + pieces[index].count, shift: starts[index] - $0)
      }
    }.sorted { $0.source.lowerBound < $1.source.lowerBound }
    var images: [Range<Int>] = []
    var first = 0
    for range in rows {
      while first < staying.count, staying[first].source.upperBound <= range.lowerBound {
        first += 1
      }
      for piece in staying[first...].prefix(while: { $0.source.lowerBound < range.upperBound }) {
        let part = range.clamped(to: piece.source)
        images.append(part.lowerBound + piece.shift..<part.upperBound + piece.shift)
      }
    }
    return images
  }

  /// Names what goes, comes and moves.
  func changes() -> RowChanges {
    var marked = pieces
    NodePermutation.markMoved(&marked)
    var changes = RowChanges()
    for (piece, start) in zip(marked, starts) {
      let rows = start..<start + piece.count
      if let source = piece.source {
        guard piece.isMoved else { continue }
        changes.moved.append(RowChanges.Move(from: source..<source + piece.count, to: rows))
      } else {
        changes.inserted.append(rows)
      }
    }
    let staying = pieces.compactMap { piece in piece.source.map { $0..<$0 + piece.count } }
    let last = staying.reduce(0) { max($0, $1.upperBound) }
    changes.removed = [0..<last].subtracting(staying.united())
    return changes
  }
}

extension [Range<Int>] {
  /// The same numbers in ranges that rise and do not touch.
  func united() -> [Range<Int>] {
    sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { united, range in
      if let last = united.last, last.upperBound >= range.lowerBound {
        let end = Swift.max(last.upperBound, range.upperBound)
        united[united.count - 1] = last.lowerBound..<end
      } else {
        united.append(range)
      }
    }
  }

  /// The numbers that are in none of the others; both rise and do not overlap.
  fileprivate func subtracting(_ others: [Range<Int>]) -> [Range<Int>] {
    var rest: [Range<Int>] = []
    var first = 0
    for range in self {
      while first < others.count, others[first].upperBound <= range.lowerBound { first += 1 }
      var start = range.lowerBound
      for other in others[first...].prefix(while: { $0.lowerBound < range.upperBound }) {
        if start < other.lowerBound { rest.append(start..<other.lowerBound) }
        start = Swift.max(start, other.upperBound)
      }
      if start < range.upperBound { rest.append(start..<range.upperBound) }
    }
    return rest
  }
}
