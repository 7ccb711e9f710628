/// What the user typed, clicked or pasted on a terminal.
package enum Key: Hashable, Sendable {
  case character(Character)
  /// A letter with Ctrl held, in lower case.
  case control(Character)
  case up, down, left, right
  case pageUp, pageDown, home, end
  case enter, escape, tab, backTab, backspace, delete
  case mouse(MouseEvent)
  /// Text that came all at once (bracketed paste).
  case paste(String)
}

/// A click or a turn of the wheel; row and column count from 0.
package struct MouseEvent: Hashable, Sendable {
  package enum Action: Sendable { case press, wheelUp, wheelDown }

  package var action: Action
  package var column: Int
  package var row: Int

  package init(_ action: Action, column: Int, row: Int) {
    self.action = action
    self.column = column
    self.row = row
  }
}

/// Turns the bytes that a terminal sends into keys.
///
/// Sequences are those of ECMA-48 §5.4 (CSI) and of xterm's "Control Sequences" for cursor keys
/// (SS3 in application mode), the mouse (mode 1006) and bracketed paste (mode 2004). Sequences that
/// mean nothing here are passed over as a whole, so that none of their letters is taken for a key.
package struct KeyDecoder: Sendable {
  private var bytes: [UInt8] = []
  private var position = 0

  package init() {}

  package mutating func append(_ more: some Sequence<UInt8>) {
    bytes.removeFirst(position)
    position = 0
    bytes.append(contentsOf: more)
  }

  /// Whether bytes wait for others to become a key.
  package var isWaiting: Bool { position < bytes.count }

  /// The next key.
  ///
  /// - Parameter isFinal: Whether nothing more came for a while, so that an escape which could begin
  ///   a sequence is the key Esc.
  /// - Returns: `nil` when bytes are missing.
  package mutating func next(isFinal: Bool = false) -> Key? {
    while position < bytes.count {
      let start = position
      switch decode(isFinal: isFinal) {
      case .key(let key): return key
      case .nothing: continue
      case .incomplete:
        position = isFinal ? bytes.count : start
        return nil
      }
    }
    return nil
  }

  private enum Outcome {
    case key(Key)
    /// Passed over.
    case nothing
    case incomplete
  }

  private mutating func take() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func decode(isFinal: Bool) -> Outcome {
    guard let byte = take() else { return .incomplete }
    switch byte {
    case 0x1B: return escape(isFinal: isFinal)
    case 0x0D, 0x0A: return .key(.enter)
    case 0x09: return .key(.tab)
    case 0x08, 0x7F: return .key(.backspace)
    case 0x01...0x1A: return .key(.control(Character(UnicodeScalar(byte + 0x60))))
    case 0x00..<0x20: return .nothing
    default: return character(byte)
    }
  }

  private mutating func character(_ first: UInt8) -> Outcome {
    let length =
      switch first {
      case ..<0x80: 1
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard length > 0 else { return .nothing }
    guard position + length - 1 <= bytes.count else { return .incomplete }
    let encoded = bytes[position - 1..<position - 1 + length]
    guard let text = String(validating: encoded, as: UTF8.self), let character = text.first else {
      return .nothing
    }
    position += length - 1
    return .key(.character(character))
  }

  private mutating func escape(isFinal: Bool) -> Outcome {
    guard let byte = take() else { return isFinal ? .key(.escape) : .incomplete }
    switch byte {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard let final = take() else { return .incomplete }
      return Self.cursorKey(final).map { .key($0) } ?? .nothing
    default:
      // Esc, and a key that came in the same moment.
      position -= 1
      return .key(.escape)
    }
  }

  private mutating func controlSequence() -> Outcome {
    var parameters: [UInt8] = []
    while let byte = take() {
      switch byte {
      case 0x20...0x3F: parameters.append(byte)
      case 0x40...0x7E: return meaning(of: parameters, byte)
      default: return .nothing
      }
    }
    return .incomplete
  }

  private mutating func meaning(of parameters: [UInt8], _ final: UInt8) -> Outcome {
    if parameters.first == UInt8(ascii: "<") { return mouse(parameters.dropFirst(), final) }
    if final != UInt8(ascii: "~") { return Self.cursorKey(final).map { .key($0) } ?? .nothing }
    let number = parameters.prefix { $0 != UInt8(ascii: ";") }
    switch String(decoding: number, as: UTF8.self) {
    case "1", "7": return .key(.home)
    case "3": return .key(.delete)
    case "4", "8": return .key(.end)
    case "5": return .key(.pageUp)
    case "6": return .key(.pageDown)
    case "200": return paste()
    default: return .nothing
    }
  }

  private static func cursorKey(_ final: UInt8) -> Key? {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "M"): .enter
    case UInt8(ascii: "Z"): .backTab
    default: nil
    }
  }

  /// Button; column; row, from 1; `M` for a press, `m` for its end.
  private func mouse(_ parameters: ArraySlice<UInt8>, _ final: UInt8) -> Outcome {
    let numbers = parameters.split(separator: UInt8(ascii: ";"))
      .compactMap { UInt16(String(decoding: $0, as: UTF8.self)) }.map { Int($0) }
    guard final == UInt8(ascii: "M"), numbers.count == 3 else { return .nothing }
    let action: MouseEvent.Action
    switch numbers[0] & ~0b1_1100 {
    case 0: action = .press
    case 64: action = .wheelUp
    case 65: action = .wheelDown
    default: return .nothing
    }
    return .key(.mouse(MouseEvent(action, column: numbers[1] - 1, row: numbers[2] - 1)))
  }

  private mutating func paste() -> Outcome {
    let end = Array("\u{1B}[201~".utf8)
    var search = position
    while search + end.count <= bytes.count {
      if bytes[search..<search + end.count].elementsEqual(end) {
        let text = String(decoding: bytes[position..<search], as: UTF8.self)
        position = search + end.count
        return .key(.paste(text))
      }
      search += 1
    }
    return .incomplete
  }
}
