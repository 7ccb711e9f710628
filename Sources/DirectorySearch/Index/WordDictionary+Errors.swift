import DirectorySnapshot
import Platform

extension WordDictionary {
  /// Calls `body` with each word whose first part, up to a separator, differs from a typed one by
  /// no more than its errors, and by how many.
  ///
  /// - Complexity: As far as beginnings of words can still be within the limit: of 100,000 words
  ///   some thousand steps for one error.
  func forEachWord(
    within errors: TypingErrors,
    _ body: (_ words: Range<Int>, _ errors: Int) -> Void
  ) throws(SnapshotError) {
    // Every word in here is shorter; with the table of a query of thousands it would take long.
    guard errors.letters.count <= FieldBuilder.longestToken + errors.limit else { return }
    let rows = try all()
    rows.withAllBytes { bytes, ends in
      var walk = FuzzyDictionaryWalk(errors, bytes.bindMemory(to: UInt8.self), ends)
      walk.visit(0..<ends.count, body)
    }
  }
}

/// Goes down the tree of beginnings that sorted words are, with a row of distances for each letter.
private struct FuzzyDictionaryWalk {
  private let errors: TypingErrors
  private let bytes: BorrowedText
  private let ends: UnsafeBufferPointer<UInt32>
  /// Distances to each beginning of the typed word, a row for each letter on the way down.
  private var rows: [UInt8]
  private var letters: [UInt32]
  private let width: Int

  init(_ errors: TypingErrors, _ bytes: BorrowedText, _ ends: UnsafeBufferPointer<UInt32>) {
    self.errors = errors
    self.bytes = bytes
    self.ends = ends
    width = errors.letters.count + 1
    let depth = errors.letters.count + errors.limit + 2
    rows = [UInt8](repeating: 0, count: depth * width)
    letters = [UInt32](repeating: .max, count: depth)
    for index in 0..<width { rows[index] = UInt8(min(index, errors.limit + 1)) }
  }

  private func start(of word: Int) -> Int { word == 0 ? 0 : Int(ends[word - 1]) }

  mutating func visit(_ words: Range<Int>, _ body: (Range<Int>, Int) -> Void) {
    visit(words, offset: 0, depth: 0, body)
  }

  /// Takes words that share so many bytes and letters.
  private mutating func visit(
    _ words: Range<Int>,
    offset: Int,
    depth: Int,
    _ body: (Range<Int>, Int) -> Void
  ) {
    var first = words.lowerBound
    while first < words.upperBound {
      let at = start(of: first) + offset
      let isEnd = at == Int(ends[first])
      if isEnd || WordSearch.isSeparator(bytes[at]) {
        let next = isEnd ? first + 1 : end(of: first..<words.upperBound, offset, 1)
        if depth > 0, let distance = distance(depth) { body(first..<next, distance) }
        first = next
        continue
      }
      if errors.isASCII, bytes[at] >= 0x80 { return }
      let word = BorrowedText(rebasing: bytes[start(of: first)..<Int(ends[first])])
      let (letter, size) = TypingErrors.letter(at: offset, of: word)
      let next = end(of: first..<words.upperBound, offset, size)
      if depth < errors.letters.count + errors.limit, advance(letter, depth) {
        visit(first..<next, offset: offset + size, depth: depth + 1, body)
      }
      first = next
    }
  }

  /// How many errors lie between the typed word and the letters on the way down; `nil` for too many.
  private func distance(_ depth: Int) -> Int? {
    guard depth + errors.limit >= width - 1 else { return nil }
    let distance = Int(rows[depth * width + width - 1])
    return distance <= errors.limit ? distance : nil
  }

  /// Past the last of the words that go on like the first one.
  private func end(of words: Range<Int>, _ offset: Int, _ size: Int) -> Int {
    let wanted = start(of: words.lowerBound) + offset
    func goesOnAlike(_ word: Int) -> Bool {
      let at = start(of: word) + offset
      guard at + size <= Int(ends[word]) else { return false }
      return (0..<size).allSatisfy { bytes[at + $0] == bytes[wanted + $0] }
    }
    // Nearby first, then by halves.
    return words.dropFirst().nearPartitionPoint(where: goesOnAlike)
  }

  /// Fills the row below `depth`, as far as distances can be within the limit: so many letters to
  /// both sides of the diagonal.
  ///
  /// - Returns: Whether anything that goes on so can be within the limit.
  private mutating func advance(_ letter: UInt32, _ depth: Int) -> Bool {
    letters[depth + 1] = letter
    let limit = errors.limit
    let (above, below) = (depth * width, (depth + 1) * width)
    let far = UInt8(limit + 1)
    let first = max(1, depth + 1 - limit)
    let last = min(width - 1, depth + 1 + limit)
    guard first <= last else { return false }
    return rows.withUnsafeMutableBufferPointer { rows in
      rows[below + first - 1] = first == 1 && depth < limit ? UInt8(depth + 1) : far
      if last + 1 < width { rows[below + last + 1] = far }
      var least = rows[below + first - 1]
      var leastAbove = far
      for index in first...last {
        let typed = errors.letters[index - 1]
        let (left, up) = (rows[above + index - 1], rows[above + index])
        var best = left + (typed == letter ? 0 : 1)
        best = min(best, min(up, rows[below + index - 1]) + 1)
        if index > 1, depth > 0, typed == letters[depth], errors.letters[index - 2] == letter {
          best = min(best, rows[above - width + index - 2] + 1)
        }
        best = min(best, far)
        rows[below + index] = best
        least = min(least, best)
        leastAbove = min(leastAbove, min(left, up))
      }
      return Int(least) <= limit || Int(leastAbove) < limit
    }
  }
}
