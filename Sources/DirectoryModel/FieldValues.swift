/// The values of a record's declared fields, in the one text that PostgreSQL makes of them.
///
/// It is what `jsonb` gives as text, so that rows can be compared and hashed byte for byte on both
/// sides: an object from the field's name to a string or an array of strings; names in the order of
/// their lengths, then of their bytes; a blank after each colon and comma; in strings a backslash
/// before quotation mark and backslash, `\b \f \n \r \t`, other characters below U+0020 as `\u00xx`,
/// everything else as it is. No values at all are the empty text here, and `{}` there.
///
/// Source: PostgreSQL, `jsonb.c` (`JsonbToCString`), `jsonb_util.c` (`lengthCompareJsonbString`) and
/// `json.c` (`escape_json`).
package struct FieldValues: Sendable {
  /// A field's value or its several values; never empty.
  package enum Value: Sendable {
    case one(String)
    case several([String])

    package var texts: [String] {
      switch self {
      case .one(let text): [text]
      case .several(let texts): texts
      }
    }

    /// On one line, several as `FieldList` has them.
    package var line: String {
      switch self {
      case .one(let text): return text
      case .several(let texts):
        var line: [UInt8] = []
        FieldList.append(texts.map { Array($0.utf8) }, to: &line)
        return String(decoding: line, as: UTF8.self)
      }
    }
  }

  /// The text; empty where there are no values.
  package let text: String

  package static let none = FieldValues(canonical: "")

  /// Takes a text that PostgreSQL, or `init(_:)`, made.
  package init(canonical text: String) { self.text = text }

  package init(_ values: [String: Value]) {
    var writer = FieldValuesWriter()
    for (name, value) in values.sorted(by: { Field.isWritten($0.key, before: $1.key) }) {
      switch value {
      case .one(let text): writer.append(name, text.utf8)
      case .several(let texts): writer.append(name, list: texts.map { Array($0.utf8) })
      }
    }
    text = String(decoding: writer.finished(), as: UTF8.self)
  }

  package var isEmpty: Bool { text.isEmpty }

  /// By name; `nil` for a text that is none of fields.
  ///
  /// - Complexity: O(bytes).
  package var values: [String: Value]? {
    var text = text
    return text.withUTF8 { Self.values(of: UnsafeRawBufferPointer($0)) }
  }

  private static func values(of text: UnsafeRawBufferPointer) -> [String: Value]? {
    var values: [String: Value] = [:]
    var reader = FieldValuesReader(text)
    while reader.next() {
      let texts = reader.values.map { String(decoding: $0, as: UTF8.self) }
      let value: Value = reader.isSeveral ? .several(texts) : .one(texts[0])
      guard values.updateValue(value, forKey: String(decoding: reader.name, as: UTF8.self)) == nil
      else { return nil }
    }
    return reader.isMalformed ? nil : values
  }

  /// The same fields with other texts.
  package func mapTexts(_ change: (String) -> String) -> FieldValues {
    FieldValues(
      (values ?? [:]).mapValues { value in
        switch value {
        case .one(let text): .one(change(text))
        case .several(let texts): .several(texts.map(change))
        }
      }
    )
  }

  /// The names of fields whose values are others in `former`, by length and then by bytes.
  package func names(differingFrom former: FieldValues) -> [String] {
    let (now, before) = (values ?? [:], former.values ?? [:])
    return Set(now.keys).union(before.keys).filter {
      !Self.areSame(now[$0], before[$0])
    }.sorted { Field.isWritten($0, before: $1) }
  }

  private static func areSame(_ left: Value?, _ right: Value?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (.one(let left)?, .one(let right)?): left.utf8.elementsEqual(right.utf8)
    case (.several(let left)?, .several(let right)?):
      left.count == right.count
        && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    default: false
    }
  }
}

extension FieldValues: Hashable {
  package static func == (left: FieldValues, right: FieldValues) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
