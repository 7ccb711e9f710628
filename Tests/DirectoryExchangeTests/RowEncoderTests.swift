import DirectoryModel
import FoundationEssentials
import TestSupport
import Testing

@testable import DirectoryExchange

/// The keys of a JSON row, as another's decoder sees them.
private struct DecodedRow: Decodable, Equatable {
  struct Department: Decodable, Equatable {
    var id: String
    var name: String
    var path: [String]
  }
  var kind: String
  var id: String
  var name: String
  var level: Int?
  var parent: String?
  var disclosure: String?
  var description: String?
  var people: Int?
  var title: String?
  var email: String?
  var phone: String?
  var path: [String]?
  var departments: [Department]?
}

private func department() -> DirectoryRow {
  var row = DirectoryRow(kind: .department, id: "lens/2", name: "Lenses")
  row.level = 2
  row.parent = DepartmentID("optics")
  row.disclosure = .collapsed
  row.description = ""
  row.people = 12
  return row
}

private func person() -> DirectoryRow {
  var row = DirectoryRow(kind: .user, id: "u7", name: "Zoë \"Zo\" 김")
  row.title = "Keeper\tof lights"
  row.contacts = ContactValues { $0 == .email ? "zoe@lumen.example" : "" }
  row.path = ["Lumen", "Optics"]
  row.departments = [
    .init(id: DepartmentID("optics"), name: "Optics", path: ["Lumen"]),
    .init(id: DepartmentID("lens"), name: "A/B", path: []),
  ]
  return row
}

private func encode(_ rows: [DirectoryRow], _ encoder: some RowEncoder) throws -> String {
  var encoder = encoder
  var bytes: [UInt8] = []
  encoder.begin(&bytes)
  for row in rows { try row.withFields { try encoder.append($0, to: &bytes) } }
  try encoder.end(&bytes)
  return String(decoding: bytes, as: UTF8.self)
}

private func decode(_ json: String) throws -> [DecodedRow] {
  try JSONDecoder().decode([DecodedRow].self, from: Data(json.utf8))
}

@Suite("Rows as JSON")
struct JSONRowTests {
  @Test func `keys stand in order and those that do not apply are left out`() throws {
    #expect(
      try encode([department()], JSONRowEncoder(.lines))
        == #"{"kind":"department","id":"lens/2","name":"Lenses","level":2,"parent":"optics","#
        + #""disclosure":"collapsed","description":"","people":12}"# + "\n"
    )
    #expect(
      try encode([person()], JSONRowEncoder(.lines))
        == #"{"kind":"user","id":"u7","name":"Zoë \"Zo\" 김","title":"Keeper\tof lights","#
        + #""email":"zoe@lumen.example","phone":"","path":["Lumen","Optics"],"departments":["#
        + #"{"id":"optics","name":"Optics","path":["Lumen"]},{"id":"lens","name":"A/B","path":[]}]}"#
        + "\n"
    )
  }

  @Test(arguments: 0...2) func `an array is one document`(count: Int) throws {
    let rows = Array([department(), person()].prefix(count))
    let decoded = try decode(encode(rows, JSONRowEncoder(.array)))
    #expect(decoded.map(\.id) == rows.map(\.id))
    #expect(decoded.map(\.people) == rows.map(\.people))
    #expect(decoded.map(\.departments?.count) == rows.map(\.departments?.count))
  }

  @Test func `every scalar comes back, and none that steers a terminal is written`() throws {
    let risky: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]
    for plane in stride(from: UInt32(0), to: 0x11_0000, by: 0x1000) {
      let name = String(
        String.UnicodeScalarView((plane..<plane + 0x1000).compactMap { Unicode.Scalar($0) })
      )
      let row = DirectoryRow(kind: .user, id: "x", name: name)
      let json = try encode([row], JSONRowEncoder(.lines))
      let steering = json.dropLast().unicodeScalars.first { scalar in
        risky.contains { $0.contains(scalar.value) }
      }
      #expect(steering == nil)
      let back = try JSONDecoder().decode(DecodedRow.self, from: Data(json.utf8))
      #expect(back.name.unicodeScalars.elementsEqual(name.unicodeScalars), "from \(plane)")
    }
  }

  @Test func `every level and count is written in full`() throws {
    for number in [0, 1, 9, 10, 99, 100, 12_345, Int.max] {
      var row = department()
      row.people = number
      #expect(try decode(encode([row], JSONRowEncoder(.array))).first?.people == number)
    }
  }
}

@Suite("Rows as plain text")
struct PlainRowTests {
  @Test func `seven values are parted by tabs`() throws {
    #expect(
      try encode([department(), person()], PlainRowEncoder())
        == "2\tdepartment\tlens/2\tLenses\t\t\t\n"
        + "\tuser\tu7\tZoë \"Zo\" 김\tKeeper\\tof lights\tzoe@lumen.example\t\n"
    )
  }

  @Test func `only four characters are escaped for a pipe`() throws {
    let row = DirectoryRow(kind: .user, id: "a\\b", name: "1\t2\n3\r4\u{1B}[31m\u{85}\u{202E}")
    #expect(
      try encode([row], PlainRowEncoder())
        == "\tuser\ta\\\\b\t1\\t2\\n3\\r4\u{1B}[31m\u{85}\u{202E}\t\t\t\n"
    )
  }

  @Test func `nothing reaches a terminal that steers it`() throws {
    let row = DirectoryRow(kind: .user, id: "a", name: "1\t2\n3\u{1B}[31m\u{85}\u{202E}é")
    let line = try encode([row], PlainRowEncoder(.visible))
    #expect(line == "\tuser\ta\t1\\t2\\n3␛[31m␤\\u{202E}é\t\t\t\n")
    let ascii = try encode([row], PlainRowEncoder(.visibleInASCII))
    #expect(ascii.utf8.allSatisfy { $0 < 0x80 })
  }
}

@Suite("Rows as tab-separated values")
struct TSVRowTests {
  @Test func `a header and a line a row, whatever the values hold`() throws {
    var row = person()
    row.title = "a\tb\nc\\d\re"
    #expect(
      try encode([department(), row], TSVRowEncoder())
        == ExtraColumns.none.header.joined(separator: "\t") + "\n"
        + "2\tdepartment\tlens/2\toptics\tLenses\t\t\t\t\t\t\t12\t\n"
        + "\tuser\tu7\t\tZoë \"Zo\" 김\t\ta\\tb\\nc\\\\d\\re\tzoe@lumen.example\t\t\t\t\t\n"
    )
  }
}

@Suite("Rows as CSV")
struct CSVRowTests {
  private func records(_ rows: [DirectoryRow], _ encoder: CSVRowEncoder) throws -> [[String]] {
    try read(encode(rows, encoder)).map {
      guard case .record(_, let fields) = $0 else { return ["\($0)"] }
      return fields
    }
  }

  @Test func `a row is thirteen fields`() throws {
    #expect(
      try records([department(), person()], CSVRowEncoder()) == [
        ExtraColumns.none.header,
        ["2", "department", "lens/2", "optics", "Lenses", "", "", "", "", "", "", "12", ""],
        [
          "", "user", "u7", "", "Zoë \"Zo\" 김", "", "Keeper\tof lights", "zoe@lumen.example", "",
          "", "", "", "",
        ],
      ]
    )
  }

  @Test(arguments: [
    ("=1+1", true), ("@SUM(A1)", true), ("+1|cmd", true), ("-2+A1", true), ("\t=1", true),
    ("＝1", true), ("-", false), ("Ada", false), ("", false), ("a=1", false), (" =1", true),
    ("+", true), ("u7", false), ("Mara", false), ("7th", false), ("May", false), ("A4", false),
    ("Truex", false), ("1A", false), ("5 am Ufer", false),
    (String(repeating: "1", count: 256), true),
  ])
  func `a formula is disarmed for a spreadsheet alone`(name: String, isRisky: Bool) throws {
    let row = DirectoryRow(kind: .user, id: "u", name: name)
    let kept = try records([row], CSVRowEncoder())
    let disarmed = try records([row], CSVRowEncoder(forSpreadsheet: true))
    #expect(kept[at: 1]?[at: 4] == name)
    #expect(disarmed[at: 1]?[at: 4] == (isRisky ? "'" + name : name))
  }

  @Test(arguments: [
    "007", "+15550100", "+1 (555) 010-0199", "1E5", "3-4", "12:30", "--1", "MAR1", "Sept 2",
    "january 1", "123456789012345678", "1,5", "50%", "2-MAY", "10 Dec 2020", "3 PM", "12:30 pm",
    "TRUE", "false", "$5", "5 €", "１２", "\u{A0}1", "2024-01-02T10:00:00Z", "may 5",
  ])
  func `what a spreadsheet would change is a text to it`(name: String) throws {
    let row = DirectoryRow(kind: .user, id: name, name: name)
    #expect(try records([row], CSVRowEncoder())[at: 1]?[at: 4] == name)
    let kept = try #require(records([row], CSVRowEncoder(forSpreadsheet: true))[at: 1])
    #expect(kept[at: 2] == "=\"\(name)\"" && kept[at: 4] == kept[at: 2])
  }

  @Test func `quotes stand only where they are needed`() {
    var writer = CSVWriter()
    var bytes: [UInt8] = []
    for field in ["a b", "a,b", "a\"b", "a\nb", "", "\u{1A}"] { writer.append(field, to: &bytes) }
    writer.append(Int64.min, to: &bytes)
    writer.endRecord(to: &bytes)
    writer.append("", to: &bytes)
    writer.endRecord(to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "a b,\"a,b\",\"a\"\"b\",\"a\nb\",,\"\u{1A}\",-9223372036854775808\r\n\"\"\r\n"
    )
  }
}
