import TextRules
import Testing

@Suite("Telephone numbers as they are written")
struct WrittenPhoneTests {
  @Test(
    arguments: [
      ("+1 650 253 0000 x136", "tel:+16502530000;ext=136"),
      ("(650) 253-0001 ext. 136", "tel:6502530001;ext=136"),
      ("+16502530002;ext=136", "tel:+16502530002;ext=136"),
      ("650 253 0000,136", "tel:6502530000;ext=136"),
      ("650 253 0000 #136", "tel:6502530000;ext=136"),
      ("030 1234567 Durchwahl 12", "tel:0301234567;ext=12"),
      ("+81 3 1234 5678 内線12", "tel:+81312345678;ext=12"), ("ext. 136", "tel:136"),
      ("1-800-FLOWERS", "tel:18003569377"), ("4711 intern", "tel:4711"),
      ("+49 (0)30 1234", "tel:+49301234"), ("030 1234567 Fax 030 98765", "tel:0301234567"),
      ("030 1234567 / 030 7654321", "tel:0301234567"), ("*21#", "tel:*21%23"),
      ("+46 8-465 00 426", "tel:+46846500426"),
    ]
  )
  func `are dialled with their extensions`(text: String, link: String) {
    #expect(WrittenPhone.link(text) == link)
  }

  @Test(arguments: ["", "n/a", "on request"])
  func `without a digit are not`(text: String) {
    #expect(WrittenPhone.link(text) == nil)
  }

  @Test(arguments: [
    ("ext", true), ("ext.", true), ("x", true), ("durchwahl", true), ("app", false), ("ada", false),
  ])
  func `are followed by an extension behind a word for it`(word: String, isMark: Bool) {
    #expect(WrittenPhone.isMark(Array(word.utf8)) == isMark)
  }
}
