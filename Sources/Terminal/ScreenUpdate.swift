/// What a full-screen front shows: a line of finished bytes for each row of the screen.
package struct ScreenFrame: Equatable, Sendable {
  /// From top to bottom; no line takes more columns than the screen has.
  package var lines: [[UInt8]]
  /// Where the user types, counted from 0; `nil` where there is none.
  package var cursor: Cursor?

  package struct Cursor: Equatable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  package init(lines: [[UInt8]], cursor: Cursor? = nil) {
    self.lines = lines
    self.cursor = cursor
  }
}

/// Brings a terminal from one frame to the next by what differs.
///
/// Each line is written from its first column, so that a terminal which takes another number of
/// columns for some character disturbs that line and no other. ncurses, which keeps the cells of the
/// screen, goes by the C library's `wcwidth` instead, by which an emoji of several scalars has
/// other columns than terminals and `DisplayWidth` give it.
///
/// Sequences are those of ECMA-48: CUP §8.3.21, EL §8.3.41, ED §8.3.39, SU §8.3.147, SD §8.3.113,
/// and xterm's DECSTBM for scrolling a part of the screen.
package struct ScreenUpdate: Sendable {
  private var shown: ScreenFrame?

  package init() {}

  /// Forgets what the terminal shows, after something else wrote on it or its size changed.
  package mutating func invalidate() { shown = nil }

  /// What to write so that the terminal shows a frame; nothing where it does already.
  ///
  /// - Complexity: O(bytes of the frame).
  package mutating func bytes(showing frame: ScreenFrame) -> [UInt8] {
    guard frame != shown else { return [] }
    var bytes: [UInt8] = []
    append("\u{1B}[?25l", to: &bytes)
    var old = shown?.lines ?? []
    if old.count != frame.lines.count {
      append("\u{1B}[0m\u{1B}[2J", to: &bytes)
      old = Array(repeating: [], count: frame.lines.count)
    } else {
      scroll(&old, towards: frame.lines, &bytes)
    }
    for (row, line) in frame.lines.enumerated() where line != old[row] {
      append("\u{1B}[\(row + 1);1H", to: &bytes)
      bytes.append(contentsOf: line)
      append("\u{1B}[0m\u{1B}[K", to: &bytes)
    }
    if let cursor = frame.cursor {
      append("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h", to: &bytes)
    }
    shown = frame
    return bytes
  }

  /// Scrolls the lines that stay together, where that leaves fewer to be written.
  private func scroll(_ old: inout [[UInt8]], towards new: [[UInt8]], _ bytes: inout [UInt8]) {
    let unmoved = new.indices.count { new[$0] == old[$0] }
    for shift in [1, -1, 3, -3] where new.count > abs(shift) + 1 {
      // The last line is the footer, which stays.
      let height = new.count - 1
      let kept = (0..<height).filter {
        (0..<height).contains($0 + shift) && new[$0] == old[$0 + shift]
      }
      guard kept.count > unmoved + 2 else { continue }
      append("\u{1B}[0m\u{1B}[1;\(height)r", to: &bytes)
      append("\u{1B}[\(abs(shift))\(shift > 0 ? "S" : "T")\u{1B}[r", to: &bytes)
      let moved = old
      for row in 0..<height {
        old[row] = (0..<height).contains(row + shift) ? moved[row + shift] : []
      }
      return
    }
  }

  private func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: text.utf8)
  }
}
