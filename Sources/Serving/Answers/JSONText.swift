import DirectoryModel
import FoundationEssentials

extension JSONObject {
  /// On one line, with a member after the others whose value is JSON already.
  func line(with key: StaticString, json: some Sequence<UInt8>) -> [UInt8] {
    var line = Array(line.utf8)
    line.removeLast()
    if line.count > 1 { line.append(UInt8(ascii: ",")) }
    line += "\"\(key)\":".utf8
    line += json
    line.append(UInt8(ascii: "}"))
    return line
  }
}

/// Where a list goes on, as a client keeps it: JSON in base64url (RFC 4648 §5), which it need not
/// understand.
enum Cursor {
  static func text(_ value: some Encodable) -> String {
    Data(JSONLine.encode(value).utf8).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
  }

  /// - Throws: `.badRequest` for what is none.
  static func value<Value: Decodable>(_ text: String?) throws(Problem) -> Value? {
    guard let text else { return nil }
    var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64),
      let value = try? JSONDecoder().decode(Value.self, from: data)
    else {
      throw Problem(
        .badRequest,
        "the parameter \"cursor\" is not a cursor of a page",
        remedy: "omit it to start with the first page"
      )
    }
    return value
  }
}
