import TestSupport
import Testing

@testable import Terminal

private func list(_ rows: [ListedRow], _ profile: TerminalProfile = TerminalProfile()) -> [String] {
  var painter = ListPainter(profile)
  var text: [UInt8] = []
  for row in rows { painter.append(row, to: &text) }
  painter.finish(to: &text)
  return lines(text)
}

private func terminal(_ columns: Int, colour: Bool = false) -> TerminalProfile {
  TerminalProfile(isTerminal: true, columns: columns, rows: 24, colour: colour)
}

private let people = [
  ListedRow(
    name: "Ada Lund",
    title: "Head of storage",
    path: "Northwind/Storage",
    contacts: ["ada@north.example", "+1 555 0100"]
  ),
  ListedRow(name: "王小明", path: "Northwind/研究", contacts: ["wang@north.example", ""]),
  ListedRow(name: "Jörg", title: "Baker", path: "Northwind", contacts: ["", "+1 555 0101"]),
]

/// What makes lines long: many words, wide and combining characters, emoji, right to left.
private let crowd =
  people + [
    ListedRow(
      name: "Ada Lund of the North",
      title: "Head of storage and of everything else",
      path: "Northwind/Engineering/Platform/Storage",
      contacts: ["ada.lund@northwind.example", "+1 555 0100"]
    ),
    ListedRow(
      name: "שרה כהן-לוי",
      title: "מנהלת המחקר והפיתוח של כל העולם",
      path: "Northwind/מחקר",
      contacts: ["שרה@north.example", "+972 3 555 0100"]
    ),
    ListedRow(
      name: "e\u{301}e\u{301}e\u{301} 👩‍🚀🇺🇳",
      title: String(repeating: "👩‍🚀", count: 40),
      path: String(repeating: "研", count: 60),
      contacts: ["rocket@north.example", "030-555-0102"]
    ),
  ]

@Suite("Drawing a list")
struct ListPainterTests {
  @Test func `columns are aligned whatever the script`() {
    #expect(
      list(people) == [
        "Ada Lund  Head of storage  Northwind/Storage  ada@north.example   +1 555 0100",
        "王小明                     Northwind/研究     wang@north.example",
        "Jörg      Baker            Northwind                              +1 555 0101",
      ]
    )
    #expect(list(people, terminal(80)) == list(people))
  }

  @Test func `a column in which nothing stands takes no room`() {
    let rows = [
      ListedRow(name: "Ada", path: "Northwind"), ListedRow(name: "Jörg", path: "Northwind"),
    ]
    #expect(list(rows) == ["Ada   Northwind", "Jörg  Northwind"])
  }

  @Test(arguments: [20, 21, 40, 59, 60, 61, 72, 80, 100, 132, 200])
  func `lines fit the terminal, and email and phone are never cut`(columns: Int) {
    let drawn = list(crowd, terminal(columns))
    for line in drawn { #expect(columnCount(of: line) <= columns, "\(columns): \(line)") }
    // Where one is too wide for a line of its own, it goes on in the next.
    let whole = columns < 60 ? drawn.map { String($0.drop { $0 == " " }) }.joined() : nil
    let isolates: Set<Unicode.Scalar> = ["\u{2068}", "\u{2069}"]
    for value in crowd.flatMap({ $0.contacts }) where !value.isEmpty {
      func holds(_ line: String) -> Bool {
        String(String.UnicodeScalarView(line.unicodeScalars.filter { !isolates.contains($0) }))
          .contains(value)
      }
      #expect(whole.map(holds) ?? drawn.contains(where: holds), "\(columns): \(value)")
    }
  }

  @Test func `title and path give way first`() {
    let drawn = list([crowd[3]], terminal(110))
    #expect(drawn.count == 1)
    #expect(drawn[at: 0]?.contains("…") == true && drawn[at: 0]?.contains("/Storage") == true)
    #expect(drawn[at: 0]?.hasSuffix("ada.lund@northwind.example  +1 555 0100") == true)
  }

  @Test func `then each person takes two lines, aligned`() {
    #expect(
      list([crowd[3], people[0], people[1], people[2]], terminal(72)) == [
        "Ada Lund of the North  Head of storage and of…   …ering/Platform/Storage",
        "  ada.lund@northwind.example  +1 555 0100",
        "Ada Lund               Head of storage           Northwind/Storage",
        "  ada@north.example           +1 555 0100",
        "王小明                                           Northwind/研究",
        "  wang@north.example",
        "Jörg                   Baker                     Northwind",
        "                              +1 555 0101",
      ]
    )
  }

  @Test func `and a card where there is little room`() {
    #expect(
      list([people[0], people[1]], terminal(20)) == [
        "Ada Lund", "  Head of storage", "  Northwind/Storage", "  ada@north.example",
        "  +1 555 0100", "王小明", "  Northwind/研究", "  wang@north.example",
      ]
    )
    #expect(
      list([crowd[3]], terminal(20)) == [
        "Ada Lund of the", "North", "  Head of storage", "  and of everything", "  e…",
        "  …thwind/Engineerin", "  g/Platform/Storage", "  ada.lund@northwind", "  .example",
        "  +1 555 0100",
      ]
    )
  }

  @Test(arguments: [80, 132, 200])
  func `one very long value leaves the others where they are`(columns: Int) {
    var long = people[0]
    long.title = String(repeating: "long ", count: 180)
    let titled = list(people + [long], terminal(columns))
    #expect(titled[at: 0]?.hasSuffix("ada@north.example   +1 555 0100") == true)
    #expect(titled.last?.hasSuffix("ada@north.example   +1 555 0100") == true)
    #expect(titled[at: 0]?.contains("Head of storage") == true)
    long = people[0]
    long.contacts[0] = String(repeating: "a", count: 300) + "@north.example"
    let addressed = list(people + [long], terminal(columns))
    #expect(addressed.prefix(3) == list(people, terminal(columns))[...])
    #expect(addressed[at: 3] == "Ada Lund  Head of storage  Northwind/Storage")
    #expect(addressed.dropFirst(4).map { $0.drop { $0 == " " } }.joined() == long.contacts.joined())
  }

  @Test func `rows after the sample are drawn as they come, and whole off a terminal`() {
    for profile in [TerminalProfile(), terminal(80)] {
      var painter = ListPainter(profile)
      var text: [UInt8] = []
      for index in 0..<1_000 {
        #expect(text.isEmpty)
        painter.append(
          ListedRow(name: "Person \(index)", contacts: ["p@x.example", ""]),
          to: &text
        )
      }
      #expect(lines(text).count == 1_000)
      painter.append(
        ListedRow(
          name: "A name",
          title: "A title",
          contacts: ["longer@x.example", "+1 555 0100"]
        ),
        to: &text
      )
      painter.finish(to: &text)
      let last = lines(text).dropFirst(1_000).joined(separator: "\n")
      #expect(last.hasPrefix("A name") && last.contains("A title"))
      #expect(last.contains("longer@x.example") && last.hasSuffix("+1 555 0100"))
      #expect(lines(text).count == (profile.columns == nil ? 1_001 : 1_002))
    }
  }

  @Test func `notes stand below their row and do not spoil the columns`() {
    var rows = Array(people.prefix(2))
    rows[0].notes = ["ada: whole word, name: Ada Lund"]
    #expect(
      list(rows) == [
        "Ada Lund  Head of storage  Northwind/Storage  ada@north.example   +1 555 0100",
        "    ada: whole word, name: Ada Lund",
        "王小明                     Northwind/研究     wang@north.example",
      ]
    )
  }

  @Test func `no rows, no lines`() {
    #expect(list([]) == [])
    #expect(list([], terminal(40)) == [])
  }

  @Test func `hostile cells are harmless`() {
    let hostile = ListedRow(name: "a\tb\n", title: "\u{1B}[1m", path: "שרה")
    #expect(list([hostile]) == ["a␉b␊  ␛[1m  \u{2068}שרה\u{2069}"])
    #expect(list([hostile], terminal(20)) == ["a␉b␊  ␛[1m  \u{2068}שרה\u{2069}"])
  }

  @Test func `what was found stays set off where the name is cut or broken`() {
    var row = ListedRow(
      name: "Łukasz of the very long name that goes on and on",
      contacts: ["l@x.example", ""]
    )
    row.highlights = [0..<7, row.name.utf8.count - 2..<row.name.utf8.count]
    let found = "\u{1B}[1;4m"
    let cut = list([row, people[0]], terminal(72, colour: true))
    #expect(cut[at: 0]?.hasPrefix(found + "Łukasz\u{1B}[0m\u{1B}[1m of the") == true, "\(cut)")
    #expect(cut[at: 0]?.contains("…") == true)
    let card = list([row], terminal(20, colour: true))
    #expect(card[at: 0] == found + "Łukasz\u{1B}[0m\u{1B}[1m of the very\u{1B}[0m")
    #expect(card[at: 2] == "\u{1B}[1mon and \u{1B}[0m\(found)on\u{1B}[0m", "\(card)")
  }
}

@Suite("Drawing a card")
struct CardPainterTests {
  private func card(
    _ heading: String,
    _ fields: [CardPainter.Field],
    _ profile: TerminalProfile = .init()
  ) -> [String] {
    var text: [UInt8] = []
    CardPainter(profile).append(heading: heading, fields, to: &text)
    return lines(text)
  }

  @Test func `labels are aligned, several values stand below each other`() {
    #expect(
      card(
        "Ada Lund",
        [
          .init("Title", "Head of storage"),
          .init("Department", ["Northwind / Storage", "Safety"]),
          .init("Phone", nil), .init("E-mail", ""),
        ]
      ) == [
        "Ada Lund", "  Title:       Head of storage", "  Department:  Northwind / Storage",
        "               Safety",
      ]
    )
  }

  @Test func `long values go on in the next line`() {
    let profile = TerminalProfile(isTerminal: true, columns: 30, rows: 24)
    let drawn = card(
      "Storage",
      [.init("About", "keeps what others would lose 研究研究研究研究研究研究研究研究研究研究研究")],
      profile
    )
    #expect(drawn.count > 3)
    for line in drawn { #expect(columnCount(of: line) <= 30, "\(line)") }
    #expect(drawn[at: 1] == "  About:  keeps what others")
    #expect(drawn[at: 2] == "          would lose")
  }

  @Test func `where labels leave no room, values stand below them`() {
    let profile = TerminalProfile(isTerminal: true, columns: 20, rows: 24)
    #expect(
      card("Ada", [.init("Departments", ["Northwind", "Safety"]), .init("Id", "u1")], profile) == [
        "Ada", "  Departments:", "    Northwind", "    Safety", "  Id:", "    u1",
      ]
    )
  }

  @Test func `values cannot break out`() {
    #expect(card("a\nb", [.init("X", "c\u{2028}\u{1B}d")]) == ["a␊b", "  X:  c␤␛d"])
  }
}
