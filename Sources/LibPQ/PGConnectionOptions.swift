/// What a connection is to do beyond its connection string.
package struct PGConnectionOptions: Sendable, Equatable {
  /// `target_session_attrs` where neither the string, a service nor the environment names one,
  /// such as `prefer-standby`. (libpq: "Parameter Key Words")
  package var targetSessionAttributes: String?
  /// How long the server may send nothing while an answer is due; then it counts as stalled.
  ///
  /// `nil` waits for ever. Several seconds at least, unless `PGPatience.isAtWork` tells: a server that
  /// computes is silent too.
  package var silenceLimit: Duration?
  /// Hosts of the string that are not tried.
  package var passedOver: [PGHost]

  package init(
    targetSessionAttributes: String? = nil,
    silenceLimit: Duration? = nil,
    passedOver: [PGHost] = []
  ) {
    self.targetSessionAttributes = targetSessionAttributes
    self.silenceLimit = silenceLimit
    self.passedOver = passedOver
  }
}

/// One host of a connection string, by what the string calls it.
package struct PGHost: Hashable, Sendable, CustomStringConvertible {
  /// A name, an address or a socket's folder; "" is libpq's default.
  package var name: String
  package var port: String

  package init(name: String, port: String) {
    self.name = name
    self.port = port
  }

  package var description: String {
    name.hasPrefix("/") || name.isEmpty ? "\(name)/.s.PGSQL.\(port)" : "\(name):\(port)"
  }
}
