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

  /// Needs to know who is who, which lists that are sources do.
  @Test(arguments: ListStyle.allCases)
  func `know people whose numbers change`(_ style: ListStyle) async throws {
    let isForZeros = [.german, .sheet].contains(style)
    try await follow(style, "\nsource: personnel\ndoubts: match") { month in
      month < 5 ? .whole : isForZeros ? .withoutZeros : .new
    }
  }

  /// Runs the months, with numbers as they are written in each.
  private func follow(
    _ style: ListStyle,
    _ settings: String = "",
    _ numbers: (Int) -> Numbers
  ) async throws {
    for seed in newSeeds(1) {
      var company = InventedCompany(people: rounds(200, thorough: 5_000), seed: seed)
      try await withBook { book in
        try await withTemporaryDirectory { folder in
          // Without sources nothing knows people by more than their numbers.
          let hasSources = try book.query("select to_regclass('staffbook.sources') is not null")
          guard settings.isEmpty || hasSources == [["t"]] else { return }
          try await book.lines("field", "add", "manager", "nickname")
          try write(style.mapping + settings, to: folder.appending("mapping.yaml"))
          var nicknames: [Int: String] = [:]
          while true {
            if Self.months.contains(company.month) {
              let files = try await writeFiles(style, company, numbers(company.month), folder)
              _ = try await book.lines(
                ["import"] + files + [
                  "--replace", "--mapping", folder.appending("mapping.yaml").string,
                ]
              )
              #expect(
                try people(book) == company.truth,
                "\(style), month \(company.month), seed \(seed)"
              )
              try check(nicknames, company, book)
              if nicknames.isEmpty { nicknames = try editByHand(company, book) }
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

  private func people(_ book: Book) throws -> [String] {
    try book.query(
      """
      select concat_ws('|', u.name, coalesce(p.name || '/', '') || d.name, m.title, u.email,
          coalesce(boss.name, ''))
        from staffbook.users u
        join staffbook.departments d on d.id = u.primary_department_id
        left join staffbook.departments p on p.id = d.parent_id
        join staffbook.memberships m on m.user_id = u.id and m.department_id = d.id
        left join staffbook.users boss on boss.id = u.fields ->> 'manager'
      """
    ).map { $0[0] }.sorted()
  }

  /// Gives some people a nickname that no list has; it stays as long as the person does.
  private func editByHand(_ company: InventedCompany, _ book: Book) throws -> [Int: String] {
    var nicknames: [Int: String] = [:]
    for person in company.present where person.key % 9 == 0 {
      let nickname = "nick\(person.key)"
      nicknames[person.key] = nickname
      try book.script(
        """
        update staffbook.users set fields = fields || '{"nickname": "\(nickname)"}'
          where email = '\(person.email)'
        """
      )
    }
    return nicknames
  }

  /// Whoever was there all the time has it, whatever the list calls the person now.
  private func check(_ nicknames: [Int: String], _ company: InventedCompany, _ book: Book) throws {
    guard !nicknames.isEmpty else { return }
    let rows = try book.query("select email, fields ->> 'nickname' from staffbook.users")
    let found = Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
    for person in company.present {
      // Whoever was away for some months has another record.
      guard let nickname = nicknames[person.key], !company.returned.contains(person.key)
      else { continue }
      #expect(found[person.email] == nickname, "\(person.name), month \(company.month)")
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
