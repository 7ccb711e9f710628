import DirectoryModel
import TestSupport
import Testing

@testable import DirectoryExchange

private func hex(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

private func appended(_ text: String, _ body: (UnsafeRawBufferPointer, inout [UInt8]) -> Void)
  -> String
{
  var bytes: [UInt8] = []
  Array(text.utf8).withUnsafeBytes { body($0, &bytes) }
  return String(decoding: bytes, as: UTF8.self)
}

/// Any text, hostile more often than not.
private func randomText(_ generator: inout SystemRandomNumberGenerator) -> String {
  let odd: [Unicode.Scalar] = [
    "\\", ",", "+", "\"", "#", ";", "<", ">", "=", " ", "\n", "\r", "\t", "\u{1}", "\u{7F}", "é",
    "😀", "\u{300}", "a", "A", "0", "_", "x", "&", "%", ":",
  ]
  let count = Int.random(in: 1...40, using: &generator)
  return String(
    String.UnicodeScalarView(
      (0..<count).map { _ in odd[Int.random(in: 0..<odd.count, using: &generator)] }
    )
  )
}

@Suite("Names made from content")
struct DigestTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func `SHA-256 gives what NIST's examples give`(message: String, digest: String) {
    #expect(hex(SHA256.digest(of: Array(message.utf8))) == digest)
  }

  @Test func `a message of any length around a block is padded right`() {
    // A digest of the digests of 0…200 bytes of zeros; the value is Python's hashlib's.
    let all = (0...200).flatMap { SHA256.digest(of: Array(repeating: 0, count: $0)) }
    #expect(
      hex(SHA256.digest(of: all))
        == "b9c4ebeeb7d1825824131cf7b7d28469cca4f9166473bf51bb519365ae27eccd"
    )
  }

  private func uuid(_ kind: DirectoryRow.Kind, _ id: String) -> String {
    appended(id) { RecordUUID.append(of: kind, id: $0, to: &$1) }
  }

  @Test func `a UUID stays, tells kinds and ids apart, and says its version`() {
    #expect(uuid(.user, "u7") == "e9d5c0c5-f493-8787-a81c-79df4e00a76c")
    #expect(uuid(.user, "u7") != uuid(.department, "u7"))
    #expect(uuid(.user, "é") != uuid(.user, "e\u{301}"))
    for id in 0..<100 {
      let parts = uuid(.user, "\(id)").split(separator: "-")
      #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
      #expect(parts[at: 2]?.first == "8" && "89ab".contains(parts[at: 3]?.first ?? "?"))
    }
  }
}

@Suite("Lines of vCard and LDIF")
struct ExportLineTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("\u{3FF}?>", "z78/Pg=="),
  ])
  func `base64 gives what RFC 4648 gives`(text: String, expected: String) {
    #expect(appended(text) { Base64.append($0, to: &$1) } == expected)
  }

  @Test(arguments: [LineFolding.vCard, .ldif], ["a", "é", "語", "😀", "a😀é語"])
  func `no piece is too long and no character is parted`(folding: LineFolding, letter: String) {
    for count in [0, 1, 18, 24, 25, 37, 38, 74, 75, 76, 77, 150, 1_000] {
      let line = Array(String(repeating: letter, count: count).utf8)
      var bytes: [UInt8] = []
      folding.append(line, to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      let lineBreak = "\(folding.lineBreak)"
      let pieces = text.components(by: lineBreak).dropLast()
      #expect(pieces.allSatisfy { $0.utf8.count <= folding.width && !$0.contains("\u{FFFD}") })
      #expect(pieces.dropFirst().allSatisfy { $0.hasPrefix(" ") })
      let unfolded = (pieces.prefix(1) + pieces.dropFirst().map { String($0.dropFirst()) }).joined()
      #expect(Array(unfolded.utf8) == line)
      // Without waste: only a character that does not fit ends a piece early.
      #expect(pieces.dropLast().allSatisfy { $0.utf8.count > folding.width - 4 })
    }
  }

  @Test(arguments: [
    ("plain", true), ("", true), (" x", false), ("x ", false), (":x", false), ("<x", false),
    ("a:b", true), ("é", false), ("a\nb", false), ("a\u{1B}", false), ("a\u{7F}", false),
  ])
  func `what is not safe goes in base64`(value: String, isSafe: Bool) {
    #expect(LDIFLine.isSafe(Array(value.utf8)) == isSafe)
  }
}

extension String {
  fileprivate func components(by separator: String) -> [String] {
    var parts: [String] = []
    var rest = Array(unicodeScalars)[...]
    let wanted = Array(separator.unicodeScalars)
    var part = String.UnicodeScalarView()
    while !rest.isEmpty {
      if rest.starts(with: wanted) {
        parts.append(String(part))
        part = String.UnicodeScalarView()
        rest = rest.dropFirst(wanted.count)
      } else {
        part.append(rest.removeFirst())
      }
    }
    return parts + [String(part)]
  }
}

@Suite("Distinguished names")
struct DistinguishedNameTests {
  /// RFC 4514 §4.
  @Test func `the examples of the standard are read`() throws {
    let name = try #require(DistinguishedName("OU=Sales+CN=J.  Smith,DC=example,DC=net"))
    #expect(name.parts.map { $0.map(\.type) } == [["OU", "CN"], ["DC"], ["DC"]])
    #expect(name.parts[at: 0]?.map(\.value) == ["Sales", "J.  Smith"])
    let quoted = DistinguishedName(#"CN=James \"Jim\" Smith\, III,DC=example,DC=net"#)
    #expect(quoted?.parts[at: 0]?[at: 0]?.value == #"James "Jim" Smith, III"#)
    #expect(
      DistinguishedName(#"CN=Before\0dAfter,DC=net"#)?.parts[at: 0]?[at: 0]?.value
        == "Before\rAfter"
    )
    #expect(DistinguishedName(#"CN=Lu\C4\8Di\C4\87"#)?.parts[at: 0]?[at: 0]?.value == "Lučić")
    #expect(DistinguishedName("cn=a, dc=b")?.parts.count == 2)
  }

  @Test(arguments: [
    "", "cn", "cn=", "=a", "cn=a,", ",cn=a", "cn=a+", "cn=\"a\"", "cn=a;cn=b", "cn=#04", "cn=\\",
    "cn=\\4", "cn=\\zz", "cn=\\ff", "c n=a",
  ])
  func `what is no name is refused`(text: String) {
    #expect(DistinguishedName(text) == nil)
  }

  @Test func `every value comes back`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let value = randomText(&generator)
      let escaped = appended(value) { DistinguishedName.append(escaped: $0, to: &$1) }
      let read = DistinguishedName("uid=\(escaped),o=x")
      #expect(read?.parts[at: 0]?[at: 0]?.value.utf8.elementsEqual(value.utf8) == true, "\(value)")
    }
  }

  @Test(arguments: ["dc=example,dc=org", "o=Company", "ou=Staff,dc=x", "O=A\\, B"])
  func `a base is a domain, an organisation or a unit`(name: String) throws {
    #expect(try LDIFBase(name).name == name)
  }

  @Test(arguments: ["", "cn=x", "dc=a+o=b", "nonsense"])
  func `another base is refused`(name: String) {
    let error = #expect(throws: DirectoryError.self) { try LDIFBase(name) }
    #expect(error?.kind == .usage)
    #expect(error?.message == "cannot write LDIF: \(name) is not a usable base DN")
    #expect(
      error?.advice
        == "give a base DN such as dc=example,dc=org, o=Company or ou=Staff,dc=example,dc=org"
    )
  }
}

@Suite("Texts in other formats")
struct ExportTextTests {
  @Test func `a vCard's text is escaped, and no line of it breaks`() {
    #expect(
      appended("a,b;c\\d\ne\r\u{1B}\u{7F}\tf") { VCardText.append($0, to: &$1) }
        == "a\\,b\\;c\\\\d\\ne\u{240D}\u{241B}\u{2421}\tf"
    )
    #expect(
      appended("a,b%\\\n😀") { VCardText.appendID($0, to: &$1) } == "a%2Cb%25%5C%0A😀"
    )
  }

  @Test(arguments: [
    ("<&>\"", "&lt;&amp;&gt;&quot;", 4), ("\u{B}", "_x000B_", 1), ("a\rb", "a_x000D_b", 3),
    ("_x000B_", "_x005F_x000B_", 7), ("_X0aF9_", "_x005F_X0aF9_", 7), ("_x12_", "_x12_", 5),
    ("_x000B", "_x000B", 6), ("\t\n", "\t\n", 2), ("😀é", "😀é", 3), ("\u{FFFE}", "_xFFFE_", 1),
    ("\u{FFFF}x", "_xFFFF_x", 2), ("\u{FFFD}", "\u{FFFD}", 1),
  ])
  func `a cell holds what XML cannot`(text: String, xml: String, length: Int) {
    var found = 0
    #expect(appended(text) { found = SpreadsheetXML.append($0, to: &$1) } == xml)
    #expect(found == length)
  }

  @Test(arguments: [
    ("*a* _b_ `c` [d](e)", "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e)"), ("1. x", "1\\. x"),
    ("12) x", "12\\) x"), ("v1.2", "v1.2"), ("- x", "\\- x"), ("a - b", "a - b"),
    ("<b>&", "&lt;b&gt;&amp;"), (" x ", "&#32;x&#32;"), ("# x", "\\# x"), ("a\nb", "a␊b"),
    ("https://x", "https\\://x"),
  ])
  func `Markdown shows a text as it is`(text: String, markdown: String) {
    #expect(appended(text) { MarkdownEncoder.append($0, beginsItem: true, to: &$1) } == markdown)
  }

  @Test func `a path can be taken apart again`() {
    var bytes: [UInt8] = []
    for (index, name) in ["A/B", "C\\", "D"].enumerated() {
      Array(name.utf8).withUnsafeBytes {
        PathText.append(name: $0, isFirst: index == 0, to: &bytes)
      }
    }
    #expect(String(decoding: bytes, as: UTF8.self) == "A\\/B/C\\\\/D")
  }
}
