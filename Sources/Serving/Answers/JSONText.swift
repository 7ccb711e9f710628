import DirectoryModel
import FoundationEssentials

/// An object of JSON whose values may be JSON already.
struct JSONObject {
  private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  mutating func set(_ key: StaticString, _ value: some Encodable) {
    set(key, json: JSONLine.encode(value).utf8)
  }

  mutating func set(_ key: StaticString, json: some Sequence<UInt8>) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes += "\"\(key)\":".utf8
    bytes += json
  }

  consuming func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
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
        "the parameter \"cursor\" is not one that a page gave",
        remedy: "leave it out to begin with the first page"
      )
    }
    return value
  }
}
