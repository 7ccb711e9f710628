import Platform

extension PGConninfo {
  /// The settings as `keyword=value` pairs, quoted where needed.
  ///
  /// Source: manual, "Keyword/Value Connection Strings".
  package var pairs: String {
    settings.map { $0.keyword + "=" + Self.quoted($0.value) }.joined(separator: " ")
  }

  private static func quoted(_ value: String) -> String {
    let needsQuotes =
      value.isEmpty
      || value.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\\") }
    guard needsQuotes else { return value }
    var text = "'"
    for scalar in value.unicodeScalars {
      if scalar == "'" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "'"
  }

  /// The settings as one URI, which `psql` and every other libpq program takes.
  ///
  /// Source: manual, "Connection URIs". User, hosts with ports, and database go to their places;
  /// everything else, also a host list that ports do not match, goes into the query.
  package var uri: String {
    var query = settings.filter { !Self.keywordsInPlace.contains($0.keyword) }
    var text = "postgresql://"
    if let user = self["user"] {
      text += PercentEncoding.encoded(user)
      if let password = self["password"] { text += ":" + PercentEncoding.encoded(password) }
      text += "@"
    } else {
      query += settings.filter { $0.keyword == "password" }
    }
    if let authority {
      text += authority
    } else {
      query += settings.filter { $0.keyword == "host" || $0.keyword == "port" }
    }
    if let database = self["dbname"] { text += "/" + PercentEncoding.encoded(database) }
    return query.isEmpty ? text : text + "?" + Self.queryText(query)
  }

  private static let keywordsInPlace: Set<String> = ["user", "password", "host", "port", "dbname"]

  /// `host:port,host:port`; `nil` when hosts and ports do not pair up, or there is a port only.
  private var authority: String? {
    guard let host = self["host"], !host.isEmpty else { return self["port"] == nil ? "" : nil }
    let hosts = host.split(separator: ",", omittingEmptySubsequences: false)
    guard let port = self["port"] else {
      return hosts.map { Self.hostText($0) }.joined(separator: ",")
    }
    let ports = port.split(separator: ",", omittingEmptySubsequences: false)
    guard hosts.count == ports.count, !ports.contains("") else { return nil }
    return zip(hosts, ports).map {
      Self.hostText($0) + ":" + PercentEncoding.encoded(String($1))
    }
    .joined(separator: ",")
  }

  /// An IPv6 address in brackets; everything else, such as a socket's folder, percent-encoded.
  private static func hostText(_ host: Substring) -> String {
    host.contains(":") && !host.hasPrefix("/") ? "[\(host)]" : PercentEncoding.encoded(String(host))
  }

  private static func queryText(_ settings: [Setting]) -> String {
    settings.map { $0.keyword + "=" + PercentEncoding.encoded($0.value) }.joined(separator: "&")
  }
}
