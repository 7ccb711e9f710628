import BrowserModel
import DirectoryModel
import DirectoryReading
import DirectoryTestSupport
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import Browsing

@Suite("Browsing")
struct BrowserStateTests {
  private func front(
    expanded: [String] = ["root"],
    columns: Int = 60,
    rows: Int = 12,
    purpose: BrowserState.Purpose = .browse
  ) throws -> Front {
    try Front(
      Company.lumen().directory(),
      expanded: Set(expanded.map { DepartmentID($0) }),
      columns: columns,
      rows: rows,
      purpose: purpose
    )
  }

  @Test func `shows the tree as it was left, and the first row selected`() throws {
    #expect(
      try front().lines().prefix(6) == [
        "› ▾ Lumen (4)", "  ├─ ▸ Atelier (2)", "  ├─ ▸ Bureau (2)", "  └─ Cy Aşk", "", "",
      ]
    )
  }

  @Test func `right expands, then enters; left collapses, then leaves`() throws {
    var front = try front()
    try front.press(.down, .right)
    #expect(
      try front.lines().dropFirst().prefix(3) == [
        "› ├─ ▾ Atelier (2)", "  │  ├─ ▸ Lamps (1)", "  │  └─ Bo Berg · ★ Chief",
      ]
    )
    try front.press(.right)
    #expect(try front.selectedID == "a1")
    try front.press(.left)
    #expect(try front.selectedID == "a")
    try front.press(.left)
    #expect(try front.lines()[at: 1] == "› ├─ ▸ Atelier (2)")
    try front.press(.left)
    #expect(try front.selectedID == "root")
    try front.press(.left)
    #expect(try front.selectedID == "root")
  }

  @Test func `the keys of vi do what the arrows do`() throws {
    var (arrows, letters) = (try front(), try front())
    try arrows.press(.down, .right, .down, .up, .end, .home)
    try letters.press("j", "l", "j", "k", "G", "g")
    #expect(try arrows.lines() == letters.lines())
  }

  @Test func `an empty department opens nothing`() throws {
    var front = try front(expanded: ["root", "b"])
    try front.press(.down, .down, .down, .right)
    #expect(try front.selectedID == "e")
    try front.press(.enter)
    #expect(try front.lines()[at: 3] == "› │  ├─ ▹ Empty (0)")
  }

  @Test func `digits open so many levels, and the signs all or nothing`() throws {
    var front = try front(expanded: [])
    try front.press("2")
    #expect(
      try front.lines().prefix(4).map { $0.dropFirst(2) } == [
        "▾ Lumen (4)", "├─ ▸ Atelier (2)", "├─ ▸ Bureau (2)", "└─ Cy Aşk",
      ]
    )
    try front.press("=")
    #expect(front.state.outline.rowCount == 10)
    try front.press("-")
    #expect(front.state.outline.rowCount == 1)
    try front.press("*")
    #expect(front.state.outline.rowCount == 10)
  }

  @Test func `the selected row stays on the screen, however few rows there are`() throws {
    for rows in [1, 2, 5, 8] {
      var front = try front(expanded: [], rows: rows)
      try front.press("=")
      for key in [Key.end, .home, .pageDown, .pageDown, .pageUp, .down, .down, .end] {
        try front.press(key)
        let row = try #require(front.state.selectedRow)
        #expect(row >= front.state.top && row < front.state.top + max(rows - 1, 1))
        #expect(try front.frame().lines.count == rows)
      }
    }
  }

  @Test func `search shows matches as they are typed, and Esc gives all back`() throws {
    var front = try front()
    try front.press(.end)
    let before = try front.lines()
    try front.press("/")
    try front.type("ann")
    #expect(
      try front.lines() == [
        "  ▾ Lumen (4)", "  ├─ ▾ Atelier (2)", "  │  └─ ▾ Lamps (1)",
        "› │     └─ Ann Ash · Lamp maker", "  └─ ▾ Bureau (2)", "     └─ Ann Ash · Adviser", "", "",
        "", "", "", "/ann   2 matches",
      ]
    )
    try front.press(.enter, "n")
    #expect(front.state.selectedRow == 5)
    try front.press("n")
    #expect(try front.lines().last == "There is no match below.")
    try front.press("N")
    #expect(front.state.selectedRow == 3)
    try front.press(.escape)
    #expect(try front.lines() == before)
  }

  @Test func `a query without matches says so, and a shorter one goes on`() throws {
    var front = try front()
    try front.press("/")
    try front.type("qqq")
    #expect(try front.lines().first == "  Nothing matches.")
    #expect(try front.lines().last == "/qqq   0 matches")
    try front.press(.backspace, .backspace, .backspace)
    #expect(front.state.outline.filter == nil)
    try front.press(.backspace)
    #expect(front.state.query == nil)
  }

  @Test func `matches of a query that is no longer typed are passed over`() throws {
    var front = try front()
    front.answers = false
    try front.press("/")
    try front.type("an")
    let late = try front.state.outline.directory.matches(for: "a")
    #expect(front.state.found(late, best: nil).isEmpty)
    #expect(front.state.outline.filter == nil)
  }

  @Test
  func `keys are taken and drawn while matches are looked for, the first of which come before all`()
    throws
  {
    var front = try front(expanded: [], rows: 6)
    front.answers = false
    try front.press("/")
    try front.type("a")
    #expect(try front.lines().first == "› ▸ Lumen (4)")
    #expect(try front.lines().last == "/a")
    let directory = front.state.outline.directory
    let best = try #require(try directory.searcher().best(for: "a"))
    let all = try directory.matches(for: "a")
    let few = try #require(try directory.matches(around: best, for: "a", rows: 1))
    #expect(few.positions.count < all.positions.count && !few.isAll)
    #expect(front.state.found(few, best: best).isEmpty)
    #expect(front.state.selected == best)
    #expect(try front.lines().last == "/a")
    // Who goes on meanwhile is not taken back.
    try front.press(.up)
    let selected = front.state.selected
    let offset = front.state.selectedRow.map { $0 - front.state.top }
    #expect(front.state.found(all, best: best).isEmpty)
    #expect(front.state.selected == selected)
    #expect(front.state.selectedRow.map { $0 - front.state.top } == offset)
    #expect(try front.lines().last == "/a   \(all.positions.count) matches")
    // First ones that come late change nothing.
    #expect(front.state.found(few, best: best).isEmpty)
    #expect(front.state.outline.matchCount == all.positions.count)
  }

  @Test func `a chooser takes what a query finds, also when Enter comes before it is found`() throws
  {
    var front = try front(purpose: .pick)
    front.answers = false
    try front.take(front.state.beginSearch(for: "cy"))
    try front.press(.enter)
    #expect(front.asked == [.search("cy")])
    let directory = front.state.outline.directory
    let cy = try #require(try directory.searcher().best(for: "cy"))
    let effects = front.state.found(try directory.matches(for: "cy"), best: cy)
    #expect(effects == [.choose([cy])])
    // Nothing is chosen where nothing is found.
    try front.type("zz")
    try front.press(.enter)
    #expect(front.state.found(try directory.matches(for: "cyzz"), best: nil).isEmpty)
    #expect(front.asked.last == .search("cyzz"))
    try front.press(.enter)
    #expect(front.asked.last == .search("cyzz"))
  }

  @Test func `a link is followed out of a search that hides where it leads`() throws {
    var front = try front(columns: 140)
    try front.press("/")
    try front.type("lamp maker")
    try front.press(.enter, "i", "i")
    #expect(try front.selectedID == "ann")
    // The other of her departments.
    try front.press(.down, .enter)
    #expect(try front.selectedID == "b")
    #expect(front.state.query == nil && front.asked.contains(.cancelSearch))
    try front.press(.backspace)
    #expect(try front.selectedID == "ann")
  }

  @Test func `a card is of the row that is selected, also when it was collapsed away`() throws {
    var front = try front(expanded: ["root", "a", "a1"], columns: 140)
    try front.press(.down, .down, .down, .enter)
    #expect(try front.lines()[at: 0]?.hasSuffix("│ Ann Ash") == true)
    try front.press("-")
    #expect(try front.lines()[at: 0]?.hasSuffix("│ Lumen") == true)
  }

  @Test func `a card is read beside the tree, and its lines lead on and back`() throws {
    var front = try front(expanded: ["root", "a"], columns: 140)
    try front.press(.down, .down, .down, .enter)
    let lines = try front.lines()
    #expect(lines[at: 0]?.hasSuffix("│ Bo Berg") == true)
    #expect(lines[at: 1]?.hasSuffix("│   Title:        Chief") == true)
    #expect(lines[at: 2]?.hasSuffix("│   Departments:  Lumen/Atelier (leads it)") == true)
    try front.press(.enter, .enter)
    #expect(try front.selectedID == "a")
    try front.press(.backspace)
    #expect(try front.selectedID == "bo")
  }

  @Test func `on a narrow screen the card is below`() throws {
    var front = try front(columns: 40, rows: 12)
    try front.press("i")
    let lines = try front.lines()
    #expect(lines[at: 6] == String(repeating: "─", count: 40))
    #expect(lines[at: 7] == "Lumen")
  }

  @Test func `marked rows are copied, mailed and chosen together`() throws {
    var front = try front(expanded: ["root", "a", "a1"])
    try front.press(.down, .down, .down, .tab)
    #expect(try front.lines()[at: 3] == " ✓│  │  └─ Ann Ash · Lamp maker")
    try front.press("y", "e")
    #expect(front.asked.last == .copy("ann@x.example"))
    try front.press("m")
    #expect(front.asked.last == .mail(["ann@x.example"]))
    try front.press("y", "v")
    guard case .copy(let card) = front.asked.last else {
      Issue.record("no vCard")
      return
    }
    #expect(card.hasPrefix("BEGIN:VCARD\r\n") && card.contains("Ann Ash"))
    try front.press("e", "x", ".", "c", "s", "v", .enter)
    #expect(
      front.asked.last == .run(["export", "--output=x.csv", "--only=id:ann", "--people"])
    )
    try front.press(.escape, .home, "y", "e")
    #expect(try front.lines().last == "There is no email to copy.")
  }

  @Test func `a saved place on the screen may be any number`() throws {
    var front = try front(expanded: ["root", "a", "a1"], rows: 4)
    try front.press(.down, .down)
    for offset in [Int.min, -1, 0, 1, Int.max] {
      front.state.scroll(toOffset: offset)
      #expect(try front.selectedID == "a1", "\(offset)")
      _ = try front.lines()
    }
  }

  @Test(
    arguments: [
      ("ann@x.example", "mailto:ann@x.example"),
      ("a.b-c_d~e+f@x.example", "mailto:a.b-c_d~e+f@x.example"),
      (
        "x?bcc=eve@evil.example&attach=/etc/passwd",
        "mailto:x%3Fbcc%3Deve@evil.example%26attach%3D%2Fetc%2Fpasswd"
      ),
      ("a@b?cc=c", "mailto:a@b%3Fcc%3Dc"), ("a%0Abcc:c@d", "mailto:a%250Abcc%3Ac@d"),
      ("a,b@c", "mailto:a%2Cb@c"), ("\"not@me\"@x.example", "mailto:%22not%40me%22@x.example"),
      ("jörg@münchen.example", "mailto:j%C3%B6rg@m%C3%BCnchen.example"),
      ("-opt@x", "mailto:-opt@x"), ("a b", "mailto:a%20b"), ("a\u{1B}[31m@x", nil),
      ("a\r\nBcc: b@c", nil), ("\u{7F}@x", nil), ("a\u{85}b@c", "mailto:a%C2%85b@c"), ("", nil),
    ] as [(String, String?)]
  )
  func `a link for mail holds an address and nothing else`(address: String, link: String?) {
    #expect(MailtoURL.uri(to: [address]) == link)
    let others = link.map { $0 + ",bo@x.example" } ?? "mailto:bo@x.example"
    #expect(MailtoURL.uri(to: [address, "bo@x.example"]) == others)
  }

  @Test func `a chooser hands over what is selected or marked`() throws {
    var front = try front(purpose: .pick)
    try front.take(front.state.beginSearch(for: "ann"))
    let ann = try #require(front.state.selected)
    try front.press(.enter)
    #expect(front.asked.last == .choose([ann]))
    try front.press(.tab, .tab, .enter)
    guard case .choose(let nodes) = front.asked.last else {
      Issue.record("nothing was chosen")
      return
    }
    #expect(nodes.count == 2)
  }

  @Test func `exports, edits and changes are commands of their own`() throws {
    var front = try front()
    try front.press(.down, "E")
    #expect(front.asked.last == .run(["edit", "id:a"]))
    try front.press("e")
    try front.type("-x.csv")
    #expect(try front.lines().last?.hasPrefix("Export to file: -x.csv") == true)
    try front.press(.enter)
    #expect(front.asked.last == .run(["export", "--output=-x.csv"]))
    try front.press("u", "r", .control("z"), "q")
    #expect(front.asked.suffix(4) == [.run(["log"]), .sync, .suspend, .quit])
  }

  @Test func `an export asks before it replaces a file`() throws {
    let folder = try ScratchFolder()
    try FileDescriptor.open(
      folder.path.appending("x.csv"),
      .writeOnly,
      options: .create,
      permissions: .ownerReadWrite
    ).close()
    var front = try front(columns: 200)
    for (key, isWritten) in [("n", false), ("y", true)] as [(Key, Bool)] {
      front.asked = []
      try front.press("e")
      try front.type("\(folder.path)/x.csv")
      try front.press(.enter)
      #expect(try front.lines().last == "File exists. Overwrite? [y/N]")
      #expect(front.asked.isEmpty)
      try front.press(key)
      let run = BrowserEffect.run(["export", "--output=\(folder.path)/x.csv", "--force"])
      #expect(front.asked == (isWritten ? [run] : []))
      #expect(try front.lines().last?.contains("Overwrite") == false)
    }
    try FileDescriptor.open(
      folder.path.appending("users.csv"),
      .writeOnly,
      options: .create,
      permissions: .ownerReadWrite
    ).close()
    try front.press("e")
    try front.type("\(folder.path)/")
    try front.press(.enter)
    #expect(try front.lines().last == "File exists. Overwrite? [y/N]")
  }

  @Test func `what can be copied is listed on as many lines as it needs`() throws {
    var front = try front(columns: 24, rows: 10)
    try front.press("y")
    #expect(
      try front.lines().suffix(3) == [
        "Copy: e email  p phone", "      n name  t path", "      i id  v vCard",
      ]
    )
    #expect(try front.lines().count == 10)
    try front.press(.escape)
    #expect(try !front.lines().contains { $0.contains("path") })
  }

  @Test func `a click selects, a second one opens, the wheel moves`() throws {
    var front = try front()
    func click(_ row: Int) -> Key { .mouse(MouseEvent(.press, column: 5, row: row)) }
    try front.press(click(1))
    #expect(try front.selectedID == "a")
    try front.press(click(1))
    #expect(front.state.outline.rowCount == 6)
    try front.press(click(50), .mouse(MouseEvent(.wheelDown, column: 0, row: 0)))
    #expect(front.state.selectedRow == 4)
  }

  @Test func `the next state of the directory keeps selection, marks and what is open`() throws {
    var front = try front(expanded: ["root", "a", "b"])
    try front.press(.end, .up, .tab)
    let marked = try front.state.marked.map { try front.state.outline.directory.card(at: $0).id }
    var company = try Company.lumen()
    try company.department("0", under: "root", name: "Aaa")
    try company.user("zed", in: "0")
    try front.take(front.state.follow(to: company.directory()))
    #expect(try front.selectedID == "cy")
    #expect(
      try front.state.marked.map { try front.state.outline.directory.card(at: $0).id } == marked
    )
    #expect(try front.lines()[at: 1] == "  ├─ ▸ Aaa (1)")
    // Who is selected goes: then the nearest row is.
    let smaller = try Company.lumen(withCy: false)
    try front.take(front.state.follow(to: smaller.directory()))
    #expect(try front.selectedID == "dina")
  }

  @Test func `a directory without anything is shown as such`() throws {
    var front = try Front(Company().directory())
    for action in BrowserAction.allCases where ![.help, .export].contains(action) {
      try front.take(front.state.perform(action))
      try front.press(.escape)
    }
    #expect(try front.lines().first?.hasPrefix("  The directory is empty.") == true)
  }

  @Test func `selection is never shown by colour alone, and names cannot act on the terminal`()
    throws
  {
    var company = Company()
    try company.department("x", name: "Evil\u{1B}[2J\u{202E}\r\nCorp")
    var front = try Front(company.directory(), colour: true)
    let text = String(decoding: try #require(front.frame().lines.first), as: UTF8.self)
    #expect(text.contains("›") && text.contains("\u{1B}[7m"))
    #expect(!text.contains("\u{1B}[2J") && !text.contains("\u{202E}") && !text.contains("\r"))
    try front.press("i")
    let card = try front.frame().lines.map { String(decoding: $0, as: UTF8.self) }.joined()
    #expect(!card.contains("\u{1B}[2J") && !card.contains("\u{202E}") && !card.contains("\r"))
    #expect(try !front.state.rowInWords().isEmpty)
  }

  @Test func `the help ends with its last line, and goes up from there at once`() throws {
    var front = try front(rows: 10)
    try front.press("?")
    let first = try front.lines()
    for _ in 0..<100 { try front.press(.pageDown) }
    try front.press(.end)
    #expect(try front.lines().dropLast().last?.hasSuffix("below it.") == true)
    try front.press(.up)
    #expect(try front.lines().dropLast().last?.contains("The people in the department") == true)
    try front.press(.home)
    #expect(try front.lines() == first)
  }

  @Test func `who set the values is asked of the selected record, and in its card of one value`()
    throws
  {
    var front = try front(expanded: ["root", "a"], columns: 120)
    try front.press(.down, "b")
    #expect(front.asked.last == .run(["blame", "id:a"]))
    try front.press(.down, .down, .enter, "i", "b")
    let bo = try #require(front.state.selected)
    // The department is the first that leads somewhere.
    let a = DepartmentID("a")
    let items: [Change.Item] = [.membership(a), .membershipValue(a, .leads)]
    #expect(front.asked.last == .blame(bo, items, line: 1))
    #expect(try front.lines()[at: 3]?.hasSuffix("│                 …") == true)
    front.state.noteWhoSet("transaction 7 by Ada\u{1B}[2J", of: bo, line: 1)
    #expect(
      try front.lines()[at: 3]?.hasSuffix("│                 transaction 7 by Ada␛[2J") == true
    )
    try front.press(.up, "b")
    #expect(front.asked.last == .blame(bo, [.membershipValue(a, .title)], line: 0))
    // The answer for another card is passed over; the id was set by no one.
    var place = TreePosition()
    place.node = bo.position + 1
    let other = front.state.outline.directory.node(at: place)
    front.state.noteWhoSet("late", of: other, line: 0)
    #expect(try !front.lines().joined().contains("late"))
    let asked = front.asked
    try front.press(.down, .pageDown, "b")
    #expect(front.asked == asked)
    #expect(try front.lines().last == "This is not a stored value; it is derived from others.")
  }

  @Test func `keys can be bound otherwise`() throws {
    var keys = KeyBindings()
    #expect(keys.bind(.down, to: ["x", "Ctrl-x", "PageDown"]) == nil)
    #expect(keys["x"] == .down && keys[.control("x")] == .down && keys[.pageDown] == .down)
    #expect(keys["j"] == nil && keys[.down] == nil)
    #expect(keys.bind(.up, to: ["k", "Hyper-x"]) == "Hyper-x")
    #expect(keys["k"] == .up)
    #expect(keys.names(of: .down) == ["x", "Ctrl-x", "PageDown"])
    for action in BrowserAction.allCases { #expect(!KeyBindings().names(of: action).isEmpty) }
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  public init(extendedGraphemeClusterLiteral value: Character) { self = .character(value) }
}
