import OutlineEngine

extension Array {
  /// Brings the elements to their new positions.
  ///
  /// - Parameters:
  ///   - change: Where they go.
  ///   - added: The elements of the new nodes, in the order of their positions.
  /// - Complexity: O(elements from the window on), in place when the memory is not shared and the
  ///   change either adds or moves; otherwise O(n).
  mutating func carry(_ change: NodePermutation, added: [Element]) {
    if change.window.isEmpty {
      reserve(change.newCount)
      append(contentsOf: added)
      rotateRight(change.window.lowerBound, by: added.count)
    } else if change.pieces.isEmpty {
      rotateLeft(change.window.lowerBound, by: change.window.count)
      removeLast(change.window.count)
    } else if added.isEmpty, change.shift == 0 {
      permute(change)
    } else {
      self = rebuilt(change, added: added)
    }
  }

  /// Makes room, a little more than is wanted, so that one element after the other can be added.
  private mutating func reserve(_ wanted: Int) {
    if capacity < wanted { reserveCapacity(wanted + wanted / 8) }
  }

  /// Brings the first `count` elements from `start` on to the end.
  private mutating func rotateLeft(_ start: Int, by count: Int) {
    shiftInChunks(from: start + count, to: self.count, by: -count, parking: start..<start + count)
  }

  /// Brings the last `count` elements in front of the one at `start`.
  private mutating func rotateRight(_ start: Int, by count: Int) {
    let end = self.count - count
    shiftInChunks(from: start, to: end, by: count, parking: end..<self.count)
  }

  /// Moves a run of elements past those at `parked`, which take the place that becomes free.
  ///
  /// By way of a buffer in the cache: `memmove` is slow between places a few bytes apart.
  private mutating func shiftInChunks(
    from start: Int,
    to end: Int,
    by distance: Int,
    parking parked: Range<Int>
  ) {
    let width = Swift.max(1, (16 << 10) / Swift.max(1, MemoryLayout<Element>.stride))
    withUnsafeMutableBufferPointer { elements in
      guard let base = elements.baseAddress, start < end, distance != 0 else { return }
      let aside = UnsafeMutablePointer<Element>.allocate(capacity: parked.count)
      let buffer = UnsafeMutablePointer<Element>.allocate(capacity: width)
      defer {
        aside.deallocate()
        buffer.deallocate()
      }
      aside.moveInitialize(from: base + parked.lowerBound, count: parked.count)
      let chunks = (end - start + width - 1) / width
      for number in 0..<chunks {
        let chunk = distance < 0 ? number : chunks - 1 - number
        let source = start + chunk * width
        let count = Swift.min(width, end - source)
        buffer.moveInitialize(from: base + source, count: count)
        (base + source + distance).moveInitialize(from: buffer, count: count)
      }
      let free = distance < 0 ? end + distance : start
      (base + free).moveInitialize(from: aside, count: parked.count)
    }
  }

  private mutating func permute(_ change: NodePermutation) {
    let window = change.window
    withUnsafeMutableBufferPointer { elements in
      guard let base = elements.baseAddress else { return }
      let old = UnsafeMutablePointer<Element>.allocate(capacity: window.count)
      defer { old.deallocate() }
      old.moveInitialize(from: base + window.lowerBound, count: window.count)
      var target = base + window.lowerBound
      for piece in change.pieces {
        guard let source = piece.source else { continue }
        target.moveInitialize(from: old + source - window.lowerBound, count: piece.count)
        target += piece.count
      }
    }
  }

  private func rebuilt(_ change: NodePermutation, added: [Element]) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(change.newCount)
    var rest = added[...]
    for piece in change.allPieces {
      if let source = piece.source {
        result += self[source..<source + piece.count]
      } else {
        result += rest.prefix(piece.count)
        rest = rest.dropFirst(piece.count)
      }
    }
    return result
  }
}
