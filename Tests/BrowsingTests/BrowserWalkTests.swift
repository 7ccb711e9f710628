import DirectoryModel
import DirectoryReading
import DirectoryTestSupport
import Seeds
import Terminal
import TestSupport
import Testing

@testable import Browsing

/// How many keys a walk takes; `STAFFBOOK_TEST_KEYS` asks for more.
private let keyCount = environmentValue("STAFFBOOK_TEST_KEYS").flatMap { Int($0) } ?? 400

@Suite("A long walk through the tree")
struct BrowserWalkTests {
  /// A company of some size whose people come and go.
  private func company(_ generation: Int, using generator: inout SeededGenerator) throws -> Company
  {
    var company = Company()
    for index in 0..<40 {
      let parent = index == 0 ? nil : "d\(Int.random(in: 0..<index, using: &generator))"
      try company.department("d\(index)", under: parent, name: "D\(index) 部門\(generation)")
    }
    for index in 0..<120 where Int.random(in: 0..<8, using: &generator) > 0 {
      let home = "d\(Int.random(in: 0..<40, using: &generator))"
      try company.user("u\(index)", in: home, name: "👩‍💻 Ann\(index) שלום", title: "नमस्ते")
    }
    return company
  }

  private static let keys: [Key] = [
    .up, .down, .down, .left, .right, .right, .pageUp, .pageDown, .home, .end, .enter, .escape,
    .tab,
    .backspace, .character(" "), .character("*"), .character("="), .character("-"), .character("3"),
    .character("p"), .character("n"), .character("N"), .character("/"), .character("a"),
    .character("i"), .character("y"), .character("e"), .character("?"), .control("u"),
    .character("b"), .character("u"), .character("m"),
    .mouse(MouseEvent(.press, column: 3, row: 4)), .mouse(MouseEvent(.wheelUp, column: 3, row: 4)),
  ]

  /// What a terminal shows that is brought from frame to frame is what one shows that begins with the
  /// last; no line is too long; and the rows on the screen are those of the slow walk over the tree.
  @Test(arguments: newSeeds(6), [(80, 24), (40, 10), (200, 60), (20, 5)])
  func `leaves the screen as a fresh start would draw it`(seed: UInt64, size: (Int, Int)) throws {
    var generator = SeededGenerator(seed: seed)
    var front = try Front(
      company(0, using: &generator).directory(),
      columns: size.0,
      rows: size.1,
      colour: true
    )
    var update = ScreenUpdate()
    var screen = EmulatedScreen(columns: size.0, rows: size.1)
    for step in 1...keyCount {
      if step % 100 == 0 {
        try front.take(front.state.follow(to: company(step, using: &generator).directory()))
      }
      try front.press(Self.keys.randomElement(using: &generator) ?? .down)
      let frame = try front.frame()
      #expect(frame.lines.count == size.1)
      screen.take(update.bytes(showing: frame))
      var fresh = EmulatedScreen(columns: size.0, rows: size.1)
      var first = ScreenUpdate()
      fresh.take(first.bytes(showing: frame))
      #expect(screen == fresh && screen.overruns == 0, "seed \(seed), step \(step)")
      try checkRows(front, seed, step)
    }
  }

  private func checkRows(_ front: Front, _ seed: UInt64, _ step: Int) throws {
    let state = front.state
    let rows = state.outline.rowCount
    #expect((state.selected == nil) == (rows == 0), "seed \(seed), step \(step)")
    guard let row = state.selectedRow else { return }
    #expect(row >= state.top && row < state.top + max(state.layout.treeRows, 1), "\(seed) \(step)")
    guard state.search == nil else { return }
    var request = TreeRequest(opening: .view(try state.outline.view))
    request.withDetails = false
    var nodes: [Int] = []
    try state.outline.directory.forEachRow(of: request) { nodes.append($0.place.node) }
    #expect(nodes == (0..<rows).map(state.outline.node(atRow:)), "seed \(seed), step \(step)")
  }
}
