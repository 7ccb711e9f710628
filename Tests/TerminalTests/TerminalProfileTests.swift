import Platform
import Testing

@testable import Terminal

@Suite("What a descriptor is")
struct TerminalProfileTests {
  private let xterm = ["TERM": "xterm-256color", "LANG": "de_DE.UTF-8"]

  @Test func `a pipe is no terminal and has no width`() throws {
    let pipe = try Pipe()
    let profile = TerminalProfile(
      descriptor: pipe.writing,
      environment: xterm.merging(["COLUMNS": "40"]) { $1 }
    )
    #expect(profile == TerminalProfile(unicode: true))
  }

  @Test func `a terminal states its size`() throws {
    let terminal = try PseudoTerminal(columns: 97, rows: 31)
    let profile = TerminalProfile(descriptor: terminal.slave, environment: xterm)
    #expect(
      profile
        == TerminalProfile(
          isTerminal: true,
          columns: 97,
          rows: 31,
          colour: true,
          unicode: true,
          canRedraw: true
        )
    )
  }

  @Test func `COLUMNS and LINES win where they are numbers`() throws {
    let terminal = try PseudoTerminal(columns: 97, rows: 31)
    func size(_ columns: String, _ lines: String) -> [Int?] {
      let environment = xterm.merging(["COLUMNS": columns, "LINES": lines]) { $1 }
      let profile = TerminalProfile(descriptor: terminal.slave, environment: environment)
      return [profile.columns, profile.rows]
    }
    #expect(size("40", "10") == [40, 10])
    #expect(size("0", "-3") == [97, 31])
    #expect(size("wide", "") == [97, 31])
    #expect(size("\(Int.max)", "65536") == [97, 31])
  }

  @Test func `a terminal without a size has 80 by 24`() throws {
    let terminal = try PseudoTerminal(columns: 0, rows: 0)
    let profile = TerminalProfile(descriptor: terminal.slave, environment: xterm)
    #expect(profile.columns == 80 && profile.rows == 24)
  }

  @Test(
    arguments: [
      (["TERM": "xterm"], true), (["TERM": "dumb"], false), ([:], false),
      (["COLORTERM": "truecolor"], true), (["TERM": "xterm", "NO_COLOR": "1"], false),
      (["TERM": "xterm", "NO_COLOR": ""], true),
      (["TERM": "dumb", "COLORTERM": "truecolor"], false),
    ] as [([String: String], Bool)]
  )
  func `colour on a terminal`(environment: [String: String], colour: Bool) throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let profile = TerminalProfile(descriptor: terminal.slave, environment: environment)
    #expect(profile.colour == colour)
  }

  @Test func `the caller's choice of colour wins`() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let pipe = try Pipe()
    let never = TerminalProfile(descriptor: terminal.slave, environment: xterm, colour: .never)
    let always = TerminalProfile(
      descriptor: pipe.writing,
      environment: ["NO_COLOR": "1"],
      colour: .always
    )
    #expect(!never.colour && always.colour)
  }

  @Test(
    arguments: [
      (["LANG": "en_US.UTF-8"], true), (["LANG": "en_US.utf8"], true),
      (["LC_ALL": "C.UTF-8"], true),
      (["LANG": "C"], false), (["LANG": "en_US"], false), (["LANG": "de_DE.ISO-8859-1"], false),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
      (["LC_CTYPE": "ja_JP.UTF-8", "LANG": "C"], true),
      (["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"], false),
      (["LANG": "ca_ES.UTF-8@valencia"], true), (["LANG": "de_DE@euro"], false), ([:], true),
      (["LC_ALL": "", "LANG": ""], true),
    ] as [([String: String], Bool)]
  )
  func `Unicode is what the locale says`(environment: [String: String], unicode: Bool) throws {
    let pipe = try Pipe()
    let profile = TerminalProfile(descriptor: pipe.writing, environment: environment)
    #expect(profile.unicode == unicode)
  }
}
