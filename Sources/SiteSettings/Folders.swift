import DirectoryModel
import Platform
import PrivateServer
import SystemPackage

/// Where Staffbook keeps its files (XDG Base Directory Specification 0.8).
///
/// `STAFFBOOK_HOME` puts all four in one folder.
package struct Folders: Sendable, Equatable {
  /// The private server, and the journals of sources of one's own.
  package let data: FilePath
  /// Snapshots; all of it can be made again.
  package let cache: FilePath
  /// Saved views.
  package let state: FilePath
  /// `config.yaml`.
  package let configuration: FilePath
  /// The folder that holds all four, where `STAFFBOOK_HOME` names one.
  package let home: FilePath?

  package init(environment: [String: String]) throws(DirectoryError) {
    if let home = environment["STAFFBOOK_HOME"], !home.isEmpty {
      let root = try Self.absolute(FilePath(home))
      self.home = root
      data = root.appending("data")
      cache = root.appending("cache")
      state = root.appending("state")
      configuration = root.appending("config")
      return
    }
    home = nil
    data = try Self.folder("XDG_DATA_HOME", ".local/share", environment)
    cache = try Self.folder("XDG_CACHE_HOME", ".cache", environment)
    state = try Self.folder("XDG_STATE_HOME", ".local/state", environment)
    configuration = try Self.folder("XDG_CONFIG_HOME", ".config", environment)
  }

  /// A base folder: the variable where it is absolute (the specification wants others ignored),
  /// otherwise below the home folder.
  private static func folder(
    _ variable: String,
    _ standard: String,
    _ environment: [String: String]
  ) throws(DirectoryError) -> FilePath {
    if let value = environment[variable], FilePath(value).isAbsolute {
      return FilePath(value).appending("staffbook")
    }
    guard let home = environment["HOME"], FilePath(home).isAbsolute else {
      throw DirectoryError(
        .usage,
        "cannot determine where to keep files: neither HOME nor \(variable) is set",
        advice: "set HOME, or STAFFBOOK_HOME to a folder of your choice"
      )
    }
    return FilePath(home).pushing(FilePath(standard)).appending("staffbook")
  }

  private static func absolute(_ path: FilePath) throws(DirectoryError) -> FilePath {
    if path.isAbsolute { return path.lexicallyNormalized() }
    guard let current = getcwd(nil, 0) else {
      let reason = Errno(rawValue: errno)
      throw DirectoryError(.cannotRead, "cannot determine the current folder: \(reason)")
    }
    defer { free(current) }
    return FilePath(platformString: current).pushing(path).lexicallyNormalized()
  }

  /// Journals of sources of one's own, which cannot be made again.
  package var journals: FilePath { data.appending("journals") }

  /// Makes `journals` where it is missing; root's private server has to pass through `data`.
  package func createJournals() throws(DirectoryError) {
    try createHome()
    try Self.create(data, mode: geteuid() == 0 ? 0o711 : 0o700)
    try Self.create(journals)
  }

  /// Makes `home` where it is missing, before anything in it.
  ///
  /// Root's private server runs as another account, which has to pass through (0711); otherwise
  /// it is for its owner alone (0700).
  package func createHome() throws(DirectoryError) {
    guard let home else { return }
    try Self.create(home, mode: geteuid() == 0 ? 0o711 : 0o700)
  }

  /// Makes a folder of ours, and those above it that are missing, for its owner alone (0700).
  package static func create(_ folder: FilePath) throws(DirectoryError) {
    try create(folder, mode: 0o700)
  }

  /// Whatever the umask: the private server's account may have to pass through them.
  private static func create(_ folder: FilePath, mode: mode_t) throws(DirectoryError) {
    if isFolder(folder) { return }
    var path = FilePath(root: folder.root, [])
    for component in folder.components {
      path.append(component)
      let made = path.withPlatformString { mkdir($0, mode) }
      let reason = Errno(rawValue: errno)
      if made == 0,
        let own = try? FileDescriptor.open(path, .readOnly, options: [.directory, .noFollow])
      {
        fchmod(own.rawValue, mode)
        try? own.close()
      }
      guard made == 0 || isFolder(path) else {
        throw DirectoryError(
          .cannotWrite,
          "cannot create the folder \(path): \(reason)",
          advice: reason.adviceForWriting(or: "set STAFFBOOK_HOME to another folder")
        )
      }
    }
  }

  /// Whether a folder, or a link to one, is there: whatever the system said against making it.
  private static func isFolder(_ path: FilePath) -> Bool {
    var status = stat()
    return path.withPlatformString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension Folders {
  /// Refuses `config.yaml` where another account has a hand in it.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - variable: What names another folder for it.
  /// - Throws: `.notPermitted`, or what `PathTrust` found.
  func requireOwnConfiguration(
    _ file: FilePath,
    placedBy variable: String
  ) throws(DirectoryError) {
    if let refusal = PathTrust.refusal(of: file) {
      throw Self.error(refusal, "the configuration \(file)", variable)
    }
  }

  /// Refuses the folders of a source, or a file in them, where another account has a hand in them.
  ///
  /// Root's are trusted, for root may do everything anyway. Root itself trusts no one else's: what
  /// it makes in the home of an account would be closed to that account.
  func requireOwnFolders(of key: String, withJournal: Bool) throws(DirectoryError) {
    var all = [
      ("snapshots", cache.appending(key), "XDG_CACHE_HOME"),
      ("saved views", state.appending(key), "XDG_STATE_HOME"),
    ]
    if withJournal { all.append(("journals", journals, "XDG_DATA_HOME")) }
    for (what, folder, variable) in all {
      if let refusal = PathTrust.refusal(of: folder, isOurs: true) ?? PathTrust.refusal(in: folder)
      {
        throw Self.error(refusal, "\(folder) for \(what)", variable)
      }
    }
  }

  private static func error(
    _ refusal: PathTrust.Refusal,
    _ what: String,
    _ variable: String
  ) -> DirectoryError {
    let home = "STAFFBOOK_HOME"
    let variables = variable == home ? home : "\(variable) or \(home)"
    let elsewhere = "set \(variables) to a folder of your own"
    let advice =
      switch refusal.fault {
      case .writable: "run chmod o-w \(refusal.path), or \(elsewhere)"
      case .owner, .ownerOfLink:
        geteuid() == 0
          ? "run this program as that account, or with root's own home folder, as sudo -H does, or "
            + elsewhere
          : elsewhere
      }
    return DirectoryError(
      .notPermitted,
      "refusing to use \(what): \(refusal.path) is not safe: \(refusal.reason)",
      advice: advice
    )
  }
}
