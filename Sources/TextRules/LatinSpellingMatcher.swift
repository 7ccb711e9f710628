/// Compares letters with the combinations of all spellings: sets of positions up to which the
/// letters are used up, one set for each kind of fit.
struct LatinSpellingMatcher {
  let letters: UnsafeBufferPointer<UInt8>
  let cuts: UInt64

  /// A set of positions for each fit, the best first.
  private struct Positions {
    var whole: UInt64 = 0
    var initials: UInt64 = 0
    var other: UInt64 = 0

    var isEmpty: Bool { whole | initials | other == 0 }

    func bestFit(at position: Int) -> ReadingMatch.Fit? {
      let bit: UInt64 = 1 << UInt64(position)
      if whole & bit != 0 { return .whole }
      if initials & bit != 0 { return .initials }
      return other & bit != 0 ? .otherReading : nil
    }

    mutating func insert(_ position: Int, _ fit: ReadingMatch.Fit) {
      let bit: UInt64 = 1 << UInt64(position)
      switch fit {
      case .whole: whole |= bit
      case .initials: initials |= bit
      case .otherReading: other |= bit
      }
    }
  }

  func match(
    in readings: UnsafeBufferPointer<Reading>,
    from start: Int,
    _ place: ReadingMatch.Place
  ) -> ReadingMatch? {
    var positions = Positions()
    positions.insert(0, .whole)
    var best: ReadingMatch?
    var index = start
    while index < readings.count {
      let reading = readings[index]
      index += 1
      if reading == ReadingTable.border { continue }
      var step = Step(next: Positions(), ended: nil)
      advance(positions, over: reading, &step)
      if let fit = step.ended {
        let match = ReadingMatch(
          readings: start..<index,
          place: place,
          fit: fit,
          isComplete: false,
          coversText: false
        )
        if best.map({ match < $0 }) ?? true { best = match }
      }
      positions = step.next
      if let fit = positions.bestFit(at: letters.count) {
        let endsPart = Self.endsPart(readings, index)
        let covers = start == 0 && index == readings.count
        let match = ReadingMatch(
          readings: start..<index,
          place: place,
          fit: fit,
          isComplete: endsPart,
          coversText: covers
        )
        if best.map({ match < $0 }) ?? true { best = match }
      }
      if positions.isEmpty { break }
    }
    return best
  }

  /// Whether a word ends before an index, or a part that is typed as a whole.
  private static func endsPart(_ readings: UnsafeBufferPointer<Reading>, _ index: Int) -> Bool {
    let last = readings[index - 1]
    if index == readings.count || readings[index] == ReadingTable.border { return true }
    return ReadingTable.isSyllable(last) || ReadingTable.isMora(last)
      || ReadingPattern.place(of: readings[index], after: last) == .word
  }

  private struct Step {
    var next: Positions
    /// The best fit with which the letters ended inside a spelling.
    var ended: ReadingMatch.Fit?
  }

  private func advance(_ from: Positions, over reading: Reading, _ step: inout Step) {
    var open = from.whole | from.initials | from.other
    while open != 0 {
      let position = open.trailingZeroBitCount
      open &= open - 1
      guard let fit = from.bestFit(at: position) else { continue }
      if position == letters.count {
        // What may be left out at the end belongs to the match.
        if ReadingTable.mayBeLeftOut(reading) { step.next.insert(position, fit) }
        continue
      }
      if ReadingTable.hangul.contains(reading) {
        advanceHangul(HangulSyllable(reading), position, fit, &step)
      } else {
        ReadingTable.withSpellings(of: reading) { spellings in
          advance(
            over: spellings,
            isSyllable: ReadingTable.isSyllable(reading),
            position,
            fit,
            &step
          )
        }
      }
    }
  }

  /// Takes each spelling of a list, and the initial of each if it is that of a syllable.
  private func advance(
    over spellings: UnsafeBufferPointer<UInt8>,
    isSyllable: Bool,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    var fit = fit
    var index = 0
    while index <= spellings.count {
      var end = index
      while end < spellings.count, spellings[end] > 0x2F, spellings[end] != UInt8(ascii: ";") {
        end += 1
      }
      let spelling = UnsafeBufferPointer(rebasing: spellings[index..<end])
      take(spelling, position, fit, &step)
      if isSyllable { takeInitial(of: spelling, position, max(fit, .initials), &step) }
      if end < spellings.count, spellings[end] == UInt8(ascii: ";") { fit = .otherReading }
      index = end + 1
    }
  }

  @inline(__always)
  private func take(
    _ spelling: UnsafeBufferPointer<UInt8>,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    var used = 0
    while used < spelling.count, position + used < letters.count,
      spelling[used] == letters[position + used]
    {
      used += 1
    }
    guard isUncut(position, used) else { return }
    if used == spelling.count {
      step.next.insert(position + used, fit)
    } else if position + used == letters.count {
      if step.ended.map({ fit < $0 }) ?? true { step.ended = fit }
    }
  }

  @inline(__always)
  private func takeInitial(
    of spelling: UnsafeBufferPointer<UInt8>,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    guard let first = spelling.first, first == letters[position] else { return }
    if spelling.count > 1 { step.next.insert(position + 1, fit) }
    guard spelling.count > 2, spelling[1] == UInt8(ascii: "h"), position + 1 < letters.count,
      letters[position + 1] == spelling[1], isUncut(position, 2)
    else { return }
    step.next.insert(position + 2, fit)
  }

  /// Whether no part must begin inside of so many letters.
  @inline(__always)
  private func isUncut(_ position: Int, _ count: Int) -> Bool {
    count < 2 || cuts >> UInt64(position + 1) & ((1 << UInt64(count - 1)) - 1) == 0
  }

  private func advanceHangul(
    _ syllable: HangulSyllable,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    for initial in syllable.initials {
      var inner = Step(next: Positions(), ended: nil)
      takePart(initial, position, fit, &inner)
      merge(inner.ended, into: &step)
      guard let afterInitial = end(of: initial, position) else { continue }
      if initial.utf8CodeUnitCount > 0 {
        step.next.insert(afterInitial, max(fit, .initials))
        if afterInitial == letters.count { merge(fit, into: &step) }
      }
      for vowel in syllable.vowels {
        guard let afterVowel = end(of: vowel, afterInitial) else {
          takePart(vowel, afterInitial, fit, &step)
          if initial.utf8CodeUnitCount == 0 {
            vowel.withUTF8Buffer {
              takeInitial(of: $0, afterInitial, max(fit, .initials), &step)
            }
          }
          continue
        }
        for final in syllable.finals { takePart(final, afterVowel, fit, &step) }
      }
    }
    for spelling in syllable.whole { takePart(spelling, position, fit, &step) }
  }

  private func merge(_ ended: ReadingMatch.Fit?, into step: inout Step) {
    if let ended, step.ended.map({ ended < $0 }) ?? true { step.ended = ended }
  }

  private func takePart(
    _ part: StaticString,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    part.withUTF8Buffer { take($0, position, fit, &step) }
  }

  private func end(of part: StaticString, _ position: Int) -> Int? {
    part.withUTF8Buffer { part in
      guard position + part.count <= letters.count else { return nil }
      for offset in part.indices where part[offset] != letters[position + offset] { return nil }
      return position + part.count
    }
  }
}
