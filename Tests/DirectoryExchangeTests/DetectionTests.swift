import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

/// Lists in other encodings are made by Python, since nothing here encodes.
@Suite("Detecting encodings and separators")
struct DetectionTests {
  private static let german =
    "Personalnummer;Name;Abteilung\r\n17;Jürgen Groß;Vertrieb Süd\r\n18;Änne Weiß;Prüfung\r\n"
  private static let chinese = "姓名,工号,部门,职务\r\n张伟,1,研发部,工程师\r\n王芳,2,产品部,总监\r\n李娜,3,市场部,经理\r\n"
  private static let japanese =
    "社員番号\t氏名\t部署\r\n1\t田中 太郎\t開発部\r\n2\t鈴木 花子\t営業部\r\n3\tササキ ケン\t総務部\r\n"
  private static let russian = "Имя;Отдел\r\nИван Петров;Продажи\r\nМария Иванова;Разработка\r\n"
  private static let korean = "사번,이름,부서\r\n1,김민준,개발부\r\n2,이서연,영업부\r\n3,박지훈,인사부\r\n"

  @Test(
    arguments: [
      (german, "cp1252", "windows-1252, separated by semicolons"),
      (german, "utf-16", "UTF-16, separated by semicolons"),
      (german, "utf-16-be", "UTF-16BE, separated by semicolons"),
      (german, "utf-8", "separated by semicolons"),
      (german, "utf-8-sig", "separated by semicolons"),
      (german.replacing(";", with: "|"), "utf-8", "separated by bars"),
      (chinese, "gb18030", "GB18030"),
      (chinese, "utf-8", ""), (japanese, "cp932", "windows-31j, separated by tabs"),
      (japanese, "euc-jp", "EUC-JP, separated by tabs"),
      (japanese, "utf-16-le", "UTF-16LE, separated by tabs"),
      (russian, "cp1251", "windows-1251, separated by semicolons"),
      (korean, "euc-kr", "windows-949"),
    ]
  )
  func `tells what a file was taken for, and reads the same text`(
    text: String,
    encoding: String,
    notes: String
  ) async throws {
    try await withTemporaryDirectory { folder in
      let (plain, encoded) = (folder.appending("plain"), folder.appending("encoded.csv"))
      try write(text.utf8, to: plain)
      let script = """
        import sys
        text = open(sys.argv[1], encoding='utf-8', newline='').read()
        open(sys.argv[2], 'w', encoding=sys.argv[3], newline='').write(text)
        """
      let made = try await runProgram(
        "/usr/bin/python3",
        ["-c", script, plain.string, encoded.string, encoding]
      )
      try #require(made.status == 0, "\(made)")
      var form = InputOptions()
      form.isPersonnel = true
      let file = try InputFile.readable(encoded.string, form)
      #expect(file.traits.notes.joined(separator: ", ") == notes)
      var bytes = [UInt8](repeating: 0, count: 4_096)
      try file.rewind()
      let count = try bytes.withUnsafeMutableBytes { try file.descriptor.read(into: $0) }
      var read = String(decoding: bytes[..<count], as: UTF8.self)
      if read.hasPrefix("\u{FEFF}") { read.removeFirst() }
      #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars), "\(read)")
    }
  }

  @Test func `damaged UTF-8 is refused and not taken for something else`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("list.csv")
      try write(Array(Self.german.utf8) + [0x31, 0x3B, 0xC3, 0x28, 0x3B, 0x0A], to: path)
      var form = InputOptions()
      form.isPersonnel = true
      let file = try InputFile.readable(path.string, form)
      #expect(file.traits.notes == ["separated by semicolons"])
      let seen = try readList(
        file,
        as: .personnel,
        home: "h",
        mapping: try mapping(["id": "{Personalnummer}", "name": "{Name}"])
      )
      #expect(
        seen.problems == [
          "4: is not UTF-8: byte C3 at byte 3 of the line; save the file as UTF-8, or name its "
            + "encoding with <encoding>"
        ]
      )
    }
  }
}
