import DirectoryExchange
import DirectoryModel
import DirectorySnapshot
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import DirectoryService

private let allFormats: [RowFormat] = [.csv, .spreadsheetCSV, .json, .jsonl, .plain]

@Suite("Formats of rows")
struct RowFormatTests {
  @Test(
    arguments: [
      ("a.csv", .csv), ("a.CSV", .csv), ("a.b.json", .json), ("a.jsonl", .jsonl),
      ("a.plain", .plain), (".csv", .csv), ("a", nil), ("a.", nil), ("", nil), ("csv", nil),
      ("a.xlsx", nil), ("a.csv.gz", nil), ("dir.csv/a", nil),
    ] as [(String, RowFormat?)]
  )
  func `are known by a file's ending`(name: String, format: RowFormat?) {
    #expect(RowFormat(fileName: name) == format)
  }

  private func written(
    _ rows: [DirectoryRow],
    as format: RowFormat,
    forTerminal: Bool = false
  ) -> String {
    var stream = RowStream(format, forTerminal: forTerminal)
    var bytes: [UInt8] = []
    for row in rows { stream.append(row, to: &bytes) }
    stream.finish(to: &bytes)
    #expect(stream.rowCount == rows.count)
    return String(decoding: bytes, as: UTF8.self)
  }

  private let header = "level,kind,id,parent_id,name,description,title,email,phone,people"

  private var row: DirectoryRow {
    var row = DirectoryRow(kind: .user, id: "u1", name: "Ada\u{1B}[31m\u{202E}")
    row.level = 1
    row.parent = DepartmentID("\u{9B}d")
    row.title = "a\tb"
    return row
  }

  @Test func `an empty list is whole in every format`() {
    #expect(written([], as: .csv).hasPrefix(header))
    #expect(written([], as: .json) == "[]\n")
    #expect(written([], as: .jsonl).isEmpty)
    #expect(written([], as: .plain).isEmpty)
  }

  @Test func `what begins and ends a list stands there once`() {
    #expect(written([row, row], as: .json).filter { $0 == "[" }.count == 1 + 2)
    #expect(written([row, row], as: .jsonl).split(separator: "\n").count == 2)
    #expect(written([row, row], as: .csv).split(whereSeparator: \.isNewline).count == 3)
    #expect(written([row, row], as: .plain).split(separator: "\n").count == 2)
  }

  @Test func `to a file everything goes as it is`() {
    for format in [RowFormat.csv, .plain] {
      let bytes = written([row], as: format)
      #expect(bytes.contains("Ada\u{1B}[31m\u{202E}"), "\(format)")
    }
  }

  @Test(arguments: allFormats)
  func `to a terminal nothing goes that it acts upon`(format: RowFormat) {
    let text = written([row, row], as: format, forTerminal: true)
    // A spreadsheet wants a byte order mark first, which shows nothing.
    let scalars = text.unicodeScalars.drop { format == .spreadsheetCSV && $0 == "\u{FEFF}" }
    for scalar in scalars where scalar != "\n" && scalar != "\t" && scalar != "\r" {
      let category = scalar.properties.generalCategory
      let isIsolate = (0x2066...0x2069).contains(scalar.value)
      #expect(
        category != .control && (category != .format || isIsolate),
        "U+\(String(scalar.value, radix: 16))"
      )
    }
  }
}

@Suite("Exporting rows to a file")
struct ExportTests {
  private func company() throws -> Company {
    var company = Company()
    try company.department("root", name: "Lumen")
    try company.department("a", under: "root", name: "Atelier, \"the\"")
    for index in 0..<2_000 {
      try company.user(
        "u\(index)",
        in: index % 3 == 0 ? "root" : "a",
        name: "Person \(index)",
        title: "Maker of lamps",
        email: "person.\(index)@lumen.example"
      )
    }
    return company
  }

  private func requests(_ directory: Directory) throws -> [TreeRequest] {
    var below = TreeRequest(opening: .all)
    below.root = try directory.node(of: DepartmentID("a"))
    below.withContacts = true
    var departments = TreeRequest(opening: .view(SavedView(expanded: [DepartmentID("root")])))
    departments.kinds = .departments
    var filtered = TreeRequest(opening: .all)
    filtered.filter = "person 19"
    return [
      TreeRequest(opening: .all), TreeRequest(opening: .levels(1)), below, departments, filtered,
    ]
  }

  @Test(arguments: allFormats)
  func `writes exactly the rows that the tree shows`(format: RowFormat) throws {
    let scratch = try ScratchFolder()
    let directory = try company().directory()
    let target = scratch.path.appending("out")
    for request in try requests(directory) {
      var stream = RowStream(format)
      var expected: [UInt8] = []
      try directory.forEachRow(of: request) { stream.append($0.row, to: &expected) }
      stream.finish(to: &expected)
      let count = try directory.export(request, as: format, to: target.string, replacing: true)
      #expect(count == stream.rowCount && count > 1)
      #expect(try bytes(of: target) == expected)
    }
    #expect(scratch.entries == ["out"])
  }

  @Test func `a file that is there is left alone, unless it may be replaced`() throws {
    let scratch = try ScratchFolder()
    let target = try scratch.write(Array("precious".utf8), to: "out.csv")
    let directory = try company().directory()
    let request = TreeRequest(opening: .all)
    let error = #expect(throws: DirectoryError.self) {
      try directory.export(request, as: .csv, to: target.string, replacing: false)
    }
    #expect(error?.kind == .cannotWrite && error?.advice?.contains("--force") == true)
    #expect(try bytes(of: target) == Array("precious".utf8))
    _ = try directory.export(request, as: .csv, to: target.string, replacing: true)
    #expect(try bytes(of: target).count > 1_000)
    #expect(scratch.entries == ["out.csv"])
  }

  @Test(arguments: ["", "nowhere/out.csv", ".", "pipe"])
  func `what cannot be a file is an error that names it`(name: String) throws {
    let scratch = try ScratchFolder()
    #expect(scratch.path.appending("pipe").withPlatformString { mkfifo($0, 0o600) } == 0)
    let path = name.isEmpty ? "" : scratch.path.appending(name).string
    for replacing in [false, true] {
      let error = #expect(throws: DirectoryError.self) {
        try company().directory().export(
          TreeRequest(opening: .all),
          as: .csv,
          to: path,
          replacing: replacing
        )
      }
      #expect(error?.kind == .cannotWrite)
      #expect(error?.message.contains(path) == true || path.isEmpty)
    }
    #expect(scratch.entries == ["pipe"])
  }

  @Test func `a damaged snapshot is called that, and not a failure to write`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path.appending("directory.snapshot")
    try company().write(to: path)
    var damaged = try bytes(of: path)
    // Only contacts hold it, and they are read when they are asked for.
    let place = try #require(damaged.firstRange(of: Array("person.77@".utf8)))
    damaged[place.lowerBound] ^= 1
    #expect(path.withPlatformString { unlink($0) } == 0)
    try scratch.write(damaged, to: "directory.snapshot")
    let directory = try Directory(DirectorySnapshot(path: path))
    var request = TreeRequest(opening: .all)
    request.withContacts = true
    let target = scratch.path.appending("out.csv")
    let error = #expect(throws: SnapshotError.self) {
      try directory.export(request, as: .csv, to: target.string, replacing: false)
    }
    guard let error else { return }
    #expect(DirectoryError(describing: error).kind == .badData)
    #expect(scratch.entries == ["directory.snapshot"])
  }
}
