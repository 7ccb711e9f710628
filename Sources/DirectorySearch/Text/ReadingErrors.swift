import TextRules

/// Compares a typed word with all spellings of readings, with typing errors.
///
/// For each number of errors there is the set of positions up to which the word can be used up so, as
/// bits; all spellings of a reading are taken at once. A swap of two letters counts one error.
/// Source: S. Wu and U. Manber, "Fast text searching allowing errors", CACM 35 (1992).
struct ReadingErrors: Sendable {
  private let letters: [UInt8]
  private let limit: Int
  /// The positions of each letter.
  private let places: [UInt64]
  private let beginnings: UInt64

  /// How far a word is used up by some readings.
  struct State {
    fileprivate var positions: Positions
    fileprivate var swaps = Transpositions()
  }

  /// Positions reached with no error, one or two.
  fileprivate struct Positions {
    var exact: UInt64 = 0
    var one: UInt64 = 0
    var two: UInt64 = 0

    var isEmpty: Bool { exact | one | two == 0 }

    mutating func formUnion(_ other: Positions) {
      exact |= other.exact
      one |= other.one
      two |= other.two
    }
  }

  /// The positions before the last letter, by that letter: where it can be swapped with the next.
  fileprivate struct Transpositions {
    var letters: [UInt8] = []
    var positions: [Positions] = []

    mutating func insert(_ letter: UInt8, _ before: Positions) {
      if let index = letters.firstIndex(of: letter) {
        positions[index].formUnion(before)
      } else {
        letters.append(letter)
        positions.append(before)
      }
    }
  }

  /// - Parameters:
  ///   - word: Latin letters in small.
  ///   - limit: The most errors, at most two.
  init?(_ word: [UInt8], limit: Int) {
    guard 2..<63 ~= word.count, word.allSatisfy({ $0 &- 0x61 < 26 }), 0...2 ~= limit else {
      return nil
    }
    letters = word
    self.limit = limit
    var places = [UInt64](repeating: 0, count: 26)
    for (index, letter) in word.enumerated() { places[Int(letter - 0x61)] |= 1 << UInt64(index) }
    self.places = places
    // Fingers seldom miss the first letter; it may be the second.
    beginnings = 1 << UInt64(word[0] - 0x61) | 1 << UInt64(word[1] - 0x61)
  }

  /// The fewest errors that lie between the word and some readings.
  ///
  /// - Parameters:
  ///   - readings: Of a text or a part of one; what parts words is passed over.
  ///   - mainOnly: Whether only the first spelling of each counts.
  /// - Returns: `nil` where there are more than the limit.
  /// - Complexity: O(letters of the spellings).
  func count(to readings: UnsafeBufferPointer<Reading>, mainOnly: Bool) -> Int? {
    guard let first = readings.first(where: { $0 != ReadingTable.border }),
      mayBegin(with: ReadingTable.beginnings(of: first))
    else { return nil }
    var state = start
    for reading in readings where reading != ReadingTable.border {
      guard let next = advance(state, over: reading, mainOnly: mainOnly) else { return nil }
      state = next
    }
    return count(at: state)
  }

  /// Before any reading.
  var start: State { State(positions: closed(Positions(exact: 1))) }

  /// Whether a reading may be the first one, by what its spellings begin with.
  func mayBegin(with letters: UInt64) -> Bool {
    letters & (beginnings | ReadingTable.leftOut) != 0
  }

  /// Behind one reading more; `nil` where there are too many errors.
  func advance(_ state: State, over reading: Reading, mainOnly: Bool = false) -> State? {
    var next = State(positions: Positions())
    var isFirst = true
    ReadingTable.withEverySpelling(of: reading) { spelling in
      if mainOnly, !isFirst { return }
      isFirst = false
      next.positions.formUnion(
        advance(state.positions, over: spelling, state.swaps, &next.swaps)
      )
    }
    return next.positions.isEmpty ? nil : next
  }

  /// The fewest errors with which the word ends here.
  func count(at state: State) -> Int? {
    let end: UInt64 = 1 << UInt64(letters.count)
    if state.positions.exact & end != 0 { return 0 }
    if limit >= 1, state.positions.one & end != 0 { return 1 }
    return limit >= 2 && state.positions.two & end != 0 ? 2 : nil
  }

  private func advance(
    _ from: Positions,
    over spelling: UnsafeBufferPointer<UInt8>,
    _ swaps: Transpositions,
    _ last: inout Transpositions
  ) -> Positions {
    guard spelling.count > 0 else {
      for (letter, before) in zip(swaps.letters, swaps.positions) { last.insert(letter, before) }
      return from
    }
    var positions = from
    var before = from
    for (index, letter) in spelling.enumerated() {
      var next = step(positions, over: letter)
      if index == 0 {
        for (earlier, positions) in zip(swaps.letters, swaps.positions) {
          addSwap(of: earlier, letter, positions, to: &next)
        }
      } else {
        addSwap(of: spelling[index - 1], letter, before, to: &next)
      }
      before = positions
      positions = closed(next)
    }
    last.insert(spelling[spelling.count - 1], before)
    return positions
  }

  /// One letter more of a spelling: the typed one, another, or none.
  private func step(_ from: Positions, over letter: UInt8) -> Positions {
    let place = place(of: letter)
    return Positions(
      exact: (from.exact & place) << 1,
      one: (from.one & place) << 1 | from.exact << 1 | from.exact,
      two: (from.two & place) << 1 | from.one << 1 | from.one
    )
  }

  private func addSwap(
    of first: UInt8,
    _ second: UInt8,
    _ from: Positions,
    to next: inout Positions
  ) {
    let swapped = place(of: second) & place(of: first) >> 1
    next.one |= (from.exact & swapped) << 2
    next.two |= (from.one & swapped) << 2
  }

  /// With letters that were typed too many.
  private func closed(_ positions: Positions) -> Positions {
    let mask: UInt64 = (1 << UInt64(letters.count + 1)) - 1
    var closed = positions
    closed.one |= closed.exact << 1
    closed.two |= closed.one << 1
    closed.exact &= mask
    closed.one = limit >= 1 ? closed.one & mask : 0
    closed.two = limit >= 2 ? closed.two & mask : 0
    return closed
  }

  private func place(of letter: UInt8) -> UInt64 {
    letter &- 0x61 < 26 ? places[Int(letter - 0x61)] : 0
  }
}
