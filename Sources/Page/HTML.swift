import DirectoryExchange

/// HTML as it is written: names of elements and attributes are ours, and everything else is text.
struct HTML {
  private(set) var bytes: [UInt8] = Array("<!DOCTYPE html>\n".utf8)

  /// An element, without the attributes whose value is `nil`.
  mutating func element(
    _ name: StaticString,
    _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ content: (inout HTML) throws -> Void
  ) rethrows {
    empty(name, attributes)
    try content(&self)
    bytes += "</\(name)>".utf8
  }

  /// An element without content and end tag, such as `link` (HTML, §13.1.2).
  mutating func empty(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) {
    bytes += "<\(name)".utf8
    for case (let name, let value?) in attributes {
      bytes += " \(name)=\"".utf8
      XMLText.append(value, to: &bytes)
      bytes += "\"".utf8
    }
    bytes += ">".utf8
  }

  /// An element with a text.
  mutating func element(
    _ name: StaticString,
    _ attributes: KeyValuePairs<StaticString, String?> = [:],
    text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  mutating func text(_ text: String) { XMLText.append(text, to: &bytes) }

  /// A text of the directory, whose own letters decide its direction, and which reorders nothing beside it.
  mutating func name(_ text: String) { element("bdi", text: text) }

  /// A block of data: nothing in it ends the element (HTML, §4.12.1.3).
  mutating func data(_ id: String, _ json: String) {
    element("script", ["type": "application/json", "id": id]) { html in
      html.bytes += json.replacing("<", with: "\\u003C").utf8
    }
  }
}
