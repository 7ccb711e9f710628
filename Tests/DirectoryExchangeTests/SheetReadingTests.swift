import DirectoryModel
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryExchange

@Suite("Workbooks read")
struct SheetReadingTests {
  /// Makes a workbook with a script in Debian's Python, which has openpyxl; `book` is to be filled, and
  /// `path` names the file.
  private func withWorkbook(
    _ script: String,
    _ body: (FilePath) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("book.xlsx")
      let head = """
        import sys, datetime, zipfile, struct, zlib, openpyxl
        path = sys.argv[1]
        book = openpyxl.Workbook()
        sheet = book.active

        # Saves the workbook with another sheet, and with texts that its cells share.
        def save(data, shared=None):
            book.save(path + '.plain')
            source = zipfile.ZipFile(path + '.plain')
            target = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED)
            for name in source.namelist():
                part = source.read(name)
                if name == 'xl/worksheets/sheet1.xml': part = data
                if shared and name == 'xl/_rels/workbook.xml.rels':
                    part = part.replace(b'</Relationships>', b'<Relationship Id="s" Target="texts.xml"'
                        b' Type="x/sharedStrings"/></Relationships>')
                target.writestr(name, part)
            if shared: target.writestr('xl/texts.xml', shared)
            target.close()

        """
      let made = try await runProgram("/usr/bin/python3", ["-c", head + script, path.string])
      try #require(made.status == 0, "\(made)")
      try await body(path)
    }
  }

  private func text(_ path: FilePath, sheet: String? = nil) throws -> String {
    var form = InputOptions()
    form.sheet = sheet
    let file = try InputFile.readable(path.string, form)
    var reader = try CSVReader(file)
    var writer = CSVWriter()
    var bytes: [UInt8] = []
    var line = 1
    while let item = reader.next() {
      guard case .record(let record) = item else { continue }
      // A row without cells.
      for _ in line..<record.line { bytes += "\r\n".utf8 }
      for place in 0..<record.count { writer.append(record[place], to: &bytes) }
      writer.endRecord(to: &bytes)
      line = record.line + 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func refusal(_ path: FilePath, sheet: String? = nil) -> DirectoryError? {
    #expect(throws: DirectoryError.self) { try self.text(path, sheet: sheet) }
  }

  @Test func `numbers, dates and truths are the texts that cells show`() async throws {
    try await withWorkbook(
      """
      cells = [
        (17, '00000'), (493012345678, 'General'), (0.1 + 0.2, 'General'), (0.125, '0.0%'),
        (1234567.5, '#,##0.00'), (5551234, '000\\\\-0000'), (12, '"Nr "0'), (-3, '0'),
        (1.5, '0.##'), (2, '0.##'), (123456789012345678, 'General'), (43556, 'yyyy-mm-dd'),
        (43556, '[$-407]d. mmmm yyyy'), (43556.5, 'dd/mm/yyyy hh:mm'), (0.75, 'hh:mm'),
        (59, 'm/d/yy'), (61, 'm/d/yy'), (1, 'yyyy'), (43556, 'yyyy"年"m"月"d"日"'), (49, '+0'),
        (True, 'General'), (None, 'General'), ('007', '@'), ('a_x0041_b', 'General'), (4.5, '@'),
        (1.25, '[<1]0.0;0'), (7, '"kg"'), (38.5 / 24, '[h]:mm'), (1.5, '0.0e+00'),
        (30.51 / 24, '[hh]:mm:ss'), (1.5, '[m]:ss'), (1, '[ss]'),
      ]
      sheet.append([value for value, code in cells])
      for place, (value, code) in enumerate(cells):
          sheet.cell(1, place + 1).number_format = code
      book.save(path)
      """
    ) { path in
      let line = try #require(try text(path).split(separator: "\r\n").first)
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      #expect(
        cells == [
          "00017", "493012345678", "0.3", "12.5%", "1234567.50", "555-1234", "Nr 12", "-3", "1.5",
          "2", "1.23456789012346E+17", "2019-04-01", "2019-04-01", "2019-04-01 12:00:00",
          "18:00:00", "1900-02-28", "1900-03-01", "1900-01-01", "2019-04-01", "+49", "TRUE", "",
          "007", "aAb", "4.5", "1.25", "7", "38:30", "1.5", "30:30:36", "2160:00", "86400",
        ]
      )
    }
  }

  /// The year 10000 has five digits, and numbers count to it from 1900 and from 1904.
  @Test(arguments: [false, true])
  func `days behind the year 9999 are numbers`(from1904: Bool) async throws {
    try await withWorkbook(
      """
      import openpyxl.utils.datetime
      if \(from1904 ? "True" : "False"): book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
      sheet.append([2957003, 2957004, 2958465, 2958465.9999999])
      for place in range(4): sheet.cell(1, place + 1).number_format = 'yyyy-mm-dd'
      book.save(path)
      """
    ) { path in
      let lines = try text(path)
      #expect(
        lines
          == (from1904
            ? "9999-12-31,2957004,2958465,2958465.9999999\r\n"
            : "9995-12-30,9995-12-31,9999-12-31,2958465.9999999\r\n")
      )
    }
  }

  /// The record at the archive's end, that of ZIP64 before it, and what that one leads to.
  @Test(
    arguments: [
      (UInt64(Int64.max), UInt64(1)), (1, UInt64(Int64.max)), (.max, .max),
      (UInt64(Int64.max), .max),
      (UInt64(1) << 63, UInt64(1) << 63),
    ] as [(UInt64, UInt64)]
  )
  func `an archive whose list of parts is beyond all numbers is refused`(
    offset: UInt64,
    size: UInt64
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("book.xlsx")
      func little(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
      }
      let signature = Array("PK\u{3}\u{4}".utf8) + little(0, 26)
      let large =
        Array("PK\u{6}\u{6}".utf8) + little(44, 8) + little(0, 28) + little(size, 8)
        + little(offset, 8)
      let locator =
        Array("PK\u{6}\u{7}".utf8) + little(0, 4) + little(UInt64(signature.count), 8)
        + little(1, 4)
      let end =
        Array("PK\u{5}\u{6}".utf8) + little(0, 8) + little(.max, 4) + little(.max, 4)
        + little(0, 2)
      try write((signature + large + locator + end)[...], to: path)
      let error = refusal(path)
      #expect(error?.kind == .badData, "\(error as Any)")
    }
  }

  @Test func `days may be counted from 1904`() async throws {
    try await withWorkbook(
      """
      import openpyxl.utils.datetime
      book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
      sheet.append([datetime.date(2019, 4, 1), 0])
      sheet.cell(1, 2).number_format = 'yyyy-mm-dd'
      book.save(path)
      """
    ) { path in
      let lines = try text(path)
      #expect(lines == "2019-04-01,1904-01-01\r\n")
    }
  }

  @Test func `each row is a line, and has the columns of the first`() async throws {
    try await withWorkbook(
      """
      sheet['A2'] = 'No'; sheet['B2'] = 'Name'; sheet['C2'] = 'Unit'
      sheet['A4'] = '1'; sheet['B4'] = 'two\\nlines, "quoted"'
      sheet['B5'] = '李'; sheet['E5'] = 'more'
      book.save(path)
      """
    ) { path in
      #expect(
        try text(path)
          == "\r\nNo,Name,Unit\r\n\r\n1,\"two\nlines, \"\"quoted\"\"\",\r\n,李,,,more\r\n"
      )
      var form = InputOptions()
      form.isPersonnel = true
      let seen = try readList(
        InputFile.readable(path.string, form),
        as: .personnel,
        home: "h",
        mapping: mapping(["id": "{No}", "name": "{Name}"])
      )
      #expect(seen.rows == ["u|1|<h|two lines, \"quoted\"||||0|true"])
      #expect(seen.problems == ["5: has no id"])
      #expect(seen.warnings.contains("5: column 5 has a value and no heading, and is left out"))
    }
  }

  @Test func `texts in the cell, with phonetics or in runs, are the text that is seen`()
    async throws
  {
    try await withWorkbook(
      """
      main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
      runs = '<x:r><x:t>bo</x:t></x:r><x:r><x:t>ld</x:t></x:r>'
      runs += '<x:rPh sb="0" eb="1"><x:t>kana</x:t></x:rPh>'
      save(('<x:worksheet xmlns:x="%s"><x:sheetData><x:row>'
          '<x:c t="inlineStr"><x:is><x:t>A &amp; B_x000D_</x:t></x:is></x:c>'
          '<x:c t="inlineStr"><x:is>%s</x:is></x:c><x:c t="s"><x:v>1</x:v></x:c>'
          '<x:c t="s"><x:v>0</x:v></x:c>'
          '<x:c t="str"><x:f>1</x:f><x:v>formula</x:v></x:c><x:c t="e"><x:v>#REF!</x:v></x:c>'
          '<x:c t="d"><x:v>2019-04-01T00:00:00</x:v></x:c>'
          '</x:row></x:sheetData></x:worksheet>' % (main, runs)).encode(),
          ('<x:sst xmlns:x="%s"><x:si><x:t>_xD83D__xDE00_ä</x:t></x:si><x:si>%s</x:si></x:sst>'
          % (main, runs)).encode())
      """
    ) { path in
      let lines = try text(path)
      #expect(lines == "\"A & B\r\",bold,bold,😀ä,formula,#REF!,2019-04-01\r\n")
    }
  }

  @Test func `a formula that no spreadsheet has worked out is refused, and an empty text is none`()
    async throws
  {
    try await withWorkbook(
      "sheet.append(['a', 'b']); sheet['B3'] = '=A1&\"x\"'; book.save(path)"
    ) { path in
      let error = refusal(path)
      #expect(error?.kind == .badData)
      #expect(
        error?.message == "cannot read \(path): column 2 of row 3 has a formula without its value"
      )
      #expect(error?.advice == "open it in a spreadsheet program and save it")
    }
    try await withWorkbook(
      """
      save(b'<worksheet><sheetData><row><c t="str"><f>""</f><v></v></c><c><f>1+1</f><v>2</v></c>'
          b'<c t="str"><f>""</f></c><c/></row></sheetData></worksheet>')
      """
    ) { path in
      let lines = try text(path)
      #expect(lines == ",2\r\n")
    }
  }

  @Test func `the sheet is named where there are several`() async throws {
    try await withWorkbook(
      """
      sheet.title = 'Staff'; sheet.append(['a'])
      book.create_sheet('Left').append(['b'])
      book.create_sheet('Old').append(['c'])
      book['Old'].sheet_state = 'hidden'
      book.save(path)
      """
    ) { path in
      let error = refusal(path)
      #expect(error?.kind == .usage)
      #expect(
        error?.message == "cannot read \(path): it has 2 sheets: \"Staff\", \"Left\", \"Old\""
      )
      #expect(error?.advice == "name the sheet with \(.sheet)")
      let others = [try text(path, sheet: "left"), try text(path, sheet: "Old")]
      #expect(others == ["b\r\n", "c\r\n"])
      #expect(
        refusal(path, sheet: "x")?.message == """
          cannot read \(path): it has no sheet "x"; its sheets are "Staff", "Left", "Old"
          """
      )
    }
  }

  @Test func `cut off anywhere is refused`() async throws {
    try await withWorkbook("sheet.append(['x' * 100] * 30)\nbook.save(path)") { path in
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let file = try FileDescriptor.open(path, .readOnly)
      let count = try file.closeAfter {
        try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
      }
      #expect(try text(path).hasPrefix("xxx"))
      for length in stride(from: 4, to: count, by: 61) {
        try write(bytes[..<length], to: path)
        #expect(refusal(path)?.kind == .badData, "\(length) bytes")
      }
      // A byte that is another one is found by the checksum, or does not matter.
      for place in stride(from: 0, to: count, by: 37) {
        var broken = Array(bytes[..<count])
        broken[place] ^= 0x55
        try write(broken, to: path)
        do throws(DirectoryError) {
          let file = try InputFile.readable(path.string)
          #expect(file.traits.isSheet || place < 4, "byte \(place)")
        } catch {
          #expect([.badData, .usage].contains(error.kind), "byte \(place): \(error)")
        }
      }
    }
  }

  /// What is made to be read by no one: an entry's XML, and what is said of it.
  static let hostile: [(script: String, reason: String)] = [
    (
      """
      data = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b''.join(
          b'<!ENTITY %c "%s">' % (98 + i, b'&%c;' % (97 + i) * 10) for i in range(9)
      ) + b']><worksheet><sheetData><row><c t="str"><v>&j;</v></c></row></sheetData></worksheet>'
      """,
      "its XML declares a document type, which workbooks never do"
    ),
    ("data = b'<a>' * 100_000", "its XML has elements nested more than 64 deep"),
    (
      "data = b'<worksheet a=\"' + b'x' * 5_000_000 + b'\"/>'",
      "its XML has a tag of more than 1 MiB"
    ),
    ("data = b'<worksheet><sheetData><row>'", "its XML is damaged: no element found"),
    (
      "data = b'<worksheet><sheetData><row r=\"9\"/><row r=\"2\"/></sheetData></worksheet>'",
      "its rows are out of order"
    ),
    (
      "data = b'<worksheet><sheetData><row r=\"99999999\"/></sheetData></worksheet>'",
      "its rows are out of order"
    ),
    (
      "data = b'<worksheet><sheetData><row><c r=\"ZZZ1\"><v>1</v></c></row></sheetData></worksheet>'",
      "it has more than 4096 columns"
    ),
    (
      """
      data = b'<worksheet><sheetData><row><c t="s"><v>99</v></c></row></sheetData></worksheet>'
      """,
      "a cell refers to a missing text"
    ),
    (
      """
      data = (b'<worksheet><sheetData><row><c t="str"><v>' + b'x' * 300_000
          + b'</v></c></row></sheetData></worksheet>')
      """,
      "it has a cell that is too long"
    ),
    (
      "data = b'<worksheet><sheetData>' + b' ' * 300_000_000 + b'</sheetData></worksheet>'",
      bomb
    ),
  ]

  private static let bomb =
    "it expands to more than 200 times its size, like a decompression bomb"

  @Test(arguments: hostile)
  func `made to do harm are refused`(_ harm: (script: String, reason: String)) async throws {
    try await withWorkbook(
      harm.script + "\nsave(data)"
    ) { path in
      let error = refusal(path)
      #expect(error?.kind == .badData)
      #expect(error?.message == "cannot read \(path): \(harm.reason)")
    }
  }

  @Test func `that share one long text cannot fill a disk`() async throws {
    try await withWorkbook(
      """
      save(b'<worksheet><sheetData>' + b'<row><c t="s"><v>0</v></c></row>' * 200_000
          + b'</sheetData></worksheet>', b'<sst><si><t>' + b'x' * 32_000 + b'</t></si></sst>')
      """
    ) { path in
      #expect(refusal(path)?.message == "cannot read \(path): \(Self.bomb)")
    }
  }

  @Test(
    arguments: [
      ("content.xml", "it is an OpenDocument file"),
      ("photo.jpg", "it is a ZIP archive, not a workbook"),
    ]
  )
  func `other archives are named`(entry: String, reason: String) async throws {
    try await withWorkbook(
      "zipfile.ZipFile(path, 'w').writestr('\(entry)', 'x')"
    ) { path in
      #expect(refusal(path)?.message == "cannot read \(path): \(reason)")
    }
  }
}
