import Seeds
import SystemPackage
import TestSupport
import Testing

/// A file that carries records, and how it is asked for.
struct RecordFile: Sendable, CustomTestStringConvertible {
  let name: String
  var options: [String] = []
  /// Whether control characters come back as pictures of themselves.
  var showsControls = false

  var testDescription: String { ([name] + options).joined(separator: " ") }

  static let all = [
    RecordFile(name: "all.csv"), RecordFile(name: "all.json"), RecordFile(name: "all.jsonl"),
    RecordFile(name: "all.ldif"),
    RecordFile(name: "all.vcf", options: ["--exact"], showsControls: true),
    RecordFile(
      name: "all.vcf",
      options: ["--exact", "--vcard-version", "3.0"],
      showsControls: true
    ),
  ]

  /// What a text comes back as.
  func text(_ text: String) -> String {
    guard showsControls else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
      let picture = scalar.value == 0x7F ? 0x2421 : 0x2400 + scalar.value
      guard isControl || scalar.value == 0x7F, let picture = Unicode.Scalar(picture) else {
        shown.unicodeScalars.append(scalar)
        continue
      }
      shown.unicodeScalars.append(picture)
    }
    return shown
  }
}

@Suite("One file that is taken back")
struct RoundTripTests {
  /// Everything but the marks of changes: kind, id, the id above, then texts.
  private func records(of book: Book) throws -> [[String]] {
    try book.query(
      """
      select * from (
        select 'd' as kind, id, coalesce(parent_id, '') as other, sort_order::text, name,
            description, '' as last
          from staffbook.departments
        union all select 'u', id, primary_department_id, '', name, email, phone
          from staffbook.users
        union all select 'm', user_id, department_id, sort_order::text, title, leads::text, ''
          from staffbook.memberships
        union all select 'f ' || e.key, t.id, t.of, v.place::text, v.value, '', ''
          from (select id, 'user' as of, fields from staffbook.users
              union all select id, 'department', fields from staffbook.departments) t
            cross join lateral jsonb_each(t.fields) e
            cross join lateral staffbook.field_values(e.value) with ordinality v(value, place)
        ) everything
        order by kind, id, other, sort_order
      """
    )
  }

  private func export(_ file: RecordFile, _ book: Book, to folder: FilePath) async throws
    -> FilePath
  {
    let path = folder.appending(file.name)
    let outcome = try await book.run(["export", "--all", "-o", path.string] + file.options)
    try #require(outcome.status == 0, "\(outcome)")
    return path
  }

  /// Writes a file, reads it where everything is known already and where nothing is, and writes it
  /// again.
  private func check(_ file: RecordFile, _ book: Book) async throws {
    let first = try await export(file, book, to: book.home)
    let before = try book.contents()
    let stored = try records(of: book)
    // Ids come back as they are, also those of people in fields.
    let people = ["f manager", "f assistant", "f x_person_one", "f x_person_list"]
    let expected = stored.map { record in
      people.contains(record.first ?? "")
        ? record[...] : record.prefix(4) + record.dropFirst(4).map(file.text)
    }
    let isExact = expected == stored.map { $0[...] }
    if isExact {
      let again = try await book.run("import", "--no-sync", "--replace", first.string)
      #expect(again.status == 0 && !again.stderr.contains("no place for"), "\(again)")
      #expect(try book.contents() == before, "nothing is to be written")
    }
    try await withBook { other in
      try other.script(try Self.declarations(of: book))
      try await other.lines("import", first.string)
      let found = try records(of: other)
      let isSame = found.map { $0[...] } == expected
      #expect(isSame, "\(difference(found, expected))")
      // Other names may stand in another order.
      guard isExact else { return }
      let second = try await export(file, other, to: other.home)
      let same = try await runProgram("/usr/bin/cmp", [first.string, second.string])
      #expect(same.status == 0, "\(same)")
    }
  }

  /// Statements that declare what a directory declares.
  private static func declarations(of book: Book) throws -> String {
    try book.query(
      """
      select format('insert into staffbook.fields values (%L, %L, %L, %L, %L, %L, %L)
            on conflict do nothing;', of, name,
          kind, label, is_multiple, is_searched, sort_order) from staffbook.fields
      """
    ).joined().joined()
  }

  private func difference(_ found: [[String]], _ expected: [ArraySlice<String>]) -> String {
    let found = Set(found)
    let expected = Set(expected.map { Array($0) })
    let missing = expected.subtracting(found).prefix(3)
    return "\(found.count) for \(expected.count); missing \(missing); "
      + "more \(found.subtracting(expected).prefix(3))"
  }

  @Test(arguments: RealDataTests.sets, RecordFile.all)
  func `real directories come back whole from every format that carries records`(
    _ set: String,
    _ file: RecordFile
  ) async throws {
    // The largest takes its time, and some are written as others are.
    let isAnother = file.name == "all.json" || !file.options.isEmpty
    if set == "cn-divisions", isAnother || rounds(0, thorough: 1) == 0 { return }
    try await withBook { book in
      try await book.lines("import", try TestData.directory(named: set).string)
      try await check(file, book)
    }
  }

  @Test(arguments: RecordFile.all)
  func `hostile texts come back whole`(_ file: RecordFile) async throws {
    try await withHostileBook { book, _ in try await check(file, book) }
  }

  /// Statements that declare every usual field, and one of each kind that it is unknown, alone and
  /// in a list, of both owners; 26 runs of the program, which all tests share.
  private static let fields = Task {
    var statements = ""
    try await withBook { book in
      try await declareFields(in: book)
      statements = try declarations(of: book)
    }
    return statements
  }

  private static func declareFields(in book: Book) async throws {
    let usual = [
      "given_name", "family_name", "phonetic_name", "nickname", "pronouns", "role", "fax", "mobile",
      "home_phone", "other_phones", "other_emails", "office", "building", "address",
      "employee_number", "employment", "manager", "assistant", "cost_centre", "url", "languages",
      "birthday", "joined", "note",
    ]
    for owner in ["people", "departments"] {
      let add = ["field", "add", "--no-sync", "--of", owner]
      let declared = try book.query(
        "select name from staffbook.fields where of = '\(owner == "people" ? "user" : "department")'"
      ).joined()
      _ = try await book.lines(add + usual.filter { !declared.contains($0) })
      for kind in ["text", "phone", "email", "url", "date", "person"] {
        _ = try await book.lines(add + ["x_\(kind)_one", "--kind", kind])
        _ = try await book.lines(add + ["x_\(kind)_list", "--kind", kind, "--several"])
      }
    }
  }

  /// Gives every record values of all fields, one of `texts` among them, and leads.
  private func fill(_ book: Book, with texts: [String]) throws {
    let list = texts.map { "'" + $0.replacing("'", with: "''") + "'" }.joined(separator: ", ")
    try book.script("create table texts as select * from unnest(array[\(list)]) with ordinality")
    for (of, table) in [("user", "users"), ("department", "departments")] {
      try book.script(
        """
        with numbered as (select id, row_number() over (order by id) as n from staffbook.\(table)),
        chosen as (select v.id, v.n, f.name, f.is_multiple, case f.kind
              when 'text' then a.unnest
              when 'phone' then '+49 172 ' || v.n || case when v.n % 3 = 0 then ' ' || a.unnest
                else '' end
              when 'email' then 'm' || v.n || '@lumen.example'
              when 'url' then 'https://lumen.example/' || v.n || '?a=1,2;3&b=\\'
              when 'date' then case when v.n % 2 = 0 then '--02-29' else '1984-02-29' end
              else (select id from staffbook.users order by md5(id || v.n) limit 1) end as value,
            case f.kind when 'text' then b.unnest when 'phone' then '030 ' || v.n
              when 'email' then 'M' || v.n || '@LUMEN.example' when 'url' then 'urn:x:' || v.n
              when 'date' then '2001-01-31'
              else (select id from staffbook.users order by md5(v.n || id) limit 1) end as other
          from numbered v join staffbook.fields f on f.of = '\(of)' and v.n % 7 <> 3
            join texts a on a.ordinality = 1 + v.n % (select count(*) from texts)
            join texts b on b.ordinality = 1 + (v.n + 5) % (select count(*) from texts)),
        made as (select id, jsonb_object_agg(name, case when is_multiple then
              jsonb_build_array(value, other, value) else to_jsonb(value) end) as fields
          from chosen group by id)
        update staffbook.\(table) t set fields = m.fields from made m where m.id = t.id
        """
      )
    }
    try book.script(
      """
      update staffbook.memberships set leads = true where length(user_id || department_id) % 2 = 0
      """
    )
  }

  @Test(arguments: RecordFile.all)
  func `declared fields of every kind come back whole, with who leads`(
    _ file: RecordFile
  ) async throws {
    try await withHostileBook { book, _ in
      try book.script(await Self.fields.value)
      try fill(book, with: hostileTexts)
      try await book.lines("sync")
      try await check(file, book)
    }
  }

  @Test(arguments: RecordFile.all)
  func `declared fields come back where built-in ones are empty`(_ file: RecordFile) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try book.script(await Self.fields.value)
      try book.script(
        """
        update staffbook.users set email = '', phone = '' where id <> 'u2';
        update staffbook.users set fields = '{"given_name": "Ada", "mobile": "1"}'
          where id = 'u1';
        update staffbook.users set fields = '{"other_phones": ["2", "3"], "other_emails": ["a@b"],
          "family_name": "Émile Noé", "manager": "u3"}' where id = 'u3';
        update staffbook.users set fields = '{"other_phones": ["+1 555 0101", "3"],
          "other_emails": ["LUKASZ@lumen.example"], "languages": ["de", "Deutsch"]}' where id = 'u2'
        """
      )
      try await book.lines("sync")
      try await check(file, book)
    }
  }

  @Test(arguments: RecordFile.all)
  func `a part changes nothing in the directory that it is from`(_ file: RecordFile) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        // Its one person is at home in Mirrors, which is below it, and then is not.
        for part in ["id:opt", "id:lum"] {
          let path = folder.appending(file.name).string
          let outcome = try await book.run(
            ["export", part, "--depth", "1", "--force", "-o", path] + file.options
          )
          try #require(outcome.status == 0, "\(outcome)")
          try await book.lines("import", "--no-sync", path)
          #expect(try book.contents() == before, "\(part)")
        }
      }
    }
  }
}
