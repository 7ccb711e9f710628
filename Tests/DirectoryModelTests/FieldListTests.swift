import DirectoryModel
import Testing

@Suite("Several values in one text")
struct FieldListTests {
  private func text(_ values: [String]) -> String {
    var text: [UInt8] = []
    FieldList.append(values.map { Array($0.utf8) }, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private func values(_ text: String) -> [String] {
    FieldList.values(of: text.utf8).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `come back as they were`() {
    for list in [
      ["de"], ["de", "fr"], ["a;b", "\\", " x ", "  ", "\\;", "\t", "e\u{301}", "a b"],
    ] {
      #expect(values(text(list)) == list)
    }
    #expect(text(["de", "fr", "a;b"]) == #"de;fr;a\;b"#)
  }

  @Test func `may be typed with blanks, and none is empty`() {
    #expect(values(" de ; fr;; ;en ") == ["de", "fr", "en"])
    #expect(values("") == [])
    #expect(values(#"a\"#) == [#"a\"#])
  }
}

@Suite("Values of a kind")
struct FieldKindTests {
  @Test(arguments: [
    (FieldKind.phone, "+49 172", true), (.phone, "٠", true), (.phone, "۹", true),
    (.phone, "０", true), (.phone, "none", false), (.email, "a@b", true), (.email, "@b", false),
    (.email, "a@", false), (.email, "a b@c", false), (.email, "@@@", true),
    (.url, "https://x", true),
    (.url, "x:", false), (.url, "1x:y", false), (.url, "x y:z", false), (.url, "a+b.c-d:e", true),
    (.date, "2024-02-29", true), (.date, "2023-02-29", false), (.date, "1900-02-29", false),
    (.date, "2000-02-29", true), (.date, "--02-29", true), (.date, "--02-30", false),
    (.date, "2024-04-31", false), (.date, "2024-13-01", false), (.date, "2024-00-01", false),
    (.date, "2024-1-01", false), (.date, "24-01-01", false), (.date, "---01-01", false),
    (.date, "-024-01-01", false), (.text, " ", true), (.person, "u1", true),
  ])
  func `are those that the database takes`(_ kind: FieldKind, _ text: String, _ isTaken: Bool) {
    #expect(kind.accepts(Array(text.utf8)) == isTaken)
  }
}
