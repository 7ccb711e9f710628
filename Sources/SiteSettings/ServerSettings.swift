import DirectoryModel
import YAML

/// What `server:` in the configuration says of `staffbookd`; every key is optional.
package struct ServerSettings: Sendable, Equatable {
  /// Where it listens.
  package enum Listener: Hashable, Sendable, CustomStringConvertible {
    case address(String, port: Int)
    /// A Unix socket.
    case socket(String)
    /// A descriptor that the service manager listens on already.
    case inherited(Int32)

    package var description: String {
      switch self {
      case .address(let host, let port):
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
      case .socket(let path): path
      case .inherited(let descriptor): "descriptor \(descriptor)"
      }
    }
  }

  /// How a proxy says who is signed in.
  package struct SignIn: Hashable, Sendable {
    package enum Match: String, Sendable, CaseIterable { case id, email }

    package var header: String
    package var match = Match.email
    /// Addresses from which the header is believed, beside a Unix socket.
    package var from: Set<String> = []

    package init(header: String, match: Match = .email, from: Set<String> = []) {
      (self.header, self.match, self.from) = (header, match, from)
    }
  }

  package var listeners = [Listener.address("127.0.0.1", port: 8440)]
  /// The hosts that it answers for, in lower case and without ports.
  package var hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
  package var signIn: SignIn?
  /// Files in PEM; they are read again when they are replaced.
  package var certificate: String?
  package var privateKey: String?
  /// Seconds after which a state is too old for `/readyz`.
  package var lag: Int64 = 300
  /// Requests of one caller in a second, and exports in an hour.
  package var requestsPerSecond = 200
  package var exportsPerHour = 60
  /// Addresses of balancers, whose connections begin with the PROXY protocol.
  package var proxyProtocolFrom: Set<String> = []
  /// To whom a mistake in a record is reported: a mail address or an https URL.
  package var reports: String?
  /// Whether every request is logged.
  package var accessLog = false

  /// Whether it speaks TLS itself; a balancer in front of it may in any case.
  package var isSecure: Bool { certificate != nil }

  package init() {}

  /// - Throws: `.usage` with file and line.
  init(_ value: YAMLValue, file: String) throws(DirectoryError) {
    for (key, value) in try value.entries(of: "server", file: file) {
      switch key.text {
      case "listen":
        let listeners = value.texts?.compactMap(Self.listener) ?? []
        guard !listeners.isEmpty, listeners.count == value.texts?.count else {
          throw YAMLValue.error(
            file,
            value.line,
            "listen is neither ADDRESS:PORT nor the path of a socket",
            "write 127.0.0.1:8440 or /run/staffbookd/socket, or a list of such"
          )
        }
        self.listeners = listeners
      case "hosts": hosts.formUnion(try Self.texts(value, "hosts", file).map { $0.lowercased() })
      case "certificate": certificate = try value.text(of: "certificate", file: file)
      case "key": privateKey = try value.text(of: "key", file: file)
      case "lag":
        let text = try value.text(of: "lag", file: file)
        guard let seconds = TimeSpan.seconds(text) else {
          throw YAMLValue.error(
            file,
            value.line,
            "\(text) is not a length of time",
            "write 5 minutes"
          )
        }
        lag = seconds
      case "proxy_protocol_from":
        proxyProtocolFrom = Set(try Self.texts(value, "proxy_protocol_from", file))
      case "access_log":
        guard let isOn = value.text.flatMap({ Bool($0) }) else {
          throw YAMLValue.error(
            file,
            value.line,
            "access_log is neither true nor false",
            "write true"
          )
        }
        accessLog = isOn
      case "reports":
        let text = try value.text(of: "reports", file: file)
        guard Self.isReachable(text) else {
          throw YAMLValue.error(
            file,
            value.line,
            "reports is neither a mail address nor an https URL",
            "write directory@example.org or https://example.org/report"
          )
        }
        reports = text
      case "sign_in": signIn = try SignIn(value, file: file)
      case "requests_per_second": requestsPerSecond = try Self.number(value, file)
      case "exports_per_hour": exportsPerHour = try Self.number(value, file)
      default:
        throw YAMLValue.error(
          file,
          key.line,
          "there is no key \"\(key.text ?? "")\" under server",
          "the keys are listen, hosts, certificate, key, lag, sign_in, proxy_protocol_from, "
            + "access_log, reports, requests_per_second and exports_per_hour"
        )
      }
    }
    guard (certificate == nil) == (privateKey == nil) else {
      throw YAMLValue.error(
        file,
        value.line,
        "certificate and key must be set together",
        "name both"
      )
    }
  }

  fileprivate static func texts(
    _ value: YAMLValue,
    _ key: String,
    _ file: String
  ) throws(DirectoryError) -> [String] {
    guard let texts = value.texts else {
      throw YAMLValue.error(file, value.line, "\(key) is neither a text nor a list of texts")
    }
    return texts
  }

  private static func number(_ value: YAMLValue, _ file: String) throws(DirectoryError) -> Int {
    guard let number = value.text.flatMap({ Int($0) }), (1...1_000_000).contains(number) else {
      throw YAMLValue.error(
        file,
        value.line,
        "this is not a number from 1 to 1000000",
        "correct it"
      )
    }
    return number
  }

  /// Whether a text is an https URL with a host, or a mail address without what would become a header of
  /// the mail (RFC 6068).
  private static func isReachable(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\".utf8.contains($0) }
    guard !text.hasPrefix("https://") else {
      return isPlain && text.dropFirst("https://".count).first.map { !"/?#".contains($0) } == true
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return isPlain && parts.count == 2 && !parts.contains("")
      && !text.contains { "?&,;:/%".contains($0) }
  }

  /// Reads `ADDRESS:PORT`, or a path.
  package static func listener(_ text: String) -> Listener? {
    if text.hasPrefix("/") { return .socket(text) }
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty ? nil : .address(host, port: port)
  }
}

extension ServerSettings.SignIn {
  fileprivate init(_ value: YAMLValue, file: String) throws(DirectoryError) {
    var (name, match, from): (String?, Match, Set<String>) = (nil, .email, [])
    for (key, value) in try value.entries(of: "sign_in", file: file) {
      switch key.text {
      case "header": name = try value.text(of: "header", file: file)
      case "from": from = Set(try ServerSettings.texts(value, "from", file))
      case "match":
        guard let known = value.text.flatMap(Match.init) else {
          throw YAMLValue.error(file, value.line, "match is neither id nor email", "write email")
        }
        match = known
      default:
        throw YAMLValue.error(
          file,
          key.line,
          "there is no key \"\(key.text ?? "")\" under sign_in",
          "the keys are header, match and from"
        )
      }
    }
    guard let name else {
      throw YAMLValue.error(
        file,
        value.line,
        "sign_in names no header",
        "write header: X-Forwarded-User"
      )
    }
    self.init(header: name, match: match, from: from)
  }
}
