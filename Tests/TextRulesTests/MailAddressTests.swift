import Testing
import TextRules

@Suite("Email addresses")
struct MailAddressTests {
  @Test(arguments: [
    ("ada@lumen.example", "ADA@Lumen.EXAMPLE"), ("\"a@b\"@lumen.example", "\"A@b\"@lumen.example"),
    ("zoë@lumen.example", "zoë@LUMEN.example"), ("a_b+c@corp_1", "A_B+C@corp_1"),
    ("ada@fernlícht.example", "ada@FERNLÍCHT.example"),
    ("ada@fernlícht.example", "ada@fernli\u{301}cht.example"),
    ("ada@fernlícht.example", "ada@xn--fernlcht-g2a.example"),
    ("ada@straße.example", "ada@XN--strae-oqa.example"),
  ])
  func `are the same with other ASCII case, and with each form of the domain`(
    one: String,
    other: String
  ) {
    #expect(MailAddress(one) != nil && MailAddress(one) == MailAddress(other))
  }

  @Test(arguments: [
    "łukasz.zajac@fernlicht.example", "lukasz.zając@fernlicht.example",
    "lukasz.zajac@fernlícht.example", "lukasz.zajac@fernlıcht.example",
    "lukasz.zaja\u{AD}c@fernlicht.example", "lukasz.zajac@fern\u{AD}licht.example",
    "lukasz.zajaⓒ@fernlicht.example", "lukasz.zajac@fernlⓘcht.example",
    "ｌukasz.zajac@fernlicht.example", "lukasz.zajac@fernlicht｡example",
    "lu\u{212A}asz.zajac@fernlicht.example", " lukasz.zajac@fernlicht.example",
    "lukasz.zajac@fernlicht.example.", "lukasz.zajac", "@fernlicht.example", "lukasz.zajac@", "@",
    "",
  ])
  func `are no other one's that a search takes for the same`(text: String) throws {
    let address = try #require(MailAddress("lukasz.zajac@fernlicht.example"))
    #expect(MailAddress(text) != address)
  }

  @Test func `differ in their local parts by every other letter and composition`() {
    #expect(MailAddress("ŁUKASZ@lumen.example") != MailAddress("łukasz@lumen.example"))
    #expect(MailAddress("zoë@lumen.example") != MailAddress("zoe\u{308}@lumen.example"))
    #expect(MailAddress("ada@straße.example") != MailAddress("ada@strasse.example"))
  }

  @Test(arguments: [
    ("Ada@Lumen.example", ["ada@lumen.example"]),
    ("ada@fernlícht.example", ["ada@xn--fernlcht-g2a.example", "ada@fernlícht.example"]),
    ("ada@xn--strae-oqa.example", ["ada@xn--strae-oqa.example", "ada@straße.example"]),
    // This is the form of no name.
    ("ada@xn--.example", ["ada@xn--.example"]),
  ])
  func `are written with each form of the domain`(text: String, spellings: [String]) {
    #expect(MailAddress(text)?.spellings == spellings)
  }

  @Test func `with a domain that is too long are none`() {
    let long = String(repeating: "í", count: 100)
    #expect(MailAddress("ada@\(long).example") == nil)
    #expect(MailAddress("ada@\(String(repeating: "a", count: 2_000))") == nil)
  }
}
