import DirectoryExchange
import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import LiveDirectory
import Platform
import SystemPackage
import Testing
import TestSupport

@testable import DirectoryReading

private let rowFormats: [RowFormat] = [.csv, .tsv, .json, .jsonl, .plain]
private let writtenFormats = RowFormat.allCases.filter { $0 != .text }

@Suite("Formats of rows")
struct RowFormatTests {
  @Test(
    arguments: [
      ("a.csv", .csv), ("a.CSV", .csv), ("a.b.json", .json), ("a.jsonl", .jsonl),
      ("a.plain", .plain), (".csv", .csv), ("a", nil), ("a.", nil), ("", nil), ("csv", nil),
      ("a.xls", nil), ("a.csv.gz", nil), ("dir.csv/a", nil), ("a.tsv", .tsv),
      ("a.ndjson", .jsonl), ("a.XLSX", .xlsx), ("a.vcf", .vcard), ("a.ldif", .ldif),
      ("a.txt", .text), ("a.md", .markdown), ("a.htm", .html), ("a.html", .html),
      ("a.mmd", .mermaid), ("a.dot", .dot), ("a.gv", .dot),
    ] as [(String, RowFormat?)]
  )
  func `are known by a file's ending`(name: String, format: RowFormat?) {
    #expect(RowFormat(fileName: name) == format)
  }

  private func written(
    _ rows: [DirectoryRow],
    as format: RowFormat,
    forTerminal: Bool = false
  ) throws -> String {
    var stream = RowStream(format, forTerminal: forTerminal)
    var bytes: [UInt8] = []
    for row in rows { try stream.append(row, to: &bytes) }
    try stream.finish(to: &bytes)
    #expect(stream.rowCount == rows.count)
    return String(decoding: bytes, as: UTF8.self)
  }

  private let header =
    "level,kind,id,parent_id,name,description,title,email,phone,sort_order,primary,people,path"

  private var row: DirectoryRow {
    var row = DirectoryRow(kind: .user, id: "u1", name: "Ada\u{1B}[31m\u{202E}")
    row.level = 1
    row.parent = DepartmentID("\u{9B}d")
    row.title = "a\tb"
    return row
  }

  @Test func `an empty list is whole in every format`() throws {
    #expect(try written([], as: .csv).hasPrefix(header))
    #expect(try written([], as: .json) == "[]\n")
    #expect(try written([], as: .jsonl).isEmpty)
    #expect(try written([], as: .plain).isEmpty)
  }

  @Test func `what begins and ends a list stands there once`() throws {
    #expect(try written([row, row], as: .json).filter { $0 == "[" }.count == 1 + 2)
    #expect(try written([row, row], as: .jsonl).split(separator: "\n").count == 2)
    #expect(try written([row, row], as: .csv).split(whereSeparator: \.isNewline).count == 3)
    #expect(try written([row, row], as: .plain).split(separator: "\n").count == 2)
  }

  @Test func `to a file everything goes as it is`() throws {
    for format in [RowFormat.csv, .tsv, .plain] {
      let bytes = try written([row], as: format)
      #expect(bytes.contains("Ada\u{1B}[31m\u{202E}"), "\(format)")
    }
  }

  @Test(arguments: rowFormats + [.markdown, .mermaid, .dot])
  func `to a terminal nothing goes that it acts upon`(format: RowFormat) throws {
    let text = try written([row, row], as: format, forTerminal: true)
    for scalar in text.unicodeScalars where scalar != "\n" && scalar != "\t" && scalar != "\r" {
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

  @Test(arguments: writtenFormats)
  func `writes exactly the rows that the tree shows`(format: RowFormat) throws {
    let scratch = try ScratchFolder()
    let directory = try company().directory()
    let target = scratch.path.appending("out")
    for request in try requests(directory) {
      var rows = 0
      try directory.forEachRow(of: request) { _ in rows += 1 }
      var expected: [UInt8] = []
      let written = try directory.write(request, as: format) { bytes in
        expected += bytes
        bytes.removeAll()
      }
      let count = try directory.export(request, as: format, to: target.string, replacing: true)
      #expect(count == written && count.rows == rows && rows > 1 && count.folded == 0)
      #expect(try bytes(of: target) == expected)
    }
    #expect(try scratch.entries == ["out"])
  }

  /// What is read as bytes from the columns, and what is read as strings.
  @Test(arguments: rowFormats) func `rows are the same however they are read`(
    format: RowFormat
  ) throws {
    let directory = try company().directory()
    for request in try requests(directory) {
      var request = request
      request.withContacts = true
      var stream = RowStream(format)
      var expected: [UInt8] = []
      try directory.forEachRow(of: request) { shown in
        var row = try directory.row(at: shown.place.node, withContacts: true)
        row.disclosure = shown.disclosure
        try stream.append(row, to: &expected)
      }
      try stream.finish(to: &expected)
      var written: [UInt8] = []
      _ = try directory.write(request, as: format) { bytes in
        written += bytes
        bytes.removeAll()
      }
      let lines = String(decoding: written, as: UTF8.self).split(whereSeparator: \.isNewline)
      let others = String(decoding: expected, as: UTF8.self).split(whereSeparator: \.isNewline)
      #expect(lines.count == others.count)
      for (line, other) in zip(lines, others) {
        // A row of a list outside the tree has no path.
        #expect(line == other || line.hasPrefix(other) && (format == .csv || format == .tsv))
      }
    }
  }

  @Test func `a file that is there is left alone, unless it may be replaced`() throws {
    let scratch = try ScratchFolder()
    let target = try scratch.write(Array("precious".utf8), to: "out.csv")
    let directory = try company().directory()
    let request = TreeRequest(opening: .all)
    let error = #expect(throws: DirectoryError.self) {
      try directory.export(request, as: .csv, to: target.string, replacing: false)
    }
    #expect(
      error?.kind == .cannotWrite && error?.advice?.description.contains("<replaceFiles>") == true
    )
    #expect(try bytes(of: target) == Array("precious".utf8))
    _ = try directory.export(request, as: .csv, to: target.string, replacing: true)
    #expect(try bytes(of: target).count > 1_000)
    #expect(try scratch.entries == ["out.csv"])
  }

  @Test func `a link of one's own stays, and what it leads to is replaced`() throws {
    let scratch = try ScratchFolder()
    let target = try scratch.write(Array("old".utf8), to: "out.csv")
    let link = scratch.path.appending("link.csv")
    #expect(link.withPlatformString { symlink("out.csv", $0) } == 0)
    let directory = try company().directory()
    let request = TreeRequest(opening: .all)
    #expect(throws: DirectoryError.self) {
      try directory.export(request, as: .csv, to: link.string, replacing: false)
    }
    _ = try directory.export(request, as: .csv, to: link.string, replacing: true)
    var status = stat()
    #expect(link.withPlatformString { lstat($0, &status) } == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    #expect(try bytes(of: target).count > 1_000)
    #expect(try scratch.entries == ["link.csv", "out.csv"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can make another account's link"))
  func `a link of another account is not followed`() throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write(Array("precious".utf8), to: "out.csv")
    let folder = scratch.path.appending("folder")
    #expect(folder.withPlatformString { mkdir($0, 0o700) } == 0)
    func link(_ name: String, to target: String, of account: uid_t) {
      let path = scratch.path.appending(name)
      #expect(path.withPlatformString { symlink(target, $0) } == 0)
      #expect(path.withPlatformString { lchown($0, account, account) } == 0)
    }
    link("link.csv", to: "out.csv", of: 65_534)
    link("link", to: "folder", of: 65_534)
    link("mine", to: "link", of: 0)
    let directory = try company().directory()
    let request = TreeRequest(opening: .all)
    for name in ["link.csv", "link", "mine"] {
      let path = scratch.path.appending(name).string
      let error = #expect(throws: DirectoryError.self) {
        if name == "link.csv" {
          try directory.export(request, as: .csv, to: path, replacing: true)
        } else {
          try directory.exportFiles(request, to: path, replacing: true)
        }
      }
      #expect(error?.kind == .cannotWrite)
      let what =
        name == "mine" ? "it leads to \(scratch.path)/link, a link" : "it is a symbolic link"
      #expect(
        error?.message
          == "refusing to write \(path): \(what) that belongs to another account (user id 65534)"
      )
    }
    #expect(try bytes(of: file) == Array("precious".utf8))
    #expect(try scratch.entries == ["folder", "link", "link.csv", "mine", "out.csv"])
    // One's own is.
    link("own", to: "folder", of: 0)
    _ = try directory.exportFiles(
      request,
      to: scratch.path.appending("own").string,
      replacing: true
    )
    #expect(folder.appending("users.csv").withPlatformString { access($0, F_OK) } == 0)
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
      #expect(error?.advice?.description.contains("<replaceFiles>") != true, "it would not help")
    }
    #expect(try scratch.entries == ["pipe"])
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
    let directory = try Directory(DirectorySnapshot(path: path), for: .everything)
    var request = TreeRequest(opening: .all)
    request.withContacts = true
    let target = scratch.path.appending("out.csv")
    let error = #expect(throws: SnapshotError.self) {
      try directory.export(request, as: .csv, to: target.string, replacing: false)
    }
    guard let error else { return }
    #expect(DirectoryError(describing: error).kind == .badData)
    #expect(try scratch.entries == ["directory.snapshot"])
  }
}
