import DirectoryModel
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryExchange

/// Rows of a small tree with where they stand.
private struct Rows {
  var rows: [(row: DirectoryRow, place: TreePosition)] = []

  mutating func department(_ name: String, depth: Int, open: Bool = true, folded: Bool = false) {
    var row = DirectoryRow(kind: .department, id: "d\(rows.count)", name: name)
    row.disclosure = open ? .expanded : .collapsed
    row.people = 3
    row.description = ""
    add(row, depth, folded, hasRowsBelow: true)
  }

  mutating func person(_ name: String, depth: Int, folded: Bool = false) {
    var row = DirectoryRow(kind: .user, id: "00\(rows.count)", name: name)
    row.title = name
    row.contacts = ContactValues { $0 == .phone ? "+1 555" : "" }
    add(row, depth, folded, hasRowsBelow: false)
  }

  private mutating func add(
    _ row: DirectoryRow,
    _ depth: Int,
    _ isFolded: Bool,
    hasRowsBelow: Bool
  ) {
    var place = TreePosition()
    place.depth = depth
    place.isFolded = isFolded
    place.hasRowsBelow = hasRowsBelow
    rows.append((row, place))
  }

  func written(by encoder: some RowEncoder) throws -> [UInt8] {
    var encoder = encoder
    var all: [UInt8] = []
    var bytes: [UInt8] = []
    encoder.begin(&bytes)
    for (row, place) in rows {
      try row.withFields { fields in
        var fields = fields
        fields.place = place
        try encoder.append(fields, to: &bytes)
      }
      // The caller empties the bytes when it likes.
      all += bytes
      bytes.removeAll()
    }
    try encoder.end(&bytes)
    repeat {
      all += bytes
      bytes.removeAll()
    } while try encoder.appendRest(to: &bytes)
    return all
  }
}

@Suite("Trees in other formats")
struct ExportRowTests {
  private var small: Rows {
    var rows = Rows()
    rows.department("A \"x\" & \\n", depth: 0)
    rows.department("B", depth: 1, open: false)
    rows.person("C", depth: 2, folded: true)
    rows.person("D`;|", depth: 1)
    return rows
  }

  @Test func `Markdown nests`() throws {
    #expect(
      String(decoding: try small.written(by: MarkdownEncoder()), as: UTF8.self) == """
        - **A "x" &amp; \\\\n** (3)
          - **B** (3)
            - C, C · +1 555
          - D\\`;\\|, D\\`;\\| · +1 555

        """
    )
  }

  @Test func `Graphviz and Mermaid get an edge for each row below another`() throws {
    let dot = String(decoding: try small.written(by: DotEncoder()), as: UTF8.self)
    #expect(
      dot == Self.dotBeginning + #"""
          n1 [label="A \"x\" &amp; \\n (3)", style="rounded,bold"];
          n2 [label="B (3)", style="rounded,bold"];
          n1 -> n2;
          n3 [label="C\nC"];
          n2 -> n3;
          n4 [label="D`;|\nD`;|"];
          n1 -> n4;
        }

        """#
    )
    let mermaid = String(decoding: try small.written(by: MermaidEncoder()), as: UTF8.self)
    #expect(
      mermaid == #"""
        flowchart LR
          n1["A #34;x#34; #38; #92;n (3)"]
          n2["B (3)"]
          n1 --- n2
          n3("C<br>C")
          n2 --- n3
          n4("D#96;#59;#124;<br>D#96;#59;#124;")
          n1 --- n4

        """#
    )
  }

  private static let dotBeginning = """
    digraph staffbook {
      graph [charset="UTF-8", rankdir=LR];
      node [shape=box, style=rounded, fontname="sans-serif"];
      edge [dir=none];

    """

  @Test func `people without their departments hang on nothing`() throws {
    var rows = Rows()
    rows.person("A", depth: 3)
    rows.person("B", depth: 5)
    #expect(
      String(decoding: try rows.written(by: DotEncoder()), as: UTF8.self)
        == Self.dotBeginning + #"""
            n1 [label="A\nA"];
            n2 [label="B\nB"];
          }

          """#
    )
    #expect(
      String(decoding: try rows.written(by: MarkdownEncoder()), as: UTF8.self) == """
        - A, A · +1 555
        - B, B · +1 555

        """
    )
  }

  @Test(arguments: [10_000]) func `a deep chain grows with its length alone`(depth: Int) throws {
    var rows = Rows()
    for level in 0..<depth { rows.department("x", depth: level) }
    for encoder in [MarkdownEncoder(), DotEncoder(), HTMLEncoder(title: "x")] as [any RowEncoder] {
      #expect(try rows.written(by: encoder).count < depth * 300 + 30_000, "\(encoder)")
    }
    let markdown = String(decoding: try rows.written(by: MarkdownEncoder()), as: UTF8.self)
    let indent = String(repeating: " ", count: 64)
    #expect(markdown.split(separator: "\n").last == "\(indent)- **x** (3) (level 9999)")
  }
}

@Suite("Workbooks")
struct WorkbookTests {
  /// What Python's zipfile and XML parser find: rows of sheets as
  /// `name|outlineLevel|hidden|collapsed`.
  private func rows(of workbook: [UInt8]) async throws -> [[String]] {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("a.xlsx")
      try write(workbook, to: path)
      let script = """
        import sys, zipfile, xml.etree.ElementTree as tree
        archive = zipfile.ZipFile(sys.argv[1])
        assert archive.testzip() is None
        n = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
        book = tree.fromstring(archive.read('xl/workbook.xml'))
        for index, sheet in enumerate(book.iter(n + 'sheet')):
            print('sheet', sheet.get('name'))
            data = tree.fromstring(archive.read(f'xl/worksheets/sheet{index + 1}.xml'))
            for row in data.iter(n + 'row'):
                get = row.get
                name = next(row.iter(n + 't')).text
                print(name, get('outlineLevel'), get('hidden'), get('collapsed'), sep='|')
        """
      let outcome = try await runProgram("/usr/bin/python3", ["-c", script, path.string])
      try #require(outcome.status == 0, "\(outcome)")
      var sheets: [[String]] = []
      for line in outcome.stdout.split(separator: "\n").map(String.init) {
        if line.hasPrefix("sheet ") {
          sheets.append([line])
        } else {
          sheets[sheets.count - 1].append(line)
        }
      }
      return sheets
    }
  }

  @Test func `rows open and close as they did`() async throws {
    var rows = Rows()
    rows.department("A", depth: 0)
    rows.department("B", depth: 1, open: false)
    rows.person("C", depth: 2, folded: true)
    rows.person("D", depth: 1)
    let sheets = try await self.rows(of: rows.written(by: WorkbookEncoder(deepestLevel: 2)))
    #expect(
      sheets == [
        [
          "sheet Directory", "Name|None|None|None", "A|None|None|None", "B|1|None|1", "C|2|1|None",
          "D|1|None|None",
        ]
      ]
    )
  }

  @Test func `a closed department behind an open one hides nothing in LibreOffice`() async throws {
    var rows = Rows()
    rows.department("A", depth: 0)
    rows.person("B", depth: 1)
    rows.department("C", depth: 0, open: false)
    rows.person("D", depth: 1, folded: true)
    rows.department("E", depth: 0, open: false)
    rows.person("F", depth: 1, folded: true)
    let sheets = try await self.rows(of: rows.written(by: WorkbookEncoder(deepestLevel: 2)))
    // It closes what ends before a row that is `collapsed`.
    #expect(
      sheets[at: 0]?.dropFirst(2) == [
        "A|None|None|None", "B|1|None|None", "C|None|None|None", "D|1|1|None", "E|None|None|1",
        "F|1|1|None",
      ]
    )
  }

  @Test func `what lies deeper than seven levels folds with the seventh`() async throws {
    var rows = Rows()
    for level in 0..<12 { rows.department("L\(level)", depth: level) }
    let sheets = try await self.rows(of: rows.written(by: WorkbookEncoder(deepestLevel: 2)))
    #expect(
      sheets[at: 0]?.dropFirst(2).map { $0.split(separator: "|")[at: 1] ?? "" } == [
        "None", "1", "2", "3", "4", "5", "6", "7", "7", "7", "7", "7",
      ]
    )
  }

  @Test(arguments: [1, 3, 4, 9, 10]) func `more rows than a sheet holds go on in the next`(
    count: Int
  ) async throws {
    var rows = Rows()
    for index in 0..<count { rows.person("P\(index)", depth: 0) }
    let encoder = try WorkbookEncoder(deepestLevel: 0, rowLimit: 4)
    let sheets = try await self.rows(of: rows.written(by: encoder))
    #expect(sheets.count == (count + 2) / 3)
    #expect(sheets.allSatisfy { $0.count <= 5 && $0[at: 1] == "Name|None|None|None" })
    #expect(
      sheets.last?.first
        == (count > 3 ? "sheet Directory \(sheets.count)" : "sheet Directory")
    )
    let people: [Substring] = sheets.flatMap { $0.dropFirst(2) }.map { $0.prefix { $0 != "|" } }
    #expect(people.map(String.init) == (0..<count).map { "P\($0)" })
  }

  @Test func `a text that no cell holds is an error that names it`() throws {
    for (text, length, isFit) in [
      ("é", 32_767, true), ("é", 32_768, false), ("😀", 16_383, true), ("😀", 16_384, false),
    ] {
      var rows = Rows()
      rows.person(String(repeating: text, count: length), depth: 0)
      do {
        _ = try rows.written(by: WorkbookEncoder(deepestLevel: 2))
        #expect(isFit)
      } catch let error as DirectoryError {
        #expect(!isFit && error.kind == .badData)
        #expect(
          error.message == """
            cannot write a workbook: the name of 000 has 32768 characters, and a cell can hold 32767
            """
        )
      }
    }
  }

  @Test func `a cell holds what XML cannot`() async throws {
    let texts = [
      ("<&>\"", "<&>\""), ("\u{B}", "_x000B_"), ("a\rb", "a_x000D_b"),
      ("_x000B_", "_x005F_x000B_"), ("_X0aF9_", "_x005F_X0aF9_"), ("_x12_", "_x12_"),
      ("_x000B", "_x000B"), ("\ta ", "\ta "), ("😀é", "😀é"), ("\u{FFFE}", "_xFFFE_"),
      ("\u{FFFF}x", "_xFFFF_x"), ("\u{FFFD}", "\u{FFFD}"), ("=1+1", "=1+1"), ("007", "007"),
    ]
    var rows = Rows()
    for (text, _) in texts { rows.person(text, depth: 0) }
    let sheets = try await self.rows(of: rows.written(by: WorkbookEncoder(deepestLevel: 2)))
    #expect(sheets[at: 0]?.dropFirst(2).map { $0 } == texts.map { "\($0.1)|None|None|None" })
  }

  @Test func `the same rows give the same bytes`() throws {
    var rows = Rows()
    for index in 0..<100 { rows.person("P\(index)", depth: 0) }
    #expect(
      try rows.written(by: WorkbookEncoder(deepestLevel: 2))
        == rows.written(by: WorkbookEncoder(deepestLevel: 2))
    )
  }

  @Test func `wherever a disk is full, there is a whole workbook or an error`() async throws {
    await #expect(processExitsWith: .success) {
      // As a full disk, which not everybody can arrange: files of this process end somewhere.
      signal(SIGXFSZ, SIG_IGN)
      var rows = Rows()
      for index in 0..<100 { rows.person("P\(index)", depth: 0) }
      let whole = try rows.written(by: WorkbookEncoder(deepestLevel: 0))
      #if canImport(Glibc)
        let file = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let file = RLIMIT_FSIZE
      #endif
      var limit = rlimit()
      #expect(getrlimit(file, &limit) == 0)
      for end in Swift.stride(from: whole.count + 200, through: 0, by: -37) {
        limit.rlim_cur = rlim_t(end)
        #expect(setrlimit(file, &limit) == 0)
        do {
          #expect(try rows.written(by: WorkbookEncoder(deepestLevel: 0)) == whole)
          #expect(end >= whole.count)
        } catch let error as DirectoryError {
          #expect(error.kind == .cannotWrite && end < whole.count, "\(end): \(error)")
          #expect(error.message.contains("too large"), "\(error)")
        }
      }
    }
  }

  @Test func `an empty list is a workbook`() async throws {
    let sheets = try await rows(of: Rows().written(by: WorkbookEncoder(deepestLevel: 2)))
    #expect(sheets == [["sheet Directory", "Name|None|None|None"]])
  }

  @Test func `what is compressed in pieces comes back whole`() async throws {
    var rows = Rows()
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      rows.person(String(UInt64.random(in: 0...UInt64.max, using: &generator)), depth: 0)
    }
    let sheets = try await self.rows(of: rows.written(by: WorkbookEncoder(deepestLevel: 2)))
    #expect(
      sheets[at: 0]?.dropFirst(2).map { String($0.split(separator: "|").first ?? "") }
        == rows.rows.map(\.row.name)
    )
  }
}
