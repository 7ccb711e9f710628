import SystemPackage
import TestSupport
import Testing

/// What speaks for and against.
extension RecognitionTests {
  private static let header = "No,Name,Unit,Title,Mail,Phone,Born,Start"

  /// Imports rows with numbers and days of joining, too, as the complete list.
  private func take(
    _ rows: [String],
    _ lists: Lists,
    with options: [String] = []
  ) async throws -> ProgramOutcome {
    let list = lists.folder.appending("full.csv")
    try write(([Self.header] + rows).joined(separator: "\n") + "\n", to: list)
    let mapping = [
      "source=full", "id={No}", "name={Name}", "department={Unit}", "title={Title}",
      "email={Mail}", "phone={Phone}", "birthday={Born}", "joined={Start}",
    ]
    return try await lists.book.run(
      ["import", list.string, "--replace", "--accept-deletions"]
        + mapping.flatMap { ["--map", $0] } + options
    )
  }

  private func withFullLists(_ body: (Lists) async throws -> Void) async throws {
    try await withLists { lists in
      try await lists.book.lines("field", "add", "joined", "office")
      try await body(lists)
    }
  }

  private static let colleagues = [
    "2,Bo Ek,Sales,Agent,bo.ek@lumen.example,+49 30 2,,2015-02-01",
    "3,Cy Moe,Works,Fitter,cy.moe@lumen.example,+49 30 3,,2016-03-01",
  ]

  @Test(
    arguments: [
      // Somebody else, with other work.
      ("Maria Weber,Works,Fitter,maria.weber@lumen.example,,,", true),
      // The same work, but another number, or another first day.
      ("Maria Weber,Sales,Agent,maria.weber@lumen.example,+49 30 99,,", true),
      ("Maria Weber,Sales,Agent,maria.weber@lumen.example,,,2026-02-01", true),
      // The same family name.
      ("Anna Schmidt,Works,Fitter,anna.schmidt@lumen.example,,,", true),
      // The number of two people says nothing.
      ("Maria Weber,Works,Fitter,maria.weber@lumen.example,+49 30 2,,", true),
      // A name, a number, an address or a date that stays.
      ("Maria Schmidt,Works,Fitter,m.schmidt@lumen.example,+49 30 99,,", false),
      ("Maria Schmidt-Weber,Works,Fitter,maria.weber@lumen.example,+49 30 99,,", false),
      ("\"Weber Schmidt, Dr. Maria\",Works,Fitter,maria.weber@lumen.example,,,", false),
      ("Maria Weber,Works,Fitter,maria.weber@lumen.example,+49 (30) 11,,", false),
      ("Maria Weber,Works,Fitter,maria.schmidt@lumen.example,,,", false),
      ("Maria Weber,Works,Fitter,maria.weber@lumen.example,,,2014-01-01", false),
    ]
  )
  func `a number that is given again is asked about`(row: String, isAsked: Bool) async throws {
    try await withFullLists { lists in
      let before = "1,Maria Schmidt,Sales,Agent,maria.schmidt@lumen.example,+49 30 11,,2014-01-01"
      let first = try await take([before] + Self.colleagues, lists)
      try #require(first.status == 0, "\(first)")
      try await lists.book.lines("set", "id:1", "office=Berlin", "--yes")
      let next = try await take(["1,\(row)"] + Self.colleagues, lists)
      if isAsked {
        #expect(
          doubts(next).count == 1 && next.stderr.contains("1 was Maria Schmidt and is "),
          "\(next)"
        )
        #expect(try lists.people()[at: 0] == ["1", "Maria Schmidt"])
      } else {
        #expect(next.status == 0, "\(next)")
        #expect(
          try lists.book.value("select fields ->> 'office' from staffbook.users where id = '1'")
            == "Berlin"
        )
      }
    }
  }

  @Test func `a date of birth decides under the same number`() async throws {
    try await withFullLists { lists in
      let before = "1,Maria Schmidt,Sales,Agent,maria.schmidt@lumen.example,,1980-05-07,"
      _ = try await take([before] + Self.colleagues, lists)
      let other = "1,Maria Schmidt,Works,Fitter,mschmidt2@lumen.example,,1999-01-02,"
      #expect(doubts(try await take([other] + Self.colleagues, lists)).count == 1)
      let married = "1,Maria Weber,Works,Fitter,maria.weber@lumen.example,,1980-05-07,"
      let next = try await take([married] + Self.colleagues, lists)
      #expect(next.status == 0, "\(next)")
    }
  }

  @Test func `a new name with the same work is taken, and told`() async throws {
    try await withFullLists { lists in
      let before = "1,Maria Schmidt,Sales,Agent,maria.schmidt@lumen.example,,,"
      _ = try await take([before] + Self.colleagues, lists)
      let married = "1,Maria Weber,Sales,Agent,maria.weber@lumen.example,,,"
      let next = try await take([married] + Self.colleagues, lists)
      #expect(next.status == 0, "\(next)")
      #expect(
        next.stderr.contains(
          "= Maria Schmidt (1) is Maria Weber (1) in the list: the same first name, department and title"
        ),
        "\(next)"
      )
    }
  }

  @Test func `who joins is not taken for anybody who left`() async throws {
    try await withFullLists { lists in
      let given = ["Ada", "Bo", "Cy", "Di", "Ed"]
      var people: [String] = []
      for number in 1...60 {
        let name = "\(given[number % 5]) Name\(number)"
        people.append(
          "\(number),\(name),\(number % 2 == 0 ? "Sales" : "Works"),Agent,"
            + "n\(number)@lumen.example,+49 30 7\(number),19\(10 + number)-01-02,2001-01-\(10 + number % 18)"
        )
      }
      var present = Array(people[..<40])
      let first = try await take(present, lists)
      try #require(first.status == 0, "\(first)")
      // In each month five leave and five join, all of them agents of the same first names.
      for month in 0..<4 {
        present.removeFirst(5)
        present += people[(40 + 5 * month)..<(45 + 5 * month)]
        let next = try await take(present, lists)
        #expect(next.status == 0, "month \(month): \(next)")
        #expect(!next.stderr.contains("staffbook: = "), "month \(month): \(next)")
      }
      #expect(try lists.people().count == 40)
    }
  }

  @Test func `namesakes are told apart by what speaks against`() async throws {
    try await withFullLists { lists in
      _ = try await take(
        ["1,Ada Lund,Sales,Agent,ada.lund@lumen.example,,,"] + Self.colleagues,
        lists
      )
      // Another first name and mailbox, in the month in which she leaves.
      let other = "7,Anna Lund,Sales,Agent,anna.lund@lumen.example,,,"
      let joined = try await take([other] + Self.colleagues, lists)
      #expect(joined.status == 0, "\(joined)")
      #expect(try lists.people().map { $0[0] } == ["2", "3", "7"])
      // A number and an address of somebody who left are given to others.
      let again = "9,Ada Moss,Works,Fitter,ada.lund@lumen.example,,,"
      #expect(
        doubts(try await take([again, other] + Self.colleagues, lists)) == [
          "staffbook: = Ada Lund (1) may be Ada Moss (9) in the list: the same email address"
        ]
      )
    }
  }
}
