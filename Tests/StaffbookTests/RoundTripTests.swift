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
    RecordFile(name: "all.ldif"), RecordFile(name: "all.vcf", showsControls: true),
    RecordFile(name: "all.vcf", options: ["--vcard-version", "3.0"], showsControls: true),
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
        union all select 'm', user_id, department_id, sort_order::text, title, '', ''
          from staffbook.memberships) everything
        order by kind, id, other
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
    let expected = stored.map { record in record[..<4] + record[4...].map(file.text) }
    let isExact = expected == stored.map { $0[...] }
    if isExact {
      try await book.lines("import", "--no-sync", "--replace", first.string)
      #expect(try book.contents() == before, "nothing is to be written")
    }
    try await withBook { other in
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
    // The largest takes its time, and these are written as the others are.
    if set == "cn-divisions", file.name == "all.json" || !file.options.isEmpty { return }
    try await withBook { book in
      try await book.lines("import", try TestData.directory(named: set).string)
      try await check(file, book)
    }
  }

  @Test(arguments: RecordFile.all)
  func `hostile texts come back whole`(_ file: RecordFile) async throws {
    try await withHostileBook { book, _ in try await check(file, book) }
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
