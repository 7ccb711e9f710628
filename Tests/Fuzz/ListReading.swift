import DirectoryExchange
import DirectoryModel

/// Reads files of people as an import does.
///
/// Whatever the bytes are, what comes out must be within the limits, and what is left out must have
/// been told.
enum ListReading {
  @Sendable
  static func csv(_ input: UnsafeRawBufferPointer) {
    read(input, as: .list)
    guard let file = try? InputFile.copying(input, as: "fuzz") else { return }
    var problems = ProblemList()
    if var reader = try? DirectoryFileReader<UserLayout>(file, bufferSize: 16) {
      reader.forEachRow(&problems) { check(id: $0.id, name: $0.name) }
      precondition(reader.isComplete || !problems.isEmpty, "a row is left out in silence")
    }
  }

  @Sendable
  static func json(_ input: UnsafeRawBufferPointer) { read(input, as: .json) }

  @Sendable
  static func ldif(_ input: UnsafeRawBufferPointer) { read(input, as: .ldif) }

  @Sendable
  static func vCard(_ input: UnsafeRawBufferPointer) { read(input, as: .vCard) }

  private static func read(_ input: UnsafeRawBufferPointer, as format: InputFormat) {
    guard let file = try? InputFile.copying(input, as: "fuzz") else { return }
    var problems = ProblemList()
    let member = InputSet.Member(file: file, format: format)
    let options = ListOptions(home: DepartmentID("home"))
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

extension ListReading {
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
  static func vCardSeeds() -> [[UInt8]] {
    [
      "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\\, B\r\na.ORG:X;Y\r\nUID:urn:uuid:1\r\nEND:VCARD\r\n",
      "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=GBK;ENCODING=QUOTED-PRINTABLE:=C9=\n=CF;B\nORG:Z\n"
        + "END:VCARD\n",
      "BEGIN:VCARD\nVERSION:3.0\nX-ADDRESSBOOKSERVER-KIND:group\nFN:G\nMEMBER:1\nEND:VCARD\n",
    ].map { Array($0.utf8) }
  }
}
