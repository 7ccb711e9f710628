import PersonnelMonths
import Seeds
import SystemPackage
import TestSupport
import Testing

@Suite("Lists of an invented company, month after month")
struct InventedCompanyTests {
  private static let isThorough = rounds(3, thorough: 12) > 3
  private static let months = isThorough ? Array(1...12) : [1, 5, 9]

  @Test(arguments: ListStyle.allCases)
  func `leave the directory as the company is`(_ style: ListStyle) async throws {
    try await follow(style, people: 200, seed: 27, hasSource: false)
  }

  /// How many people, by which seed.
  private static func companies(_ style: ListStyle) -> [(people: Int, seed: UInt64)] {
    guard isThorough else { return [(200, 27)] }
    return [(200, 27), (200, 28), (200, 29)] + (style == .plain ? [(5_000, 27)] : [])
  }

  @Test(arguments: ListStyle.allCases)
  func `of a source know people whose numbers change`(_ style: ListStyle) async throws {
    for (people, seed) in Self.companies(style) {
      let matches = try await follow(style, people: people, seed: seed, hasSource: true)
      if Self.isThorough { print("\(style), \(people) people, seed \(seed): \(matches)") }
      #expect(matches.wrong == 0, "\(style), seed \(seed): \(matches)")
      // In months that are left out, people marry and move, and nothing tells who they are.
      let rarity = Self.isThorough ? 200 : 100
      #expect(matches.lost * rarity <= matches.known, "\(style), seed \(seed): \(matches)")
    }
  }

  /// Runs the months, with numbers as they are written in each.
  @discardableResult
  private func follow(
    _ style: ListStyle,
    people: Int,
    seed: UInt64,
    hasSource: Bool
  ) async throws -> Hands.Matches {
    var company = InventedCompany(people: people, seed: seed)
    var hands = Hands(hasSource: hasSource)
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("field", "add", "manager", "nickname")
        let mapping = folder.appending("mapping.yaml")
        try write(style.mapping + (hasSource ? "\nsource: personnel" : ""), to: mapping)
        while true {
          if Self.months.contains(company.month) {
            let numbers = hasSource ? style.numbers(in: company.month) : .whole
            let place = "\(style), month \(company.month), seed \(seed)"
            let files = try await writeFiles(style, company, numbers, folder)
            let arguments = ["import"] + files + ["--replace", "--mapping", mapping.string]
            // The second time changes nothing.
            for isAgain in [false, true] {
              if hasSource {
                let asked = try await hands.answer(arguments, book, company, numbers, folder)
                #expect(!isAgain || asked == 0, "\(place)")
              } else {
                _ = try await book.lines(arguments)
              }
              try hands.check(book, company, numbers, place, counts: !isAgain)
            }
            try await hands.edit(book, company, numbers)
          }
          if company.month == 12 { break }
          company.advance()
        }
      }
    }
    return hands.matches
  }

  @Test func `that are killed at any moment are imported, or not at all`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("field", "add", "manager")
        let mapping = folder.appending("mapping.yaml")
        try write(ListStyle.plain.mapping + "\nsource: personnel", to: mapping)
        var company = InventedCompany(people: 200, seed: 27)
        var lists: [[String]] = []
        for numbers in [Numbers.whole, .withoutZeros] {
          let month = folder.appending("month\(lists.count)")
          _ = try await runProgram("mkdir", [month.string])
          let files = try await writeFiles(.plain, company, numbers, month)
          lists.append(
            ["import"] + files + ["--replace", "--mapping", mapping.string, "--no-sync"]
          )
          company.advance()
        }
        func state() throws -> String {
          try book.value(
            """
            select md5(string_agg(line, E'\\n' order by line)) from (
              select to_jsonb(d) - 'changed_in' - 'identity' || '{"kind": 1}' as record from staffbook.departments d
              union all select to_jsonb(u) - 'changed_in' - 'identity' || '{"kind": 2}' from staffbook.users u
              union all select to_jsonb(m) - 'changed_in' || '{"kind": 3}' from staffbook.memberships m
              union all select to_jsonb(r) - 'identity' || '{"kind": 4}' from staffbook.source_records r
            ) everything cross join lateral (select record::text) as l(line)
            """
          )
        }
        for list in lists + lists { _ = try await book.lines(list) }
        let start = ContinuousClock.now
        _ = try await book.lines(lists[0])
        let took = start.duration(to: .now) / .seconds(1)
        var random = SeededGenerator(seed: .random(in: 0 ... .max))
        var states = ["", ""]
        for round in 0..<rounds(4, thorough: 60) {
          let (before, next) = (try state(), (round + 1) % 2)
          let delay = Double.random(in: 0...took, using: &random)
          _ = try await runProgram(
            "timeout",
            ["-s", "KILL", "\(delay)", try Book.program()] + lists[next],
            environment: book.variables
          )
          // The server finishes, or undoes, what it was asked for.
          try await wait(until: "the server has ended the import") {
            try book.value(
              """
              select count(*) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
              """
            ) == "0"
          }
          let killed = try state()
          let done = try await book.run(lists[next])
          #expect(done.status == 0, "after \(delay) s: \(done)")
          let after = try state()
          #expect([before, after].contains(killed), "after \(delay) s")
          #expect(before != after)
          if !states[next].isEmpty { #expect(states[next] == after, "after \(delay) s") }
          states[next] = after
        }
      }
    }
  }

  @Test(arguments: VendorLists.all.indices)
  func `of a program for personnel are read as --suggest says`(_ index: Int) async throws {
    let lists = VendorLists.all[index]
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("field", "add", "manager", "joined")
        let (list, mapping) = (folder.appending("list.csv"), folder.appending("mapping.yaml"))
        for month in 1...3 {
          try write(lists.text(of: month), to: list)
          // The last month knows of people who have left.
          try write(lists.text(of: 3), to: folder.appending("last.csv"))
          let suggestion = try await book.lines(
            "import",
            "--suggest",
            folder.appending("last.csv").string
          )
          try write(suggestion.joined(separator: "\n"), to: mapping)
          let done = try await book.run(
            "import",
            list.string,
            "--replace",
            "--accept-deletions",
            "--mapping",
            mapping.string
          )
          #expect(done.status == 0, "\(lists.vendor), month \(month): \(done), \(suggestion)")
          let people = try book.query(
            """
            select concat_ws('|', u.name, d.name, m.title, u.email,
                coalesce(u.fields ->> 'manager', ''), u.fields ->> 'joined')
              from staffbook.users u
              join staffbook.departments d on d.id = u.primary_department_id
              join staffbook.memberships m on m.user_id = u.id and m.department_id = d.id
            """
          ).map { $0[0] }.sorted()
          #expect(
            people == VendorLists.truth(of: month),
            "\(lists.vendor), month \(month): \(suggestion)"
          )
        }
      }
    }
  }

  private func writeFiles(
    _ style: ListStyle,
    _ company: InventedCompany,
    _ numbers: Numbers,
    _ folder: FilePath
  ) async throws -> [String] {
    var paths: [String] = []
    for file in style.files(of: company, numbers) {
      let path = folder.appending(file.name)
      let plain = folder.appending("plain.csv")
      try write(file.text, to: plain)
      let made: ProgramOutcome
      if let encoding = file.encoding {
        made = try await runProgram(
          "/bin/sh",
          ["-c", "iconv -f UTF-8 -t \(encoding) \"$1\" > \"$2\"", "sh", plain.string, path.string]
        )
      } else {
        made = try await runProgram(
          "/usr/bin/python3",
          ["-c", Self.workbook, plain.string, path.string]
        )
      }
      try #require(made.status == 0, "\(made)")
      paths.append(path.string)
    }
    return paths
  }

  /// Merges the empty cells of the first two columns with those above them.
  private static let workbook = """
    import sys, csv, openpyxl
    book = openpyxl.Workbook()
    sheet = book.active
    rows = list(csv.reader(open(sys.argv[1], encoding='utf-8')))
    for row in rows: sheet.append([cell or None for cell in row])
    for column in (1, 2):
        start = None
        for number in range(4, len(rows) + 2):
            value = number <= len(rows) and sheet.cell(number, column).value
            if value or number > len(rows) or sheet.cell(number, 3).value is None:
                if start and number - start > 1:
                    sheet.merge_cells(start_row=start, end_row=number - 1, start_column=column,
                        end_column=column)
                start = number
    sheet.merge_cells('A1:G1')
    book.save(sys.argv[2])
    """
}

/// What is entered here between the lists: nicknames, which no list has; with a source also a person of
/// no list, a title that the list has, too, who leads a department and what it is for, a telephone
/// number, something that is taken back, and a double that is merged.
private struct Hands {
  /// What became of people who were known from the month before.
  struct Matches: CustomStringConvertible {
    var known = 0
    /// Questions that were answered.
    var asked = 0
    /// They were not asked about, and are new people now.
    var lost = 0
    /// Taken for another person.
    var wrong = 0

    var description: String {
      "\(known) known people: right \(known - lost - wrong), lost \(lost), wrong \(wrong); asked \(asked)"
    }
  }

  private let hasSource: Bool
  private(set) var matches = Matches()
  /// Keys of people whom the list before had, and of whom that is so here.
  private var known: Set<Int> = []
  /// Keys of people by their ids, those who were removed included.
  private var keys: [String: Int] = [:]
  private var titled: Int?
  private var phoned: Int?
  /// Who leads a department.
  private var leader: Int?
  /// The department that has a description.
  private var unit: Int?

  init(hasSource: Bool) { self.hasSource = hasSource }

  private static func nickname(_ key: Int) -> String { "nick\(key)" }

  /// Imports, and answers as the company knows who is who.
  mutating func answer(
    _ arguments: [String],
    _ book: Book,
    _ company: InventedCompany,
    _ numbers: Numbers,
    _ folder: FilePath
  ) async throws -> Int {
    let truth = folder.appending("truth.txt")
    try write(
      keys.map { "(\($0.key)) (\(numbers.text($0.value)))\n" }.joined(),
      to: truth
    )
    let done = try await runProgram(
      "/usr/bin/python3",
      ["-c", Self.terminal, truth.string, try Book.program()] + arguments,
      environment: book.variables
    )
    let asked = done.stdout.split(separator: "\n").last.flatMap { Int($0) }
    try #require(done.status == 0, "\(arguments): \(done)")
    matches.asked += asked ?? 0
    return try #require(asked, "\(done)")
  }

  /// Runs a program on a terminal, answers questions by a file of pairs of ids, and prints how many.
  private static let terminal = """
    import os, pty, re, sys
    truth = set(open(sys.argv[1], encoding='utf-8').read().splitlines())
    child, terminal = pty.fork()
    if child == 0: os.execv(sys.argv[2], sys.argv[2:])
    text, asked = b'', 0
    while True:
        try: part = os.read(terminal, 65536)
        except OSError: break
        if not part: break
        text += part
        while b'[q]uit' in text:
            question, text = text.split(b'[q]uit', 1)
            ids = re.findall('= .* (\\\\(\\\\S+\\\\)) may be .* (\\\\(\\\\S+\\\\)) in the list', question.decode())[-1]
            asked += 1
            os.write(terminal, b'y\\n' if ' '.join(ids) in truth else b'n\\n')
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(text.decode(errors='replace')[-2000:], asked, sep='\\n')
    sys.exit(status)
    """

  mutating func edit(_ book: Book, _ company: InventedCompany, _ numbers: Numbers) async throws {
    let people = company.present
    let rows = people.map { "('\(Self.nickname($0.key))', '\($0.email)')" }
    try book.script(
      """
      update staffbook.users u set fields = fields || jsonb_build_object('nickname', h.nickname)
        from (values \(rows.joined(separator: ", "))) h(nickname, email)
        where u.email = h.email and u.fields ->> 'nickname' is distinct from h.nickname
      """
    )
    known = Set(people.map(\.key))
    let ids = try book.query("select email, id from staffbook.users")
    let idsByEmail = Dictionary(ids.map { ($0[0], $0[1]) }) { first, _ in first }
    for person in people { keys[idsByEmail[person.email] ?? ""] = person.key }
    guard hasSource else { return }
    func id(_ person: InventedCompany.Person) -> String { "id:\(idsByEmail[person.email] ?? "")" }
    if titled == nil {
      try await book.lines("add", "department", "Guests", "--id", "guests", "--yes")
      try await book.lines("add", "user", "Gil Own", "--id", "gil", "--in", "guests", "--yes")
      try await book.lines("set", id(people[3]), "title=Counsel", "--yes")
      titled = people[3].key
      let leader = people.last { $0.unit == 3 } ?? people[0]
      let unit = try book.value(
        "select primary_department_id from staffbook.users where email = '\(leader.email)'"
      )
      try await book.lines("set", id(leader), "lead=yes", "--yes")
      try await book.lines("set", "id:\(unit)", "description=Lights", "--yes")
      (self.leader, self.unit) = (leader.key, leader.unit)
    }
    let number = people.count / 2
    try await book.lines("set", id(people[number]), "phone=+49 30 \(company.month)", "--yes")
    phoned = people[number].key
    try await book.lines("set", id(people[number + 1]), "name=Some Body", "--yes")
    try await book.lines(
      "undo",
      try book.value("select max(number) from staffbook.transactions"),
      "--yes"
    )
    let double = "double\(company.month)"
    try await book.lines(
      "add",
      "user",
      people[number + 2].name,
      "--id",
      double,
      "--in",
      "guests",
      "--yes"
    )
    try await book.lines("merge", id(people[number + 2]), "id:\(double)", "--yes")
  }

  /// Compares the directory with the company, and looks whether everyone has what was entered here.
  mutating func check(
    _ book: Book,
    _ company: InventedCompany,
    _ numbers: Numbers,
    _ place: String,
    counts: Bool
  ) throws {
    let found = Dictionary(
      try book.query(
        """
        select u.email, coalesce(u.fields ->> 'nickname', ''), u.phone, m.leads, d.description
          from staffbook.users u
          join staffbook.departments d on d.id = u.primary_department_id
          join staffbook.memberships m on m.user_id = u.id and m.department_id = d.id
        """
      ).map { ($0[0], $0) }
    ) { first, _ in first }
    var lost: Set<Int> = []
    for person in company.present {
      let row = found[person.email] ?? ["", "", "", "", ""]
      let (nickname, isKnown) = (row[1], known.contains(person.key))
      if counts, isKnown { matches.known += 1 }
      if isKnown, nickname.isEmpty {
        lost.insert(person.key)
        if counts { matches.lost += 1 }
      } else if !nickname.isEmpty, nickname != Self.nickname(person.key) {
        if counts { matches.wrong += 1 }
      }
      if lost.contains(person.key) || !isKnown { continue }
      if person.key == phoned { #expect(row[2].hasPrefix("+49 30 "), "\(place)") }
      if person.key == leader, person.unit == unit { #expect(row[3] == "t", "\(place)") }
      if person.unit == unit { #expect(row[4] == "Lights", "\(place)") }
    }
    // A person who comes back leads nothing.
    if !company.present.contains(where: { $0.key == leader && $0.unit == unit }) { leader = nil }
    #expect(hasSource || lost.isEmpty, "\(place)")
    var truth = company.truth
    if hasSource, !known.isEmpty { truth.append("Gil Own|Guests|||") }
    if let person = company.present.first(where: { $0.key == titled }), known.contains(person.key),
      !lost.contains(person.key)
    {
      truth = truth.map { line in
        var parts = line.split(separator: "|", omittingEmptySubsequences: false)
        if parts[0] == person.name { parts[2] = "Counsel" }
        return parts.joined(separator: "|")
      }
    } else if counts, !known.isEmpty {
      titled = 0
    }
    let people = try book.query(
      """
      select concat_ws('|', u.name, coalesce(p.name || '/', '') || d.name, m.title, u.email,
          coalesce(boss.name, ''))
        from staffbook.users u
        join staffbook.departments d on d.id = u.primary_department_id
        left join staffbook.departments p on p.id = d.parent_id
        join staffbook.memberships m on m.user_id = u.id and m.department_id = d.id
        left join staffbook.users boss on boss.id = u.fields ->> 'manager'
      """
    ).map { $0[0] }
    #expect(Set(people).subtracting(truth).sorted() == [], "too much: \(place)")
    #expect(Set(truth).subtracting(people).sorted() == [], "missing: \(place)")
    #expect(people.count == truth.count, "\(place)")
  }
}
