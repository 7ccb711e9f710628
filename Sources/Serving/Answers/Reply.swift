import DirectoryModel
import HTTPTypes
import HummingbirdCore
import NIOCore
import Page

/// What a route answers.
package struct Reply: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Written piece by piece, at the reader's pace.
    case stream(@Sendable (inout any ResponseBodyWriter) async throws -> Void)
  }

  var status: HTTPResponse.Status
  var headers = HTTPFields()
  var body: Body

  init(_ bytes: some Sequence<UInt8>, _ type: String, status: HTTPResponse.Status = .ok) {
    (self.status, body) = (status, .bytes(Array(bytes)))
    headers[.contentType] = type
  }

  init(
    _ type: String,
    _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
  ) {
    (status, body) = (.ok, .stream(write))
    headers[.contentType] = type
  }

  /// An answer that its own bytes name: what is not in it does not change its tag.
  static func tagged(_ content: [UInt8], _ type: String = "application/json") -> Reply {
    var reply = Reply(content, type)
    reply.headers[.eTag] = "\"\(hexadecimal(content.withUnsafeBytes { XXHash64.digest($0) }))\""
    return reply
  }

  static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The response, without content where the client has it already or asks for none.
  func response(to request: HTTPRequest) -> (head: HTTPResponse, body: ResponseBody) {
    var head = HTTPResponse(status: status, headerFields: headers)
    for (name, value) in Self.protection where head.headerFields[name] == nil {
      head.headerFields[name] = value
    }
    if let tag = headers[.eTag], Self.matches(request.headerFields[.ifNoneMatch], tag) {
      head.status = .notModified
      head.headerFields[.contentType] = nil
      return (head, ResponseBody())
    }
    switch body {
    case .bytes(var bytes):
      if isCompressed(for: request.headerFields, bytes) {
        bytes = Gzip.compressed(bytes, level: .fastest)
        head.headerFields[.contentEncoding] = "gzip"
        head.headerFields[.vary] = "\(head.headerFields[.vary] ?? ""), Accept-Encoding"
        // Other bytes of the same meaning (RFC 9110 §8.8.1).
        if let tag = headers[.eTag] { head.headerFields[.eTag] = "W/\(tag)" }
      }
      head.headerFields[.contentLength] = String(bytes.count)
      return (
        head,
        request.method == .head
          ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
      )
    case .stream(let write):
      return (
        head,
        ResponseBody { writer in
          try await write(&writer)
          try await writer.finish(nil)
        }
      )
    }
  }

  /// Whether an answer is compressed, which only the page's are.
  ///
  /// Where another site makes a browser ask, the length of what it gets would tell that site how much of
  /// its guess the directory holds (BREACH).
  private func isCompressed(for request: HTTPFields, _ bytes: [UInt8]) -> Bool {
    let type = headers[.contentType] ?? ""
    return bytes.count > Self.leastCompressed && headers[.contentEncoding] == nil
      && (type == "application/json" || type.hasPrefix("text/html"))
      && ["same-origin", "none"].contains(request.fetchSite ?? "")
      && request[.acceptEncoding]?.contains("gzip") ?? false
  }

  /// What one packet holds gains nothing.
  private static let leastCompressed = 1_200

  /// What keeps a browser from using an answer for anything but what it is for.
  private static let protection: [(HTTPField.Name, String)] = {
    var fields: [(HTTPField.Name, String)] = [
      (.cacheControl, "private, no-cache"), (.vary, "Authorization, Cookie"),
      (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
      (.xContentTypeOptions, "nosniff"),
    ]
    if let name = HTTPField.Name("Referrer-Policy") { fields.append((name, "no-referrer")) }
    return fields
  }()

  /// RFC 9110 §13.1.2, by weak comparison.
  private static func matches(_ field: String?, _ tag: String) -> Bool {
    guard let field else { return false }
    return field.split(separator: ",").contains { part in
      var part = part.drop { $0 == " " }
      while part.last == " " { part.removeLast() }
      return part == "*" || part == tag || part == "W/\(tag)"
    }
  }
}

extension HTTPFields {
  /// What a browser says of the site that makes it ask (Fetch Metadata); `none` is its user.
  var fetchSite: String? { HTTPField.Name("Sec-Fetch-Site").flatMap { self[$0] } }
}
