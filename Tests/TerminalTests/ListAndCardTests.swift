import Testing

@testable import Terminal

private func list(_ rows: [[String]], _ profile: TerminalProfile) -> [String] {
  var painter = TablePainter.people(profile)
  var text: [UInt8] = []
  for row in rows { painter.append(row, to: &text) }
  painter.finish(to: &text)
  return lines(text)
}

private let people = [
  ["Ada Lund", "Head of storage", "Northwind / Storage", "ada@north.example", "+1 555 0100"],
  ["王小明", "", "Northwind / 研究", "wang@north.example", ""],
  ["Jörg", "Baker", "Northwind", "", "+1 555 0101"],
]

@Suite("Drawing a list")
struct TablePainterTests {
  @Test func `columns are aligned whatever the script`() {
    #expect(
      list(people, TerminalProfile()) == [
        "Ada Lund  Head of storage  Northwind / Storage  ada@north.example   +1 555 0100",
        "王小明                     Northwind / 研究     wang@north.example",
        "Jörg      Baker            Northwind                                +1 555 0101",
      ]
    )
  }

  @Test func `a column in which nothing stands takes no room`() {
    let rows = [["Ada", "", "Northwind", "", ""], ["Jörg", "", "Northwind", "", ""]]
    #expect(list(rows, TerminalProfile()) == ["Ada   Northwind", "Jörg  Northwind"])
  }

  @Test func `lines fit the terminal, the path keeps its end`() {
    let long = [
      "Ada Lund of the North", "Head of storage and of everything else",
      "Northwind / Engineering / Platform / Storage", "ada.lund@northwind.example", "+1 555 0100",
    ]
    for columns in [20, 40, 60, 80, 100, 120] {
      let profile = TerminalProfile(isTerminal: true, columns: columns, rows: 24)
      for line in list(people + [long], profile) {
        #expect(columnCount(of: line) <= columns, "\(columns): \(line)")
      }
    }
    let drawn = list([long], TerminalProfile(isTerminal: true, columns: 100, rows: 24))
    #expect(drawn[0].contains("…") && drawn[0].contains("/ Storage"))
    #expect(drawn[0].hasSuffix("+1 555 0100"))
  }

  @Test func `rows after the sample are drawn as they come, and whole off a terminal`() {
    var painter = TablePainter.people(TerminalProfile())
    var text: [UInt8] = []
    for index in 0..<1_000 {
      #expect(text.isEmpty)
      painter.append(["P\(index)", "", "", "", ""], to: &text)
    }
    #expect(lines(text).count == 1_000)
    painter.append(["A very long name", "", "", "a@b.example", ""], to: &text)
    painter.finish(to: &text)
    #expect(lines(text)[1_000].hasPrefix("A very long name "))
    #expect(lines(text)[1_000].hasSuffix("a@b.example"))
  }

  @Test func `titles stand above when there are any`() {
    var painter = TablePainter(
      [.init(title: "NAME"), .init(title: "MAIL")],
      TerminalProfile()
    )
    var text: [UInt8] = []
    painter.append(["Ada", "a@b.example"], to: &text)
    painter.finish(to: &text)
    #expect(lines(text) == ["NAME  MAIL", "Ada   a@b.example"])
  }

  @Test func `no rows, no lines`() {
    #expect(list([], TerminalProfile()) == [])
  }

  @Test func `hostile cells are harmless`() {
    let drawn = list([["a\tb\n", "\u{1B}[1m", "שרה", "", ""]], TerminalProfile())
    #expect(drawn == ["a␉b␊  ␛[1m  \u{2068}שרה\u{2069}"])
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
    #expect(drawn[1] == "  About:  keeps what others")
    #expect(drawn[2] == "          would lose")
  }

  @Test func `values cannot break out`() {
    #expect(card("a\nb", [.init("X", "c\u{2028}\u{1B}d")]) == ["a␊b", "  X:  c␤␛d"])
  }
}
