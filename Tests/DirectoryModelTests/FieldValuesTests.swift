import DirectoryModel
import Testing

@Suite("Values of declared fields")
struct FieldValuesTests {
  @Test func `no values are the empty text`() {
    #expect(FieldValues([:]) == .none)
    #expect(FieldValues.none.text == "")
    #expect(FieldValues.none.values?.isEmpty == true)
  }

  @Test func `names stand by length, then by bytes`() {
    let values = FieldValues([
      "office": .one("B 12"), "fax": .one("2"), "car": .one("1"),
      "languages": .several(["de", "fr"]),
    ])
    #expect(
      values.text == #"{"car": "1", "fax": "2", "office": "B 12", "languages": ["de", "fr"]}"#
    )
  }

  @Test func `what was written is read again, whatever it holds`() throws {
    let hostile = [
      "\"", "\\", "\\\"", "/", "\u{1}\u{8}\u{C}\n\r\t\u{1F}\u{7F}", "灯台 😀 e\u{301}", "{\"a\": 1}",
      "a, b", "]", "\u{202E}x",
    ]
    for text in hostile {
      let values = FieldValues(["one": .one(text), "several": .several([text, "x", text])])
      let read = try #require(values.values)
      #expect(read["one"]?.texts == [text])
      #expect(read["several"]?.texts == [text, "x", text])
      #expect(FieldValues(read) == values)
    }
  }

  @Test func `anything else is not read`() {
    for text in [
      "{}", "{", "{\"a\"}", "{\"a\": 1}", "{\"a\": null}", "{\"a\":\"x\"}", "{\"a\": []}",
      "{\"a\": \"x\"", "{\"a\": \"x\"}}", "{\"a\": \"x\", \"a\": \"y\"}", "{\"a\": \"\\u00zz\"}",
      "[\"a\"]", "x", "{\"a\": [[\"x\"]]}",
    ] {
      #expect(FieldValues(canonical: text).values == nil, "\(text)")
    }
  }

  @Test func `the fields that differ are named, one value told from a list of one`() {
    let before = FieldValues(["a": .one("1"), "b": .one("2"), "c": .one("3")])
    let now = FieldValues(["a": .one("1"), "b": .several(["2"]), "dd": .one("4")])
    #expect(now.names(differingFrom: before) == ["b", "c", "dd"])
    #expect(now.names(differingFrom: now) == [])
  }
}

@Suite("The catalogue of fields")
struct FieldCatalogueTests {
  private let all = KnownField.builtIn + KnownField.usual

  @Test func `has each name and label once`() {
    let words = all.flatMap {
      [$0.name.replacing("_", with: " "), $0.label.lowercased()].uniqued
    }
    #expect(Set(words).count == words.count)
  }

  @Test func `has each heading of a column once, in small letters`() {
    let keys = HeadingCatalogue.words.map(\.key)
    #expect(Set(keys).count == keys.count)
    for (key, headings) in HeadingCatalogue.words {
      #expect(Set(headings).count == headings.count, "\(key)")
      #expect(headings.allSatisfy { $0 == $0.lowercased() }, "\(key)")
    }
  }

  @Test func `names usual fields as the database takes them`() {
    for field in KnownField.usual {
      #expect(field.name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
      #expect(KnownField.usual(field.name)?.label == field.label)
    }
    #expect(KnownField.usual("no_such_field") == nil)
  }
}

extension [String] {
  fileprivate var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
