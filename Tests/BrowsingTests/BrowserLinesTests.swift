import BrowserModel
import DirectoryModel
import DirectoryReading
import DirectoryTestSupport
import Seeds
import Terminal
import TestSupport
import Testing

@testable import Browsing

@Suite("The browser as lines")
struct BrowserLinesTests {
  /// The screen, whose last line is left out where it has only hints.
  private func screen(_ front: Front) throws -> (rows: [String], footer: String?) {
    let lines = try front.lines()
    let profile = TerminalProfile(isTerminal: true, columns: 80, rows: 24, canRedraw: true)
    return (lines.dropLast(), BrowserFooter(front.state, profile).isHint ? nil : lines.last)
  }

  @Test func `every key that shows something says something`() throws {
    let keys: [Key] = [
      .up, .down, .left, .right, .enter, .tab, .escape, .home, .end, .backspace, "i", "p", "=", "-",
      "/", "n", "N", "y", "e", "?", "1", "2", "3", "a", "z", "*", " ", "g", "G",
    ]
    var generator = SeededGenerator(seed: 28)
    for _ in 0..<rounds(5, thorough: 20) {
      var front = try Front(
        Company.lumen().directory(),
        expanded: [DepartmentID("root")],
        columns: 100,
        rows: 200,
        purpose: .browse
      )
      var reader = BrowserLines(
        TerminalProfile(isTerminal: true, columns: 100, rows: 200, colour: true, canRedraw: true)
      )
      #expect(try !reader.next(front.state).isEmpty)
      for _ in 0..<200 {
        let before = try screen(front)
        let key = keys[Int.random(in: keys.indices, using: &generator)]
        try front.press(key)
        let after = try screen(front)
        let said = try reader.next(front.state)
        let isSame = before.rows == after.rows && [nil, before.footer].contains(after.footer)
        #expect(isSame || !said.isEmpty, "\(key): \(before.footer ?? "") \(after)")
        #expect(said.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\n") }, "\(said)")
        if front.state.isHelpShown {
          front.state.leaveHelp()
          _ = try reader.next(front.state)
        }
      }
    }
  }

  /// Whether a key, after some others, says something or has something done that says it.
  private func isHeard(_ key: Key, after others: [Key]) throws -> Bool {
    var front = try Front(Company.lumen().directory(), expanded: [DepartmentID("root")])
    var reader = BrowserLines(TerminalProfile(isTerminal: true, columns: 80, canRedraw: true))
    for key in others { try front.press(key) }
    _ = try reader.next(front.state)
    front.asked = []
    try front.press(key)
    let asked = front.asked.contains { effect in
      switch effect {
      case .search, .cancelSearch, .card: false
      default: true
      }
    }
    return try asked || !reader.next(front.state).isEmpty
  }

  @Test func `a chooser says its keys until something is typed`() throws {
    var front = try Front(Company.lumen().directory(), purpose: .pick)
    var reader = BrowserLines(front.profile)
    _ = front.state.beginSearch(for: "")
    #expect(
      try reader.next(front.state).first
        == "Search:    Enter: choose  Tab: mark  Ctrl-k: keys  Esc: cancel"
    )
    try front.press("x")
    #expect(try reader.next(front.state).first?.hasPrefix("Search: x") == true)
  }

  @Test func `no key of the list is silent`() throws {
    let situations: [[Key]] = [
      [], [.down], ["="], ["=", .end], ["/", "o", .enter], ["/", "o", .enter, "G"], [.down, .tab],
    ]
    let keys = KeyBindings()
    for action in BrowserAction.allCases {
      for name in keys.names(of: action) {
        let key = try #require(Key(named: name))
        #expect(try situations.contains { try isHeard(key, after: $0) }, "\(name) (\(action))")
      }
    }
    for (level, before) in zip("123", "=--") {
      #expect(try isHeard(.character(level), after: [.character(before)]), "\(level)")
    }
  }

  @Test func `the card, the menu and the keys are said as the screen shows them`() throws {
    var front = try Front(
      Company.lumen().directory(),
      expanded: [DepartmentID("root"), DepartmentID("a")],
      columns: 100,
      rows: 40,
      purpose: .browse
    )
    var reader = BrowserLines(TerminalProfile(isTerminal: true, columns: 100, canRedraw: true))
    _ = try reader.next(front.state)
    try front.press(.down, .down, .down)
    #expect(try reader.next(front.state).last == "Bo Berg, Chief, level 3, leads")
    try front.press("i")
    let card = try reader.next(front.state)
    #expect(card.contains("Bo Berg") && card.contains { $0.hasPrefix("  Title:") }, "\(card)")
    try front.press("i", .down)
    #expect(try reader.next(front.state).contains { $0.contains("Atelier") || $0.contains("Id:") })
    try front.press("y")
    #expect(
      try reader.next(front.state) == ["Copy: e email  p phone  n name  t path  i id  v vCard"]
    )
    try front.press("?")
    try front.press("?")
    let help = try reader.next(front.state)
    for action in BrowserAction.allCases {
      #expect(help.contains { $0.hasSuffix(action.summary) }, "\(action)")
    }
  }

  @Test func `the help of a small screen has whole words`() throws {
    for columns in [40, 80] {
      let keys = KeyBindings()
      let lines = BrowserHelp(keys, .browse, columns: columns).lines
      #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
      let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
      for action in BrowserAction.allCases where !keys.names(of: action).isEmpty {
        #expect(words.contains(action.summary), "\(action)")
      }
    }
  }
}
