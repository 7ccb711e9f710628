import Browsing
import DirectoryModel
import DirectoryReading
import DirectoryTestSupport
import Seeds
import Terminal

/// Where a walk went wrong; the same seed and size go the same way.
package struct WalkFailure: Error, CustomStringConvertible {
  let seed: UInt64
  let size: ScreenSize
  let step: Int
  let key: Key?
  let what: String

  package var description: String {
    "seed \(seed), \(size.columns)×\(size.rows), step \(step), "
      + (key.map { "\($0)" } ?? "the next directory") + ": \(what)"
  }
}

/// Random keys, answers that come late or in part, and new states of the directory, for a front and the slow
/// model beside it, compared after each.
///
/// What a terminal shows that is brought from frame to frame is also compared with one that begins with the last
/// frame.
package struct BrowserWalk {
  private let seed: UInt64
  private let size: ScreenSize
  private var random: SeededGenerator
  private var front: Front
  private var slow: SlowBrowser
  private var update = ScreenUpdate()
  private var screen: EmulatedScreen
  private var asked: String?
  /// When the first matches came.
  private var firstStep = -1
  private var generation = 0
  private var step = 0
  private var key: Key?
  /// How often what was looked for came in two parts.
  package private(set) var firstMatches = 0
  package private(set) var directories = 1

  package static let sizes = [(80, 24), (40, 10), (200, 60), (20, 5)]
    .map { ScreenSize(columns: $0.0, rows: $0.1) }

  package init(seed: UInt64, size: ScreenSize) throws {
    self.seed = seed
    self.size = size
    random = SeededGenerator(seed: seed)
    let directory = try Self.company(0, using: &random).directory()
    front = try Front(directory, columns: size.columns, rows: size.rows, colour: true)
    front.answers = false
    slow = SlowBrowser(try SlowTree(directory), size: size)
    screen = EmulatedScreen(columns: size.columns, rows: size.rows)
  }

  /// A company of some size whose people and departments come, move and go.
  private static func company(
    _ generation: Int,
    using random: inout SeededGenerator
  ) throws -> Company {
    var company = Company()
    let departments = Int.random(in: 1...30, using: &random)
    var there: [String] = []
    for index in 0..<departments where index == 0 || Int.random(in: 0..<10, using: &random) > 0 {
      let parent =
        Int.random(in: 0..<12, using: &random) == 0 ? nil : there.randomElement(using: &random)
      try company.department("d\(index)", under: parent, name: "D\(index) 部門\(generation % 100)")
      there.append("d\(index)")
    }
    for index in 0..<Int.random(in: 0...90, using: &random)
    where Int.random(in: 0..<8, using: &random) > 0 {
      let home = there.randomElement(using: &random) ?? "d0"
      try company.user("u\(index)", in: home, name: "👩‍💻 Ann\(index) שלום", title: "नमस्ते")
      let other = there.randomElement(using: &random) ?? home
      if other != home { try company.member("u\(index)", of: other, title: "Ⅻ Adviser \(index)") }
    }
    return company
  }

  private static let keys: [Key] =
    [
      .up, .down, .down, .down, .left, .right, .right, .pageUp, .pageDown, .home, .end, .enter,
      .escape, .tab, .backspace, .control("u"),
      .mouse(MouseEvent(.press, column: 3, row: 4)),
      .mouse(MouseEvent(.press, column: 5, row: 1)),
      .mouse(MouseEvent(.wheelUp, column: 3, row: 4)),
      .mouse(MouseEvent(.wheelDown, column: 3, row: 4)),
    ] + " *=-3249pnN/aaann1d門iyebum?".map { .character($0) }

  /// Takes so many keys.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - screens: Each so-manieth screen is compared with one that is drawn from the start.
  /// - Throws: `WalkFailure`, or that the snapshot is damaged.
  package mutating func run(keys count: Int, comparing screens: Int = 1) throws {
    for _ in 0..<count {
      step += 1
      if Int.random(in: 0..<150, using: &random) == 0 { try follow() }
      let key = Self.keys.randomElement(using: &random) ?? .down
      self.key = key
      let directory = front.state.outline.directory
      slow.targeted = { (try? directory.node(of: $0))?.position }
      slow.press(key)
      try take(front.state.handle(key))
      try check()
      if Int.random(in: 0..<3, using: &random) == 0 { try answer() }
      try draw(comparing: step % screens == 0)
    }
  }

  // MARK: What is done beside the keys

  private mutating func take(_ effects: [BrowserEffect]) throws {
    for effect in effects {
      switch effect {
      case .search(let query): asked = query
      case .cancelSearch: asked = nil
      case .card(let node):
        front.state.show(try BrowserCard(of: node, in: front.state.outline.directory))
      default: break
      }
    }
  }

  private mutating func answer() throws {
    guard let query = asked else { return }
    let directory = front.state.outline.directory
    let best = try directory.searcher().best(for: query)
    if let best, !slow.hasBegun, Bool.random(using: &random),
      let few = try directory.matches(around: best, for: query, rows: size.rows)
    {
      firstMatches += 1
      firstStep = step
      try found(few, best)
      if Bool.random(using: &random) { return }
    }
    let before = slow.hasBegun ? try lines() : nil
    let isUntouched = firstStep == step
    asked = nil
    let all = try directory.matches(for: query)
    let shown = try best.flatMap { node in
      try directory.places(of: node).first { all.contains($0) }
    }
    try found(all, best.map(all.contains) == true ? best : shown)
    guard isUntouched, let before, try lines() != before else { return }
    throw failure("the screen is another when all matches are known")
  }

  private mutating func found(_ matches: DirectoryOutline.Matches, _ best: Node?) throws {
    slow.found(matches, best: best)
    try take(front.state.found(matches, best: best))
    try check()
  }

  /// The lines of the screen but the last.
  private func lines() throws -> [[UInt8]] { try front.frame().lines.dropLast() }

  private mutating func follow() throws {
    generation += 1
    directories += 1
    key = nil
    let next = try Self.company(generation, using: &random).directory()
    let matches = try front.state.outline.filter.map { try next.matches(for: $0).positions }
    slow.follow(try SlowTree(next), matches: matches)
    try take(front.state.follow(to: next))
    try check()
  }

  // MARK: Checks

  private func failure(_ what: String) -> WalkFailure {
    WalkFailure(seed: seed, size: size, step: step, key: key, what: what)
  }

  private func check() throws {
    let state = front.state
    guard state.query == slow.query else { throw failure("query \(state.query ?? "none")") }
    let rows = slow.list.visibleNodes
    guard state.outline.rowCount == rows.count else {
      throw failure("\(state.outline.rowCount) rows, not \(rows.count)")
    }
    guard state.selected?.position == slow.selected, state.top == slow.top else {
      throw failure(
        "selected \(state.selected?.position ?? -1) from \(state.top), "
          + "not \(slow.selected ?? -1) from \(slow.top)"
      )
    }
    guard Set(state.marked.map(\.position)) == slow.marked, state.isCardShown == slow.isCardShown
    else {
      throw failure("other marks, or another card")
    }
    if slow.isCardShown, state.card?.node.position != slow.selected {
      throw failure("card of another row")
    }
    // Of all rows now and then, otherwise those of the screen.
    let all = step % 50 == 0
    let first = all ? 0 : min(slow.top, rows.count)
    for row in first..<(all ? rows.count : min(first + slow.treeRows, rows.count)) {
      let place = state.outline.place(atRow: row)
      let expected = slow.list.row(at: rows[row], among: rows)
      let found = SlowList.Row(
        node: place.node,
        isLastSibling: place.isLastSibling,
        disclosure: place.disclosure,
        isMatch: place.isMatch
      )
      guard found == expected else { throw failure("row \(row) is \(found), not \(expected)") }
    }
  }

  private mutating func draw(comparing: Bool) throws {
    let frame = try front.frame()
    guard frame.lines.count == size.rows else { throw failure("\(frame.lines.count) lines") }
    screen.take(update.bytes(showing: frame))
    guard screen.overruns == 0 else { throw failure("a line is too long") }
    guard comparing else { return }
    var fresh = EmulatedScreen(columns: size.columns, rows: size.rows)
    var first = ScreenUpdate()
    fresh.take(first.bytes(showing: frame))
    guard screen == fresh else { throw failure("the screen is not as a fresh start draws it") }
  }
}
