import Platform

/// The account that the private server runs as.
struct ServerAccount: Equatable, Sendable {
  var userID: UInt32
  var groupID: UInt32
  var name: String

  /// Whether it is another one than ours, which only root can switch to.
  var isOther: Bool { userID != geteuid() }

  /// The accounts that packages of PostgreSQL make, and one that an administrator may make for us.
  private static let unprivilegedNames = ["postgres", "_postgres", "pgsql", "staffbook"]

  /// Ours; for root an unprivileged one, since PostgreSQL refuses root.
  static func forNewServer() throws(PrivateServerError) -> ServerAccount {
    guard geteuid() == 0 else { return try ServerAccount(userID: geteuid()) }
    for name in unprivilegedNames {
      if let account = ServerAccount(name: name), account.userID != 0 { return account }
    }
    throw .noServerAccount(tried: unprivilegedNames)
  }

  init(userID: UInt32) throws(PrivateServerError) {
    let found: ServerAccount? = Self.lookUp { record, buffer, size, result in
      getpwuid_r(userID, record, buffer, size, result)
    }
    guard let found else { throw .accountWithoutName(userID) }
    self = found
  }

  private init?(name: String) {
    let found = Self.lookUp { record, buffer, size, result in
      getpwnam_r(name, record, buffer, size, result)
    }
    guard let found else { return nil }
    self = found
  }

  private init(_ record: passwd) {
    userID = record.pw_uid
    groupID = record.pw_gid
    name = String(cString: record.pw_name)
  }

  private static func lookUp(
    _ ask: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32
  ) -> ServerAccount? {
    var size = 1024
    while size <= 1 << 20 {
      let outcome: (code: Int32, account: ServerAccount?) = withUnsafeTemporaryAllocation(
        of: CChar.self,
        capacity: size
      ) { buffer in
        var record = passwd()
        var result: UnsafeMutablePointer<passwd>?
        guard let base = buffer.baseAddress else { return (EINVAL, nil) }
        let code = ask(&record, base, size, &result)
        return (code, result == nil ? nil : ServerAccount(record))
      }
      guard outcome.code == ERANGE else { return outcome.account }
      size *= 4
    }
    return nil
  }

  /// An account for people: its name and number, or its number alone.
  static func name(of userID: UInt32) -> String {
    (try? ServerAccount(userID: userID)).map { "\($0.name) (\(userID))" } ?? "\(userID)"
  }

  /// The home folder of our own account, by the account database and not by `HOME`.
  static func homeOfOurs() -> String? {
    guard let record = getpwuid(geteuid()) else { return nil }
    return String(cString: record.pointee.pw_dir)
  }
}
