import Testing

@testable import Terminal

@Suite("Keys from bytes")
struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    decoder.append(Array(text.utf8))
    var keys: [Key] = []
    while let key = decoder.next(isFinal: true) { keys.append(key) }
    return keys
  }

  @Test(arguments: [
    ("a", Key.character("a")), ("é", .character("é")), ("伟", .character("伟")),
    ("😀", .character("😀")), ("\r", .enter), ("\t", .tab), ("\u{7F}", .backspace),
    ("\u{3}", .control("c")), ("\u{1B}", .escape), ("\u{1B}[A", .up), ("\u{1B}OB", .down),
    ("\u{1B}[1;5C", .right), ("\u{1B}[D", .left), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
    ("\u{1B}[H", .home), ("\u{1B}[4~", .end), ("\u{1B}[3~", .delete), ("\u{1B}[Z", .backTab),
    ("\u{1B}[<0;5;3M", .mouse(MouseEvent(.press, column: 4, row: 2))),
    ("\u{1B}[<65;1;1M", .mouse(MouseEvent(.wheelDown, column: 0, row: 0))),
    ("\u{1B}[200~a\nb\u{1B}[201~", .paste("a\nb")),
  ])
  func `one key`(text: String, key: Key) { #expect(keys(text) == [key]) }

  @Test func `bytes that come one by one are the same keys`() {
    let text = "aé伟\u{1B}[A\u{1B}[<0;5;3M\u{1B}[200~x\u{1B}y\u{1B}[201~\u{1B}[6~z"
    var decoder = KeyDecoder()
    var found: [Key] = []
    for byte in text.utf8 {
      decoder.append([byte])
      while let key = decoder.next() { found.append(key) }
    }
    #expect(found == keys(text))
    #expect(found.count == 8)
  }

  @Test func `sequences that mean nothing are passed over whole, and nothing is taken for a key`() {
    #expect(keys("\u{1B}[?1;2c\u{1B}[12;34Rx") == [.character("x")])
    #expect(keys("\u{1B}[<0;5;3m\u{1B}[99~\u{1B}OQx") == [.character("x")])
    for number in ["\(Int.min)", "\(Int.max)", "65536", "-1"] {
      #expect(keys("\u{1B}[<0;\(number);1Mx") == [.character("x")])
      #expect(keys("\u{1B}[<0;1;\(number)Mx") == [.character("x")])
    }
    #expect(keys("\u{FFFD}x") == [.character("\u{FFFD}"), .character("x")])
    var decoder = KeyDecoder()
    decoder.append([0xFF, 0xC3, 0x28, 0x78])
    var found: [Key] = []
    while let key = decoder.next(isFinal: true) { found.append(key) }
    #expect(found.last == .character("x"))
  }

  @Test func `an escape waits for what may follow`() {
    var decoder = KeyDecoder()
    decoder.append([0x1B])
    #expect(decoder.next() == nil && decoder.isWaiting)
    #expect(decoder.next(isFinal: true) == .escape)
    #expect(!decoder.isWaiting)
  }

  @Test func `what is copied goes out in base64`() {
    for (text, wanted) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
      let sequence = String(decoding: Clipboard.sequence(copying: text), as: UTF8.self)
      #expect(sequence == "\u{1B}]52;c;\(wanted)\u{7}")
    }
  }
}
