import DirectoryModel
import DirectoryReading
import FoundationEssentials
import HTTPTypes
import LiveDirectory
import SiteSettings

/// What a request says of who sends it.
struct RequestOrigin: Sendable {
  /// Where the connection comes from; `nil` for a Unix socket.
  var address: String?
  /// Host and port that the request is for.
  var authority: String
  var headers: HTTPFields
  var isRead: Bool

  /// What limits are kept by where nobody has signed in.
  var network: String { RequestLimits.network(of: address) }
}

/// Who asks, and what they were known by.
struct SignedCaller: Equatable, Sendable {
  var viewer: Viewer
  /// The person, behind the id; `nil` for others, and where that is not told.
  var identity: RecordIdentity?
  /// What a token may do; `nil` for a caller without a token.
  var scope: TokenScope?
  /// What limits are kept by.
  var key: String
}

/// Finds out who asks.
struct SignIn: Sendable {
  private let settings: ServerSettings
  /// The random key of the address that is printed; `nil` where a proxy signs people in.
  let key: String?

  init(_ settings: ServerSettings) {
    self.settings = settings
    key = settings.signIn == nil ? Secret.random() : nil
  }

  static let cookie = "staffbook"
  private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")

  // MARK: Other sites

  /// Refuses what another site, or a name that is not ours, makes a browser send.
  ///
  /// - Throws: `.notPermitted`.
  func requireOwnSite(_ request: RequestOrigin) throws(Problem) {
    guard let host = Self.host(of: request.authority), settings.hosts.contains(host) else {
      throw Problem(
        .notPermitted,
        "this server does not answer for the host \(request.authority)",
        remedy: "add it to server.hosts in config.yaml"
      )
    }
    if let origin = request.headers[.origin] {
      // RFC 6454 §7: a scheme, `://`, and what a Host header has, or `null`. Without TLS here, there may be
      // some at a balancer.
      let schemes = settings.isSecure ? ["https"] : ["http", "https"]
      let own = schemes.map { Self.lowered("\($0)://\(request.authority)") }
      guard own.contains(Self.lowered(origin)) else { throw Self.otherSite }
    }
    let site = request.headers.fetchSite
    let mode = Self.fetchMode.flatMap { request.headers[$0] }
    // A link on another site may lead here; what is answered it cannot read.
    if site == "cross-site" || site == "same-site", mode != "navigate" || !request.isRead {
      throw Self.otherSite
    }
  }

  private static var otherSite: Problem {
    Problem(.notPermitted, "the request is from another site")
  }

  /// The UTF-8 of a text, with small letters of ASCII: Unicode has other letters that become one.
  private static func lowered(_ text: String) -> [UInt8] {
    text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
  }

  /// The host of an authority, in lower case.
  ///
  /// - Parameter authority: A host, and a port behind a colon (RFC 9110 §7.2).
  /// - Returns: `nil` for anything else, such as what has a user's name in front of the host.
  private static func host(of authority: String) -> String? {
    let text = lowered(authority)
    let colon = UInt8(ascii: ":")
    // An IPv6 address has colons of its own, and brackets around it.
    let bracket = text.first == UInt8(ascii: "[") ? text.firstIndex(of: UInt8(ascii: "]")) : nil
    let end = bracket.map { $0 + 1 } ?? text.firstIndex(of: colon) ?? text.count
    let (host, port) = (text[..<end], text[end...])
    guard port.isEmpty || port.first == colon,
      port.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return String(decoding: host, as: UTF8.self)
  }

  // MARK: Who asks

  /// Who asks.
  ///
  /// - Parameters:
  ///   - request: What it says of its sender.
  ///   - person: Finds the person whom a proxy names, on a thread that may wait.
  ///   - holder: Finds the holder of a token.
  /// - Returns: With whose rights it is answered.
  /// - Throws: `.notSignedIn`, and `.notPermitted` for a name that no person has, or several.
  func caller(
    _ request: RequestOrigin,
    person: (ViewerLookUp.SignedInName) async throws -> ViewerLookUp.SignedInPerson?,
    holder: (String) async throws -> SignedCaller?
  ) async throws -> SignedCaller {
    if let token = try Self.token(request.headers) {
      guard let caller = try await holder(token) else { throw notSignedIn }
      return caller
    }
    if let proxy = settings.signIn, let name = try proxyName(request, proxy) {
      guard let found = try await person(proxy.match == .id ? .id(name) : .address(name)) else {
        throw Problem(
          .notPermitted,
          "the name given by the proxy does not match exactly one person"
        )
      }
      return SignedCaller(
        viewer: .person(found.id),
        identity: found.identity,
        key: "person:\(found.id.rawValue)"
      )
    }
    if let key, Secret.areEqual(Self.cookieValue(request.headers) ?? "", key) {
      return SignedCaller(viewer: .everything, key: "key")
    }
    throw notSignedIn
  }

  private var notSignedIn: Problem {
    Problem(
      .notSignedIn,
      remedy: key == nil
        ? "sign in at the proxy in front of this server, or send a token"
        : "open the address that the server printed when it started, or send a token"
    )
  }

  /// The name in the proxy's header, which is believed only from the proxy.
  private func proxyName(
    _ request: RequestOrigin,
    _ proxy: ServerSettings.SignIn
  ) throws(Problem) -> String? {
    guard let name = HTTPField.Name(proxy.header) else { return nil }
    let values = request.headers[values: name]
    guard !values.isEmpty else { return nil }
    guard request.address.map({ proxy.from.contains($0) }) ?? true else {
      throw Problem(.notPermitted, "the header \(proxy.header) is not accepted from this address")
    }
    guard values.count == 1, !values[0].isEmpty else {
      throw Problem(.notPermitted, "the header \(proxy.header) does not name one person")
    }
    return values[0]
  }

  /// A token, as Bearer (RFC 6750 §2.1) or as the password of Basic (RFC 7617 §2).
  ///
  /// - Throws: `.notSignedIn` for what is neither.
  private static func token(_ headers: HTTPFields) throws(Problem) -> String? {
    guard let field = headers[.authorization] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    switch parts.first?.lowercased() {
    case "bearer" where parts.count == 2: return String(parts[1])
    case "basic" where parts.count == 2:
      guard let bytes = Data(base64Encoded: String(parts[1])),
        let colon = bytes.firstIndex(of: 0x3A)
      else { break }
      return String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    default: break
    }
    throw Problem(.notSignedIn, "the header Authorization is neither Bearer nor Basic")
  }

  /// Where a browser that has the key in its address is sent, with a cookie in its place.
  ///
  /// - Returns: `nil` for any other request.
  /// - Throws: `.notSignedIn` for another key.
  func entering(_ path: String, _ query: String?) throws(Problem) -> Reply? {
    guard let key, path == "/", let query, query.hasPrefix("key=") else { return nil }
    guard Secret.areEqual(String(query.dropFirst(4)), key) else {
      throw Problem(.notSignedIn, "this is not the key that the server printed")
    }
    var reply = Reply([], "text/plain; charset=utf-8", status: .seeOther)
    reply.headers[.location] = "/"
    reply.headers[.setCookie] =
      "\(Self.cookie)=\(key); Path=/; HttpOnly; SameSite=Strict\(settings.isSecure ? "; Secure" : "")"
    reply.headers[.cacheControl] = "no-store"
    return reply
  }

  /// RFC 6265 §4.2.
  private static func cookieValue(_ headers: HTTPFields) -> String? {
    for field in headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0] == cookie { return String(parts[1]) }
      }
    }
    return nil
  }
}

/// Random texts that are known to one who was told.
enum Secret {
  /// 160 bits of the system's randomness, in hexadecimal.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<5).map { _ in
      let digits = String(UInt32.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// Compares in a time that does not tell where two texts differ.
  static func areEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
