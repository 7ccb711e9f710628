import Platform
import SystemPackage

/// The server programs of one PostgreSQL version.
struct PostgresInstallation: Equatable, Sendable {
  static let oldestMajor = 13

  /// Where packages and a build from source put them, by the system that does.
  static let usualFolders = [
    "/usr/lib/postgresql/*/bin",  // Debian, Ubuntu
    "/usr/pgsql-*/bin", "/usr/bin",  // Fedora, Red Hat
    "/usr/local/pgsql*/bin",  // from source
    "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
    "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",  // Homebrew
  ]

  var bin: FilePath
  var major: Int

  func program(_ name: String) -> FilePath { bin.appending(name) }

  /// The version that runs existing data: its own major version and no other.
  static func forData(
    ofMajor major: Int,
    data: FilePath,
    searchPath: String?,
    folders: [String]
  ) async throws(PrivateServerError) -> PostgresInstallation {
    for bin in await candidates(searchPath: searchPath, folders: folders) {
      if let found = try await PostgresInstallation(bin), found.major == major { return found }
    }
    throw .versionNotInstalled(major, data: data)
  }

  /// The version for new data: that of `pg_config` on PATH, else the newest there is.
  static func forNewData(
    searchPath: String?,
    folders: [String]
  ) async throws(PrivateServerError) -> PostgresInstallation {
    if let bin = await folderByConfig(searchPath: searchPath),
      let found = try await PostgresInstallation(bin), found.major >= oldestMajor
    {
      return found
    }
    var newest: PostgresInstallation?
    for bin in usual(folders) {
      guard let found = try await PostgresInstallation(bin), found.major >= oldestMajor,
        found.major > newest?.major ?? 0
      else { continue }
      newest = found
    }
    guard let newest else { throw .postgresNotFound }
    return newest
  }

  /// Looks at a folder; `nil` when the server's programs are not all there.
  private init?(_ bin: FilePath) async throws(PrivateServerError) {
    for name in ["postgres", "initdb", "pg_ctl"] {
      guard access(bin.appending(name).string, X_OK) == 0 else { return nil }
    }
    let outcome = try await ServerProgram(
      path: bin.appending("postgres"),
      arguments: ["--version"]
    ).run()
    guard let major = Self.major(inVersion: outcome.output) else { return nil }
    self.bin = bin
    self.major = major
  }

  /// From `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`, also `17devel` and `18beta1`.
  static func major(inVersion text: String) -> Int? {
    let words = text.split(separator: " ")
    guard let label = words.firstIndex(of: "(PostgreSQL)"), label + 1 < words.count else {
      return nil
    }
    return Int(words[label + 1].prefix { $0.isASCII && $0.isNumber })
  }

  private static func candidates(searchPath: String?, folders: [String]) async -> [FilePath] {
    let usual = usual(folders)
    guard let byConfig = await folderByConfig(searchPath: searchPath) else { return usual }
    return [byConfig] + usual.filter { $0 != byConfig }
  }

  /// What `pg_config --bindir` says.
  ///
  /// A package for developers brings it without any server, so it is a hint and no more.
  private static func folderByConfig(searchPath: String?) async -> FilePath? {
    for folder in (searchPath ?? "").split(separator: ":") where folder.hasPrefix("/") {
      let program = FilePath(String(folder)).appending("pg_config")
      guard access(program.string, X_OK) == 0 else { continue }
      let outcome = try? await ServerProgram(path: program, arguments: ["--bindir"]).run()
      guard let line = outcome?.output.split(separator: "\n").first, line.hasPrefix("/") else {
        return nil
      }
      return FilePath(String(line))
    }
    return nil
  }

  private static func usual(_ patterns: [String]) -> [FilePath] {
    patterns.flatMap { pattern in
      var found = glob_t()
      defer { globfree(&found) }
      guard glob(pattern, 0, nil, &found) == 0, let paths = found.gl_pathv else {
        return [FilePath]()
      }
      return (0..<Int(found.gl_pathc)).compactMap { index in
        paths[index].map { FilePath(String(cString: $0)) }
      }
    }
  }
}
