import TestSupport
import Testing

@testable import Terminal

/// The company that the examples draw.
private let northwind: [TreeLine] = [
  TreeLine(level: 0, isLastSibling: true, symbol: .expanded, label: "Northwind", count: 212),
  TreeLine(level: 1, isLastSibling: false, symbol: .expanded, label: "Engineering", count: 97),
  TreeLine(level: 2, isLastSibling: false, symbol: .collapsed, label: "Storage", count: 12),
  TreeLine(
    level: 2,
    isLastSibling: true,
    symbol: .leaf,
    label: "Ada Lund",
    detail: "Head of storage"
  ),
  TreeLine(level: 1, isLastSibling: true, symbol: .expanded, label: "Sales", count: 1),
  TreeLine(level: 2, isLastSibling: false, symbol: .empty, label: "Vacant", count: 0),
  TreeLine(level: 2, isLastSibling: true, symbol: .leaf, label: "王小明"),
]

private func paint(_ rows: [TreeLine], _ profile: TerminalProfile) -> [String] {
  var painter = TreePainter(profile)
  var text: [UInt8] = []
  for row in rows { painter.append(row, to: &text) }
  return lines(text)
}

private func terminal(_ columns: Int, unicode: Bool = true) -> TerminalProfile {
  TerminalProfile(isTerminal: true, columns: columns, rows: 24, unicode: unicode)
}

@Suite("Drawing a tree")
struct TreePainterTests {
  @Test func `lines end at the last sibling`() {
    #expect(
      paint(northwind, TerminalProfile()) == [
        "▾ Northwind (212)",
        "├─ ▾ Engineering (97)",
        "│  ├─ ▸ Storage (12)",
        "│  └─ Ada Lund · Head of storage",
        "└─ ▾ Sales (1)",
        "   ├─ ▹ Vacant (0)",
        "   └─ 王小明",
      ]
    )
  }

  @Test func `an ASCII terminal gets ASCII alone`() {
    #expect(
      paint(northwind, TerminalProfile(unicode: false)) == [
        "v Northwind (212)",
        "|- v Engineering (97)",
        "|  |- > Storage (12)",
        "|  `- Ada Lund - Head of storage",
        "`- v Sales (1)",
        "   |- - Vacant (0)",
        "   `- \\u{738B}\\u{5C0F}\\u{660E}",
      ]
    )
  }

  @Test func `roots have no line, whether one or many`() {
    let rows = [
      TreeLine(level: 0, isLastSibling: false, symbol: .collapsed, label: "A"),
      TreeLine(level: 0, isLastSibling: true, symbol: .leaf, label: "B"),
    ]
    #expect(paint(rows, TerminalProfile()) == ["▸ A", "B"])
  }

  @Test func `long labels are cut at the edge, the count stays`() {
    let row = TreeLine(
      level: 0,
      isLastSibling: true,
      symbol: .expanded,
      label: "Department of Very Long Names",
      count: 12
    )
    #expect(paint([row], terminal(24)) == ["▾ Department of Ve… (12)"])
    #expect(paint([row], terminal(24, unicode: false)) == ["v Department of... (12)"])
    #expect(paint([row], TerminalProfile()) == ["▾ Department of Very Long Names (12)"])
  }

  @Test func `the detail is cut first, and left out where it says nothing`() {
    let row = TreeLine(
      level: 0,
      isLastSibling: true,
      symbol: .leaf,
      label: "Ada Lund",
      detail: "Head of storage"
    )
    #expect(paint([row], terminal(26)) == ["Ada Lund · Head of storage"])
    #expect(paint([row], terminal(20)) == ["Ada Lund · Head of…"])
    #expect(paint([row], terminal(12)) == ["Ada Lund"])
    #expect(paint([row], terminal(6)) == ["Ada L…"])
  }

  @Test func `wide names are cut between characters`() {
    let row = TreeLine(level: 0, isLastSibling: true, symbol: .leaf, label: "王小明王小明")
    #expect(paint([row], terminal(6)) == ["王小…"])
    #expect(paint([row], terminal(12)) == ["王小明王小明"])
  }

  @Test func `no line is wider than the terminal`() {
    var random = SplitMix(state: 3)
    let labels = [
      "Ada", "Łukasz Ångström of the Northern Storage Office", "王小明王小明王小明王小明王小明", "שרה כהן",
      "👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀", "tab\tand\u{202E}bidi\u{9B}", "",
    ]
    for columns in [1, 8, 20, 25, 40, 80, 200] {
      for unicode in [true, false] {
        var painter = TreePainter(terminal(columns, unicode: unicode))
        var level = 0
        for _ in 0..<400 {
          level = Int(random.next() % UInt64(level + 2))
          var text: [UInt8] = []
          let row = TreeLine(
            level: level,
            isLastSibling: random.next() % 2 == 0,
            symbol: [.leaf, .expanded, .collapsed, .empty][Int(random.next() % 4)],
            label: labels[Int(random.next() % UInt64(labels.count))],
            count: random.next() % 2 == 0 ? nil : Int(random.next() % 10_000),
            detail: labels[Int(random.next() % UInt64(labels.count))]
          )
          painter.append(row, to: &text)
          let line = lines(text).first ?? ""
          // Lines and label need some columns; narrower terminals break the line themselves.
          #expect(columnCount(of: line) <= max(columns, 18), "\(line)")
        }
      }
    }
  }

  @Test func `every level goes deeper until lines give way to their number`() {
    let rows = (0...30).map {
      TreeLine(level: $0, isLastSibling: true, symbol: .expanded, label: "Level \($0) of the chain")
    }
    let drawn = paint(rows, terminal(60))
    #expect(drawn[at: 12] == String(repeating: "   ", count: 11) + "└─ ▾ Level 12 of the chain")
    #expect(
      drawn[at: 13] == "…5 " + String(repeating: "   ", count: 7) + "└─ ▾ Level 13 of the chain"
    )
    #expect(drawn[at: 30]?.hasPrefix("…") == true)
    for line in drawn {
      #expect(line.contains("of the chain"))
    }
  }

  @Test func `a hundred thousand levels cost the width for each row`() {
    for profile in [terminal(80), TerminalProfile()] {
      var painter = TreePainter(profile)
      var text: [UInt8] = []
      let duration = processorTime {
        for level in 0..<100_000 {
          painter.append(
            TreeLine(level: level, isLastSibling: level % 2 == 0, symbol: .expanded, label: "Unit"),
            to: &text
          )
        }
      }
      #expect(text.count < 100_000 * (profile.isTerminal ? 200 : 400))
      // Drawn to the root it would be five billion cells, which take many minutes.
      #expect(duration < .seconds(60))
      let last = lines(text)[at: 99_999] ?? ""
      #expect(last.hasPrefix("…999") && last.hasSuffix("▾ Unit"))
    }
  }

  @Test func `siblings of a passing level keep its line below the elision`() {
    var rows = (0..<40).map {
      TreeLine(level: $0, isLastSibling: false, symbol: .expanded, label: "x")
    }
    rows.append(TreeLine(level: 20, isLastSibling: true, symbol: .leaf, label: "end"))
    rows.append(TreeLine(level: 1, isLastSibling: true, symbol: .leaf, label: "end"))
    let drawn = paint(rows, terminal(80))
    #expect(drawn[at: 39]?.contains("│  ├─ ▾ x") == true)
    #expect(drawn[at: 40]?.hasSuffix("│  └─ end") == true)
    #expect(drawn[at: 41] == "└─ end")
  }

  @Test func `rows may begin in the middle of a tree`() {
    let row = TreeLine(level: 3, isLastSibling: false, symbol: .leaf, label: "Ada")
    #expect(paint([row], TerminalProfile()) == ["      ├─ Ada"])
  }

  @Test func `hostile labels stay on their line and right-to-left ones in their place`() {
    let rows = [
      TreeLine(
        level: 0,
        isLastSibling: true,
        symbol: .leaf,
        label: "a\n\u{1B}[2Jb",
        detail: "x\r\u{202E}y"
      ),
      TreeLine(level: 0, isLastSibling: true, symbol: .leaf, label: "שרה", detail: "مدير"),
    ]
    #expect(
      paint(rows, TerminalProfile()) == [
        "a␊␛[2Jb · x␍\\u{202E}y", "\u{2068}שרה\u{2069} · \u{2068}مدير\u{2069}",
      ]
    )
    let cut = paint(
      [TreeLine(level: 0, isLastSibling: true, symbol: .leaf, label: "שרה כהן לוי")],
      terminal(6)
    )
    #expect(cut == ["\u{2068}שרה כ…\u{2069}"])
  }

  @Test func `colour is used only when the profile has it`() {
    var profile = TerminalProfile()
    #expect(!paint(northwind, profile).joined().contains("\u{1B}"))
    profile.colour = true
    let drawn = paint(northwind, profile)
    #expect(
      drawn[at: 0] == "\u{1B}[36m▾ \u{1B}[0m\u{1B}[1mNorthwind\u{1B}[0m\u{1B}[2m (212)\u{1B}[0m"
    )
    #expect(
      drawn[at: 3]
        == "\u{1B}[2m│  └─ \u{1B}[0mAda Lund\u{1B}[2m · \u{1B}[0m\u{1B}[2mHead of storage\u{1B}[0m"
    )
  }

  @Test func `highlights are whole clusters in colour`() {
    let row = TreeLine(
      level: 0,
      isLastSibling: true,
      symbol: .leaf,
      label: "A\u{30A}sa Lund",
      highlights: [0..<1, 6..<8]
    )
    let bare = TerminalProfile()
    #expect(paint([row], bare) == ["A\u{30A}sa Lund"])
    let on = "\u{1B}[1;4m"
    let off = "\u{1B}[0m"
    let coloured = TerminalProfile(colour: true)
    #expect(paint([row], coloured) == ["\(on)A\u{30A}\(off)sa \(on)Lu\(off)nd"])
  }
}
