/// A command line as far as it is typed, taken apart as a shell does it.
///
/// Shells differ in details that are not typed before Tab; here `\`, `'…'` and `"…"` count.
struct CommandLineWords {
  /// What quotes the end of the text.
  enum Quote: UInt8 {
    case single = 0x27
    case double = 0x22
  }

  /// The finished words, without their quotes.
  private(set) var finished: [String] = []
  /// The word at the end, which may be empty, without its quotes.
  private(set) var current = ""
  /// For each byte of the last word as it is typed, how many bytes of `current` stand before it, and
  /// the quote that is open there.
  private var marks: [(length: Int, quote: Quote?)] = [(0, nil)]

  init(_ line: String) {
    var word: [UInt8] = []
    var quote: Quote?
    var isEscaped = false
    var isWord = false
    for byte in line.utf8 {
      if isEscaped {
        if quote == .double, !"\\\"$`".utf8.contains(byte) { word.append(UInt8(ascii: "\\")) }
        word.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), quote != .single {
        isEscaped = true
        isWord = true
      } else if let open = quote {
        if byte == open.rawValue { quote = nil } else { word.append(byte) }
      } else if let opened = Quote(rawValue: byte) {
        quote = opened
        isWord = true
      } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
        if isWord { finished.append(String(decoding: word, as: UTF8.self)) }
        (word, marks, isWord) = ([], [(0, nil)], false)
        continue
      } else {
        word.append(byte)
        isWord = true
      }
      marks.append((word.count, quote))
    }
    current = String(decoding: word, as: UTF8.self)
  }

  /// What stands before the last bytes of the line, of the last word: how many bytes of `current`,
  /// and the quote that is open.
  func beginning(ofLast count: Int) -> (length: Int, quote: Quote?) {
    marks[max(0, marks.count - 1 - count)]
  }
}

extension CommandLineWords {
  /// A text as it is typed where a quote is open or none.
  static func typed(_ text: String, in quote: Quote?) -> String {
    var typed = ""
    for scalar in text.unicodeScalars {
      switch quote {
      case .single where scalar == "'": typed += "'\\''"
      // No escape keeps history expansion away within double quotes.
      case .double where scalar == "!": typed += "\"'!'\""
      case .double where "\\\"$`".unicodeScalars.contains(scalar):
        typed += "\\"
        typed.unicodeScalars.append(scalar)
      case nil where scalar.isASCII && !isPlain(scalar):
        typed += "\\"
        typed.unicodeScalars.append(scalar)
      default: typed.unicodeScalars.append(scalar)
      }
    }
    return typed
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: "_./:@%+,=-".unicodeScalars.contains(scalar)
    }
  }
}
