import PersonnelMonths
import Seeds
import SystemPackage
import TestSupport
import Testing

@Suite("Lists of an invented company, month after month")
struct InventedCompanyTests {
  private static let months = rounds(3, thorough: 12) > 3 ? Array(1...12) : [1, 5, 9]

  @Test(arguments: ListStyle.allCases)
  func `leave the directory as the company is`(_ style: ListStyle) async throws {
    try await follow(style) { _ in .whole }
  }

  @Test(arguments: ListStyle.allCases)
  func `of a source know people whose numbers change`(_ style: ListStyle) async throws {
    let isForZeros = [.german, .sheet].contains(style)
    try await follow(style, "\nsource: personnel\ndoubts: add") { month in
      month < 5 ? .whole : isForZeros ? .withoutZeros : .new
    }
  }

  /// Runs the months, with numbers as they are written in each.
  private func follow(
    _ style: ListStyle,
    _ settings: String = "",
    _ numbers: (Int) -> Numbers
  ) async throws {
    for seed: UInt64 in [27] {
      var company = InventedCompany(people: 200, seed: seed)
      try await withBook { book in
        try await withTemporaryDirectory { folder in
          try await book.lines("field", "add", "manager", "nickname")
          try write(style.mapping + settings, to: folder.appending("mapping.yaml"))
          var hands = Hands(hasSource: !settings.isEmpty)
          while true {
            if Self.months.contains(company.month) {
              let files = try await writeFiles(style, company, numbers(company.month), folder)
              // The second time changes nothing.
              for _ in 1...2 {
                _ = try await book.lines(
                  ["import"] + files + [
                    "--replace", "--mapping", folder.appending("mapping.yaml").string,
                  ]
                )
                try hands.check(
                  book,
                  company,
                  numbers(company.month),
                  "\(style), month \(company.month), seed \(seed)"
                )
              }
              try await hands.edit(book, company, numbers(company.month))
            }
            if company.month == 12 { break }
            company.advance()
          }
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
/// no list, and a title that the list has, too.
private struct Hands {
  private let hasSource: Bool
  /// Addresses of people of the list before, by their keys, and how it wrote numbers.
  private var addresses: [Int: String] = [:]
  private var numbers = Numbers.whole
  /// Whose title was edited here.
  private var titled: Int?

  init(hasSource: Bool) { self.hasSource = hasSource }

  private static func nickname(_ key: Int) -> String { "nick\(key)" }

  /// Whether the list before has the person, and anything by which to know that.
  private func isKnown(_ person: InventedCompany.Person, _ numbers: Numbers) -> Bool {
    guard let address = addresses[person.key] else { return false }
    return address == person.email || numbers != .new || numbers == self.numbers
  }

  mutating func edit(_ book: Book, _ company: InventedCompany, _ numbers: Numbers) async throws {
    if hasSource, addresses.isEmpty {
      try await book.lines("add", "department", "Guests", "--id", "guests", "--yes")
      try await book.lines("add", "user", "Gil Own", "--id", "gil", "--in", "guests", "--yes")
      let person = company.present[3]
      try await book.lines("set", numbers.text(person.key), "title=Counsel", "--yes")
      titled = person.key
    } else if !company.present.contains(where: { $0.key == titled && isKnown($0, numbers) }) {
      titled = nil
    }
    addresses = Dictionary(uniqueKeysWithValues: company.present.map { ($0.key, $0.email) })
    self.numbers = numbers
    let rows = addresses.map { "('\(Self.nickname($0.key))', '\($0.value)')" }
    try book.script(
      """
      update staffbook.users u set fields = fields || jsonb_build_object('nickname', h.nickname)
        from (values \(rows.joined(separator: ", "))) h(nickname, email)
        where u.email = h.email and u.fields ->> 'nickname' is distinct from h.nickname
      """
    )
  }

  /// Compares the directory with the company, and looks whether everyone has what was entered here.
  func check(
    _ book: Book,
    _ company: InventedCompany,
    _ numbers: Numbers,
    _ place: String
  ) throws {
    var truth = company.truth
    if hasSource, !addresses.isEmpty { truth.append("Gil Own|Guests|||") }
    if let person = company.present.first(where: { $0.key == titled && isKnown($0, numbers) }) {
      truth = truth.map { line in
        var parts = line.split(separator: "|", omittingEmptySubsequences: false)
        if parts[0] == person.name { parts[2] = "Counsel" }
        return parts.joined(separator: "|")
      }
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
    let rows = try book.query(
      "select email, coalesce(fields ->> 'nickname', '') from staffbook.users"
    )
    let found = Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
    for person in company.present {
      let own = Self.nickname(person.key)
      // Those who come back may have it from before.
      let expected = isKnown(person, numbers) ? [own] : ["", own]
      #expect(expected.contains(found[person.email] ?? ""), "\(person.name), \(place)")
    }
  }
}
