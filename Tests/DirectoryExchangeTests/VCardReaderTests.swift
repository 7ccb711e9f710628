import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

@Suite("vCards read")
struct VCardReaderTests {
  private func card(_ version: String, _ lines: String...) -> String {
    (["BEGIN:VCARD", "VERSION:\(version)"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
  }

  @Test func `ORG makes departments, whose ids are the way to them`() async throws {
    let text =
      card(
        "4.0",
        "UID:urn:uuid:A-1",
        "FN:Ada Lund",
        "ORG:Lumen;Optics/West",
        "TITLE:Head\\, acting"
      )
      + card(
        "3.0",
        "UID:2",
        "N:Holm;Mira;;Dr.;",
        "ORG:Lumen",
        "EMAIL:a@x",
        "EMAIL;TYPE=PREF:b@x",
        "TEL;TYPE=FAX:1",
        "TEL;TYPE=CELL:2",
        "TEL;TYPE=WORK:3"
      )
    let seen = try await readList(text, as: .vCard)
    #expect(
      seen.rows == [
        "d|Lumen|<|Lumen||0", "d|Lumen/Optics\\/West|<Lumen|Optics/West||0",
        "u|A-1|<Lumen/Optics\\/West|Ada Lund|Head, acting|||0",
        "u|2|<Lumen|Dr. Mira Holm||b@x|3|0",
      ]
    )
    #expect(seen.problems == [])
    #expect(
      seen.warnings == [
        "ignored unsupported fields: additional TEL 2, additional EMAIL 1"
      ]
    )
  }

  @Test func `folding, groups of properties and escapes are undone`() async throws {
    let text = card(
      "4.0",
      "UID:u1",
      "FN:Ada",
      " Lu",
      "\tnd\\n\\;",
      "item1.ORG:A;B",
      "item1.TITLE:One",
      "item2.ORG;SORT-AS=\"x:y;z\":C",
      "item2.TITLE:Two",
      "TEL;VALUE=uri;PREF=1:tel:+1-555-0100"
    )
    let seen = try await readList(text, as: .vCard)
    #expect(
      seen.rows == [
        "d|A|<|A||0", "d|A/B|<A|B||0", "d|C|<|C||0",
        "u|u1|<A/B|AdaLund\n;|One||+1-555-0100|0", "u|u1|<C|AdaLund\n;|Two||+1-555-0100|0",
      ]
    )
  }

  @Test func `old cards have bare parameters, quoted-printable and charsets`() async throws {
    let text = card(
      "2.1",
      "N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg",
      "ORG;QUOTED-PRINTABLE:Gro=",
      "=C3=9F\\;e;B",
      "TEL;WORK;VOICE:17",
      "TEL;PREF;CELL:18",
      "KEY;X509;ENCODING=BASE64:",
      "    MIID",
      "  AAA",
      "",
      "AGENT:",
      "BEGIN:VCARD",
      "FN:Somebody",
      "END:VCARD",
      "EMAIL;INTERNET:j@x.example"
    )
    let seen = try await readList(text, as: .vCard)
    #expect(seen.problems == [])
    #expect(
      seen.rows == [
        "d|Groß;e|<|Groß;e||0", "d|Groß;e/B|<Groß;e|B||0",
        "u|j@x.example|<Groß;e/B|Jörg Müller||j@x.example|18|0",
      ]
    )
    #expect(
      seen.warnings.dropFirst() == [
        "ignored unsupported fields: AGENT 1, KEY 1, additional TEL 1"
      ]
    )
  }

  @Test func `groups are departments of their members`() async throws {
    let text =
      card("4.0", "UID:urn:uuid:p1", "FN:Ada", "TITLE:Head")
      + card(
        "4.0",
        "KIND:group",
        "UID:urn:uuid:g1",
        "FN:Choir",
        "NOTE:Sings",
        "MEMBER:urn:uuid:P1",
        "MEMBER:urn:uuid:p1",
        "MEMBER:mailto:x@x"
      )
      + card("3.0", "X-ADDRESSBOOKSERVER-KIND:group", "FN:Optics", "ORG:Lumen;Optics")
    let seen = try await readList(text, as: .vCard)
    #expect(
      seen.rows == [
        "u|p1|<g1|Ada|Head|||0", "d|g1|<|Choir|Sings|0", "d|Lumen|<|Lumen||0",
        "d|Lumen/Optics|<Lumen|Optics||0",
      ]
    )
  }

  @Test func `cards of many programs come in, and what is left out is told`() async throws {
    let text =
      // A phone: base64 without blanks, quoted-printable before the version.
      "BEGIN:VCARD\r\nN;ENCODING=QUOTED-PRINTABLE:Holm;Mir=\r\na\r\nVERSION:2.1\r\nORG:Lumen\r\n"
      + "PHOTO;JPEG;ENCODING=BASE64:\r\n/9j/4AAQ\r\nSkZJRg==\r\n\r\nTEL:1\r\nTEL:2\r\nEND:VCARD\r\n"
      // No one wrote a name.
      + card("3.0", "N:;;;;", "FN:", "ORG:Lumen", "EMAIL:desk@lumen.example")
      // Apple's: the prefix of a UID stands before members alone.
      + card("3.0", "UID:5AD380FD-B2DE-4261-BA99-DE1D1DB52FBE", "FN:Pia", "NOTE:x", "BDAY:1985")
      + card(
        "3.0",
        "X-ADDRESSBOOKSERVER-KIND:group",
        "UID:crew",
        "FN:Crew",
        "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:5ad380fd-b2de-4261-ba99-de1d1db52fbe",
        "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:nobody"
      )
    let seen = try await readList(text, as: .vCard)
    #expect(seen.problems == [])
    #expect(
      seen.rows == [
        "d|Lumen|<|Lumen||0", "u|Mira Holm|<Lumen|Mira Holm|||1|0",
        "u|desk@lumen.example|<Lumen|Lumen||desk@lumen.example||0",
        "u|5AD380FD-B2DE-4261-BA99-DE1D1DB52FBE|<crew|Pia||||0", "d|crew|<|Crew||0",
      ]
    )
    #expect(
      seen.warnings.dropFirst() == [
        "left out members of groups who are not in this file: 1",
        "ignored unsupported fields: BDAY 1, NOTE 1, PHOTO 1, additional TEL 1",
      ]
    )
  }

  @Test func `a person in ten thousand departments, and a photograph of many lines, take no time`()
    async throws
  {
    let places = (0..<10_000).map { "d\($0).ORG:L;D\($0)\r\nd\($0).TITLE:T\($0)\r\n" }.joined()
    let photo = String(repeating: " \(String(repeating: "A", count: 74))\r\n", count: 250_000)
    let text = card("4.0", "UID:u", "FN:U", places + "PHOTO;ENCODING=b:\r\n\(photo)EMAIL:u@x")
    let seen = try await readList(text, as: .vCard)
    #expect(seen.problems == [] && seen.rows.count == 20_001)
    #expect(seen.rows.last == "u|u|<L/D9999|U|T9999|u@x||0")
  }

  @Test(arguments: [
    ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-07", "--05-07"), ("BDAY:16040507", "--05-07"),
    ("BDAY;X-APPLE-OMIT-YEAR=1584:1584-05-07", "--05-07"), ("BDAY:1604-05-07T00:00:00Z", "--05-07"),
    ("BDAY;X-APPLE-OMIT-YEAR=1604;value=date:1990-03-04", "1990-03-04"),
    ("BDAY:1990-01-01;", "1990-01-01"), ("BDAY: 1990-01-01 00:00", "1990-01-01"),
    ("BDAY:--0507", "--05-07"), ("BDAY;VALUE=date:19900101", "1990-01-01"),
  ])
  func `a day of no year has none`(_ property: String, _ day: String) async throws {
    let text = card("3.0", "UID:1", "FN:Ada", "ORG:Lumen", property)
    let seen = try await readList(text, as: .vCard, fields: fields("birthday"))
    #expect(
      seen.rows.last?.contains("\"birthday\"") == true
        && seen.rows.last?.contains("\"\(day)\"") == true,
      "\(seen)"
    )
    #expect(seen.warnings == [])
  }

  @Test func `a card without a name is called by its organisation`() async throws {
    let text =
      card("3.0", "UID:c1", "N:;;;;", "FN:", "ORG:Cafe Atlas;Kitchen", "EMAIL:a@x")
      + card("3.0", "UID:c2", "N:;;;;", "ORG:Harbour Office;", "X-ABShowAs:COMPANY")
    let seen = try await readList(text, as: .vCard)
    #expect(seen.problems == [])
    #expect(seen.rows.contains { $0.hasPrefix("u|c1|") && $0.contains("|Cafe Atlas|") }, "\(seen)")
    #expect(
      seen.rows.contains { $0.hasPrefix("u|c2|") && $0.contains("|Harbour Office|") },
      "\(seen)"
    )
  }

  @Test func `what export writes comes back`() async throws {
    let text =
      card(
        "4.0",
        "KIND:group",
        "UID:urn:uuid:x",
        "FN:Opt;ics",
        "N:Opt\\;ics;;;;",
        "ORG:L;Opt\\;ics",
        "MEMBER:urn:uuid:y",
        "X-STAFFBOOK-ID:a%2Cb",
        "X-STAFFBOOK-PARENT:l",
        "X-STAFFBOOK-ORDER:-4"
      )
      + card(
        "4.0",
        "KIND:individual",
        "UID:urn:uuid:y",
        "FN:Ada",
        "d1.ORG:L;Opt\\;ics",
        "d1.TITLE:Head",
        "d1.X-STAFFBOOK-DEPARTMENT:a%2Cb",
        "d1.X-STAFFBOOK-ORDER:3",
        "d2.ORG:L",
        "d2.X-STAFFBOOK-DEPARTMENT:l",
        "d2.X-STAFFBOOK-ORDER:0",
        "X-STAFFBOOK-ID:u%251"
      )
    let seen = try await readList(text, as: .vCard)
    #expect(
      seen.rows == [
        "d|a,b|<l|Opt;ics||-4", "u|u%1|<a,b|Ada|Head|||3|true", "u|u%1|<l|Ada||||0|false",
      ]
    )
    #expect(seen.problems == [] && seen.warnings == [])
  }

  @Test func `real cards are imported if a department is named`() async throws {
    let folder = try TestData.directory(named: "files")
    let outlook = try readList(InputFile(folder.appending("outlook-2003.vcf")), as: .vCard)
    #expect(outlook.problems == [])
    #expect(
      outlook.rows == [
        "d|Company, The|<|Company, The||0",
        "d|Company, The/TheDepartment|<Company, The|TheDepartment||0",
        "u|jdoe@hotmail.com|<Company, The/TheDepartment|John Doe III|The Job Title|"
          + "jdoe@hotmail.com|BusinessPhone|0",
      ]
    )
    let list = try InputFile(folder.appending("gmail-list.vcf"))
    let refused = try readList(list, as: .vCard)
    let people = [(1, "Arnold Smith"), (7, "Chris Beatle"), (13, "Doug White")]
    #expect(
      refused.problems
        == people.map { line, name in
          "\(line): \"\(name)\" has no ORG and is in no group, and therefore in no department; "
            + "name one with <home>"
        }
    )
    let taken = try readList(list, as: .vCard, home: "guests")
    #expect(taken.problems == [] && taken.rows.count == 3)
    #expect(taken.rows[at: 0] == "u|asmithk@gmail.com|<guests|Arnold Smith||asmithk@gmail.com||0")
  }

  @Test func `what is no card is refused with its line, and the rest is read`() async throws {
    let cases: [(String, String)] = [
      ("hello\r\n", "1: is not a vCard property: \"hello\""),
      ("FN:Ada\r\n", "1: is outside a card: \"FN:Ada\""),
      (
        "BEGIN:VCARD\r\nVERSION:3.0\r\nrubbish\r\nEND:VCARD\r\n",
        "3: is not a vCard property: \"rubbish\""
      ),
      (card("3.0", "FN;ENCODING=b:*", "ORG:A"), "1: FN is not base64 (RFC 4648)"),
      (
        card("2.1", "FN;CHARSET=klingon:A", "ORG:A"),
        "1: FN is in the unknown charset \"klingon\""
      ),
    ]
    for (text, problem) in cases {
      let seen = try await readList(text + card("3.0", "UID:x", "FN:X", "ORG:A"), as: .vCard)
      #expect(seen.problems == [problem])
      #expect(seen.rows == ["d|A|<|A||0", "u|x|<A|X||||0"], "\(text)")
      #expect(!seen.isComplete)
    }
    for odd in ["%FF", "%00", "a%C3"] {
      let seen = try await readList(
        card("4.0", "FN:X", "X-STAFFBOOK-ID:\(odd)", "X-STAFFBOOK-DEPARTMENT:\(odd)"),
        as: .vCard
      )
      #expect(seen.rows == [] && seen.problems.count == 1, "\(odd)")
    }
    for text in ["", "\r\n"] {
      #expect(try await readList(text, as: .vCard).problems == ["has no card"])
    }
    let way = Array(repeating: "a", count: 101).joined(separator: ";")
    let deep = try await readList(card("4.0", "FN:X", "ORG:\(way)"), as: .vCard)
    #expect(deep.problems == ["1: ORG has more than 100 parts"])
    let cut = try await readList("BEGIN:VCARD\nVERSION:3.0\nFN:X\n", as: .vCard)
    #expect(
      cut.problems == ["1: the card that begins here does not end; the file may be truncated"]
    )
  }
}
