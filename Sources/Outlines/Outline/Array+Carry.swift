extension Array {
  /// Brings the elements to their new positions.
  ///
  /// - Parameters:
  ///   - change: Where they go.
  ///   - added: The elements of the new nodes, in the order of their positions.
  /// - Complexity: O(elements from the window on), in place when the memory is not shared and the
  ///   change either adds or moves; otherwise O(n).
  mutating func carry(_ change: Rearrangement, added: [Element]) {
    if !change.pieces.contains(where: { $0.source != nil }) {
      reserve(change.newCount)
      replaceSubrange(change.window, with: added)
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

  private mutating func permute(_ change: Rearrangement) {
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

  private func rebuilt(_ change: Rearrangement, added: [Element]) -> [Element] {
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
