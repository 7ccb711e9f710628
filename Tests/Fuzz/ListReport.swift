import DirectoryExchange
import DirectoryModel

/// Reads files of people as an import does.
///
/// Whatever the bytes are, what comes out must be within the limits, and what is left out must have
/// been told.
enum ListReport {
  @Sendable
  static func csv(_ input: UnsafeRawBufferPointer) {
    read(input, as: .list)
    guard let file = try? InputFile.copying(input, as: "fuzz") else { return }
    var problems = ProblemList()
    if var reader = try? DirectoryFileReader(file, .users, bufferSize: 16) {
      reader.forEachRow(&problems) { row in
        if case .person(let row) = row { check(id: row.id, name: row.name) }
      }
      precondition(reader.isComplete || !problems.isEmpty, "a row is left out in silence")
    }
  }

  @Sendable
  static func json(_ input: UnsafeRawBufferPointer) { read(input, as: .json) }

  @Sendable
  static func ldif(_ input: UnsafeRawBufferPointer) { read(input, as: .ldif) }

  @Sendable
  static func vCard(_ input: UnsafeRawBufferPointer) { read(input, as: .vCard) }

  /// A table of people, in whatever encoding and with whatever separator it seems to be.
  @Sendable
  static func personnel(_ input: UnsafeRawBufferPointer) {
    var form = InputOptions()
    form.isPersonnel = true
    guard let file = try? InputFile.copying(input, as: "fuzz").asText(form) else { return }
    _ = try? MappingDetector(of: file)
    read(file, as: .personnel)
  }

  /// A workbook; what is read of it is a table of people.
  @Sendable
  static func workbook(_ input: UnsafeRawBufferPointer) { personnel(input) }

  private static let mapping = try? PersonnelMapping(
    [
      ("id", "{id}"), ("name", "{name}"), ("department", "{unit}"), ("levels", "/"),
      ("several", ";"), ("joined", "{date}"), ("manager", "{manager}"), ("people", "name"),
    ].map { PersonnelMapping.Entry(key: $0, value: $1, place: "fuzz") }
  )

  private static func read(_ input: UnsafeRawBufferPointer, as format: InputFormat) {
    guard let file = try? InputFile.copying(input, as: "fuzz") else { return }
    read(file, as: format)
  }

  private static func read(_ file: InputFile, as format: InputFormat) {
    var problems = ProblemList()
    let member = InputSet.Member(file: file, format: format)
    let options = ListOptions(
      home: DepartmentID("home"),
      fields: ["joined", "manager"].map { Field(usual: $0, of: .user) },
      mapping: mapping
    )
    let readings = try? ListFiles.read([member], options, &problems) { _, row in
      switch row {
      case .department(let row): check(id: row.id, name: row.name)
      case .person(let row):
        check(id: row.id, name: row.name)
        check(text: row.title)
        for text in row.contacts.all { check(text: text) }
      case .membership(let row): check(text: row.title)
      }
    }
    if let reading = readings?.first {
      precondition(reading.isComplete || !problems.isEmpty, "a row is left out in silence")
    }
  }

  private static func check(id: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) {
    precondition((1...DirectoryLimits.idBytes).contains(id.count), "an id of \(id.count) bytes")
    precondition(!name.isEmpty, "no name")
    check(text: id)
    check(text: name)
  }

  /// The database would refuse all rows for one that is not text.
  private static func check(text: UnsafeRawBufferPointer) {
    precondition(!text.contains(0), "a NUL")
    precondition(String(validating: text, as: UTF8.self) != nil, "not UTF-8")
  }
}

extension ListReport {
  @Sendable
  static func csvSeeds() -> [[UInt8]] {
    [
      "level,kind,id,parent_id,name,title,sort_order\r\n0,department,a,,\"A \"\"x\"\"\",,\r\n",
      "id,department_id,name\nu1,a,Åsa\nu2,b,\"two\nlines\"\n",
    ].map { Array($0.utf8) }
  }

  @Sendable
  static func jsonSeeds() -> [[UInt8]] {
    [
      #"[{"kind":"department","id":"a","name":"A","x":[{"y":[1.5e3,null]}]}]"#,
      #"{"kind":"user","id":7,"parent":"a","name":"\u00c5\ud83d\ude00","primary":true}"#,
    ].map { Array($0.utf8) }
  }

  @Sendable
  static func ldifSeeds() -> [[UInt8]] {
    [
      "version: 1\ndn: ou=A,o=x\nobjectClass: organizationalUnit\nou: A\n\ndn: cn=B\\, C,ou=A,\n "
        + "o=x\nobjectClass: person\ncn:: QsO2\nmail;x-y: b@x\n",
      "dn: cn=G,o=x\nobjectClass: groupOfNames\nmember: uid=u,o=x\n\ndn: uid=u,o=x\nuid: u\n",
    ].map { Array($0.utf8) }
  }

  @Sendable
  static func personnelSeeds() -> [[UInt8]] {
    [
      "id,name,unit,date,manager\r\n1,\"Lund, Ada\",A/B;C,3/4/2021,Bo\r\n=\"02\",Bo,,2021年4月3日,\r\n",
      "sep=;\nid;name;unit;date;manager\n1;Zo\u{EB};A;01.02.2021;Zo\u{EB} (1)\n",
    ].map { Array($0.utf8) }
  }

  /// An archive whose only part is `_rels/.rels`, without compression, and the same with ZIP64's records.
  @Sendable
  static func workbookSeeds() -> [[UInt8]] {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let name = Array("_rels/.rels".utf8)
    // Method, time, checksum and sizes are all zero.
    let common = little(0, 18) + little(name.count, 2) + little(0, 2)
    let local = Array("PK\u{3}\u{4}".utf8) + little(20, 2) + little(0, 2) + common + name
    let central =
      Array("PK\u{1}\u{2}".utf8) + little(20, 2) + little(20, 2) + little(0, 2) + common
      + little(0, 14) + name
    let end = Array("PK\u{5}\u{6}".utf8) + little(0, 4) + little(1, 2) + little(1, 2)
    let large =
      Array("PK\u{6}\u{6}".utf8) + little(44, 8) + little(0, 28) + little(central.count, 8)
      + little(local.count, 8)
    let locator =
      Array("PK\u{6}\u{7}".utf8) + little(0, 4) + little(local.count + central.count, 8)
      + little(1, 4)
    return [
      local + central + end + little(central.count, 4) + little(local.count, 4) + little(0, 2),
      local + central + large + locator + end + little(-1, 8) + little(0, 2),
    ]
  }

  @Sendable
  static func vCardSeeds() -> [[UInt8]] {
    [
      "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\\, B\r\na.ORG:X;Y\r\nUID:urn:uuid:1\r\nEND:VCARD\r\n",
      "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=GBK;ENCODING=QUOTED-PRINTABLE:=C9=\n=CF;B\nORG:Z\n"
        + "END:VCARD\n",
      "BEGIN:VCARD\nVERSION:3.0\nX-ADDRESSBOOKSERVER-KIND:group\nFN:G\nMEMBER:1\nEND:VCARD\n",
    ].map { Array($0.utf8) }
  }
}
