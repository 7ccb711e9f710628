import TextRules

/// As much of a terminal as `ScreenUpdate` speaks to: what it shows, cell by cell.
package struct EmulatedScreen: Equatable {
  private let columns: Int
  private var cells: [[String]]
  package private(set) var row = 0
  package private(set) var column = 0
  package private(set) var isCursorShown = true
  /// Columns for a cluster; `nil` for those of `DisplayWidth`.
  package var width: (@Sendable (Character) -> Int)?
  /// Lines that were written beyond the last column.
  package private(set) var overruns = 0
  private var scrolled: ClosedRange<Int>

  package init(columns: Int, rows: Int) {
    self.columns = columns
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    scrolled = 0...max(rows - 1, 0)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.cells == right.cells && left.isCursorShown == right.isCursorShown
  }

  package var lines: [String] {
    cells.map { cells in
      var text = cells.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  package mutating func take(_ bytes: [UInt8]) {
    var rest = Substring(String(decoding: bytes, as: UTF8.self))
    while let character = rest.popFirst() {
      if character == "\u{1B}" { sequence(&rest) } else { show(character) }
    }
  }

  private mutating func show(_ character: Character) {
    let count = width?(character) ?? DisplayWidth.columns(of: character)
    guard count > 0 else {
      // Isolates and the like take no column.
      return
    }
    guard column + count <= columns else {
      overruns += 1
      return
    }
    cells[row][column] = String(character)
    for further in 1..<max(count, 1) { cells[row][column + further] = "" }
    column += count
  }

  private mutating func sequence(_ rest: inout Substring) {
    guard rest.popFirst() == "[" else { return }
    let parameters = rest.prefix { "0123456789;?".contains($0) }
    rest.removeFirst(parameters.count)
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
    switch rest.popFirst() {
    case "H": (row, column) = (numbers[0] - 1, numbers[1] - 1)
    case "G": column = numbers[0] - 1
    case "K": for place in column..<columns { cells[row][place] = " " }
    case "J": for line in cells.indices { cells[line] = blank }
    case "r" where parameters.isEmpty: scrolled = 0...(cells.count - 1)
    case "r": scrolled = (numbers[0] - 1)...(numbers[1] - 1)
    case "S": scroll(by: numbers[0])
    case "T": scroll(by: -numbers[0])
    case "h" where parameters == "?25": isCursorShown = true
    case "l" where parameters == "?25": isCursorShown = false
    case "m": break
    case let other: fatalError("\(parameters)\(other ?? " ") is not spoken here")
    }
  }

  private var blank: [String] { Array(repeating: " ", count: columns) }

  private mutating func scroll(by count: Int) {
    let old = cells
    for line in scrolled {
      cells[line] = scrolled.contains(line + count) ? old[line + count] : blank
    }
  }
}
