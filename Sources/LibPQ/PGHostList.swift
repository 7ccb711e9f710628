import Platform

/// The hosts of a connection string, one by one.
///
/// Source: libpq, connectOptions2. `host`, `hostaddr` and `port` are lists that go together; a
/// single port counts for all, and an empty element is the default.
struct PGHostList: Equatable {
  struct Entry: Equatable {
    var name: String
    /// An address that spares looking the name up; "" for none.
    var address: String
    var port: String
  }

  var entries: [Entry]

  init(_ conninfo: PGConninfo) {
    let names = Self.elements(conninfo["host"])
    let addresses = Self.elements(conninfo["hostaddr"])
    let ports = Self.elements(conninfo["port"])
    entries = (0..<max(names.count, addresses.count, 1)).map { index in
      Entry(
        name: index < names.count ? names[index] : "",
        address: index < addresses.count ? addresses[index] : "",
        port: ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      )
    }
  }

  private static func elements(_ list: String?) -> [String] {
    guard let list, !list.isEmpty else { return [] }
    return list.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
  }

  /// Puts the hosts back into a connection string.
  func apply(to conninfo: inout PGConninfo) {
    conninfo["host"] = Self.list(entries.map(\.name))
    conninfo["hostaddr"] = Self.list(entries.map(\.address))
    conninfo["port"] = Self.list(entries.map(\.port))
  }

  /// An empty text where all elements are: it stands for the default, also against the environment.
  private static func list(_ elements: [String]) -> String {
    elements.allSatisfy(\.isEmpty) ? "" : elements.joined(separator: ",")
  }

  /// Drops a host by what the string calls it.
  mutating func remove(_ host: PGHost) {
    entries.removeAll { entry in
      (entry.name == host.name || entry.name.isEmpty && entry.address == host.name)
        && (entry.port == host.port || entry.port.isEmpty && host.port == Self.defaultPort)
    }
  }

  /// Drops one address of a host; what else its name stands for stays.
  mutating func remove(name: String, address: String, port: String) {
    entries = entries.flatMap { entry -> [Entry] in
      guard entry.name == name || entry.name.isEmpty,
        entry.port == port || entry.port.isEmpty && port == Self.defaultPort
      else { return [entry] }
      guard entry.address.isEmpty else { return entry.address == address ? [] : [entry] }
      guard !entry.isSocket, !address.isEmpty else { return [] }
      return Self.addresses(of: entry.name).filter { $0 != address }
        .map { Entry(name: entry.name, address: $0, port: entry.port) }
    }
  }

  private static let defaultPort = "5432"

  /// Looks a name up. (getaddrinfo(3))
  private static func addresses(of name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let info = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let status = getnameinfo(
        info.ai_addr,
        info.ai_addrlen,
        &text,
        socklen_t(text.count),
        nil,
        0,
        NI_NUMERICHOST
      )
      if status == 0 {
        addresses.append(
          String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        )
      }
      next = info.ai_next
    }
    return addresses
  }
}

extension PGHostList.Entry {
  /// Whether it is the folder or the abstract name of a socket. (libpq: is_unixsock_path)
  fileprivate var isSocket: Bool {
    address.isEmpty && (name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@"))
  }
}
