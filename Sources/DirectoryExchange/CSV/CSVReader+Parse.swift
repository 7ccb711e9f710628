extension CSVReader {
  /// What parsing from `cursor` came to.
  private enum Outcome {
    /// A whole record; `end` is that of its text, `next` lies behind its line break.
    case record(end: Int, next: Int, hasQuotes: Bool)
    /// The buffer ends before it can be told.
    case unfinished
    /// A fault at this position of the buffer.
    case fault(at: Int, CSVProblem.Reason)
    /// A quote opened at this position is never closed.
    case unterminated(at: Int)
  }

  @inline(__always)
  func byte(at offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

  /// The record at `cursor`, or what is wrong with it; `nil` when it must be called again.
  mutating func nextRecord() -> CSVItem? {
    if cursor == end, isAtEnd {
      phase = .finished
      return nil
    }
    switch parse() {
    case .record(let textEnd, let next, let hasQuotes):
      return deliver(textEnd: textEnd, next: next, hasQuotes: hasQuotes)
    case .unfinished:
      fill()
      return nil
    case .fault(let position, let reason):
      return skip(faultAt: position, reason)
    case .unterminated(let position):
      fail(.unterminatedQuote, line: line + lineBreaks(from: cursor, to: position))
      return nil
    }
  }

  private mutating func parse() -> Outcome {
    var position = cursor
    var hasQuotes = false
    fieldCount = 0
    while true {
      var field = CSVField(start: position, end: position, hasDoubledQuotes: false)
      if position < end, byte(at: position) == CSVByte.quote {
        hasQuotes = true
        guard let closing = closingQuote(of: &field) else {
          return isAtEnd ? .unterminated(at: position) : .unfinished
        }
        position = closing + 1
      } else if isFormula(at: position) {
        // What spreadsheets are given so that a number stays a text: `="007"`, without further quotes.
        var literal = field
        literal.start += 1
        guard let closing = closingQuote(of: &literal) else {
          return isAtEnd ? .unterminated(at: position + 1) : .unfinished
        }
        hasQuotes = true
        position = closing + 1
        field.end = position
      } else {
        position = ByteScan.firstDelimiter(base, from: position, separator: separator)
        field.end = position
      }
      guard fieldCount < Self.mostFields else {
        return .fault(at: field.end, .tooManyFields(limit: Self.mostFields))
      }
      fields[fieldCount] = field
      fieldCount &+= 1
      if position == end {
        return isAtEnd ? .record(end: end, next: end, hasQuotes: hasQuotes) : .unfinished
      }
      switch byte(at: position) {
      case separator: position &+= 1
      case CSVByte.lineFeed:
        return .record(end: position, next: position + 1, hasQuotes: hasQuotes)
      case CSVByte.carriageReturn:
        guard let next = endOfLine(at: position) else { return .unfinished }
        return .record(end: position, next: next, hasQuotes: hasQuotes)
      default: return badCharacter(at: position, behind: field)
      }
    }
  }

  @inline(__always)
  private func isFormula(at position: Int) -> Bool {
    position &+ 1 < end && byte(at: position) == UInt8(ascii: "=")
      && byte(at: position &+ 1) == CSVByte.quote
  }

  /// Position of the quote that closes a field, or `nil` when the buffer ends before.
  ///
  /// A quote that is the buffer's last byte tells nothing until the byte behind it is known.
  @inline(__always)
  private func closingQuote(of field: inout CSVField) -> Int? {
    field.start &+= 1
    var position = field.start
    while true {
      position = ByteScan.firstQuote(base, from: position)
      guard position < end, position &+ 1 < end || isAtEnd else { return nil }
      guard position &+ 1 < end, byte(at: position &+ 1) == CSVByte.quote else {
        field.end = position
        return position
      }
      field.hasDoubledQuotes = true
      position &+= 2
    }
  }

  /// Position behind the CR or CRLF at `position`, or `nil` when the buffer ends between.
  private func endOfLine(at position: Int) -> Int? {
    guard position + 1 < end else { return isAtEnd ? position + 1 : nil }
    return byte(at: position + 1) == CSVByte.lineFeed ? position + 2 : position + 1
  }

  /// A quote inside a field, or anything but a comma or line break behind a closing one.
  private func badCharacter(at position: Int, behind field: CSVField) -> Outcome {
    if field.end == position { return .fault(at: position, .quoteInsideField) }
    let isMaybeTheEnd = (position..<end).allSatisfy { byte(at: $0) == CSVByte.endMark }
    if isMaybeTheEnd, !isAtEnd { return .unfinished }
    let opening = line + lineBreaks(from: cursor, to: field.start - 1)
    return .fault(at: position, .textAfterQuote(openedOnLine: opening))
  }

  /// Hands out the record that was parsed, unless it is blank, too long or not text.
  private mutating func deliver(textEnd: Int, next: Int, hasQuotes: Bool) -> CSVItem? {
    let start = cursor
    let first = line
    guard next - start <= longestRecord else {
      fail(.tooLong(limit: longestRecord), line: first)
      return nil
    }
    cursor = next
    line += next > textEnd ? 1 : 0
    if hasQuotes { line += lineBreaks(from: start, to: textEnd) }
    if textEnd == start { return nil }
    let text = UnsafeRawBufferPointer(start: base + start, count: textEnd - start)
    if let fault = TextError.first(in: text) {
      return .problem(problem(fault, in: text, startingOn: first, isLast: next == textEnd))
    }
    if hasQuotes { resolveDoubledQuotes() }
    return .record(
      CSVRecord(
        line: first,
        count: fieldCount,
        isEnded: next > textEnd,
        base: base,
        fields: fields
      )
    )
  }

  func problem(
    _ fault: TextError,
    in text: UnsafeRawBufferPointer,
    startingOn first: Int,
    isLast: Bool
  ) -> CSVProblem {
    let position: Int
    switch fault {
    case .nul(let at), .notUTF8(let at), .cut(let at): position = at
    }
    let before = text[..<position]
    let lineStart = before.lastIndex { $0 == CSVByte.lineFeed || $0 == CSVByte.carriageReturn }
    let column = position - (lineStart.map { $0 + 1 } ?? 0) + 1
    let start = text.baseAddress.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? 0
    let line = first + lineBreaks(from: start, to: start + position)
    switch fault {
    case .nul: return CSVProblem(line: line, reason: .nul(column: column))
    case .cut where isLast: return CSVProblem(line: line, reason: .cutInsideCharacter)
    case .cut, .notUTF8:
      return CSVProblem(line: line, reason: .notUTF8(byte: text[position], column: column))
    }
  }

  /// Makes doubled quotes single, in place: the text only gets shorter.
  private func resolveDoubledQuotes() {
    for index in 0..<fieldCount where fields[index].hasDoubledQuotes {
      var target = fields[index].start
      var source = target
      while source < fields[index].end {
        let byte = byte(at: source)
        base.storeBytes(of: byte, toByteOffset: target, as: UInt8.self)
        target += 1
        source += byte == CSVByte.quote ? 2 : 1
      }
      fields[index].end = target
      fields[index].hasDoubledQuotes = false
    }
  }

  /// Reports a fault and goes to the end of its line.
  private mutating func skip(faultAt position: Int, _ reason: CSVProblem.Reason) -> CSVItem {
    line += lineBreaks(from: cursor, to: position)
    cursor = position
    phase = .skippingLine
    return .problem(CSVProblem(line: line, reason: reason))
  }

  /// Goes on to the next line break, reading and forgetting as much as lies before it.
  mutating func skipLine() {
    let position = ByteScan.firstLineBreak(base, from: cursor)
    if position < end, let next = endOfLineBreak(at: position) {
      cursor = next
      line += 1
      phase = .records
    } else if isAtEnd {
      phase = .finished
    } else {
      cursor = min(position, end)
      fill()
    }
  }

  private func endOfLineBreak(at position: Int) -> Int? {
    byte(at: position) == CSVByte.lineFeed ? position + 1 : endOfLine(at: position)
  }

  /// The number of LF, CR and CRLF in a part of the buffer, CRLF counted once.
  func lineBreaks(from start: Int, to stop: Int) -> Int {
    var count = 0
    var position = ByteScan.firstLineBreak(base, from: start)
    while position < stop {
      let isPair =
        byte(at: position) == CSVByte.carriageReturn && position + 1 < stop
        && byte(at: position + 1) == CSVByte.lineFeed
      count += 1
      position = ByteScan.firstLineBreak(base, from: position + (isPair ? 2 : 1))
    }
    return count
  }
}
