import Platform
import SystemPackage

/// Whether what a path leads to is under the control of no accounts but ours and root's: a path is
/// only as good as every folder and every link on it.
package enum PathTrust {
  /// What makes a path untrusted, and where.
  package struct Refusal: Error, Equatable {
    package enum Fault: Equatable, Sendable {
      case owner(UInt32)
      case ownerOfLink(UInt32)
      /// Everybody may write there; the permissions.
      case writable(UInt32)
    }

    package var path: FilePath
    package var fault: Fault

    /// In words, to stand behind the path.
    package var reason: String {
      switch fault {
      case .owner(let account): "it belongs to account \(ServerAccount.name(of: account))"
      case .ownerOfLink(let account):
        "it is a symbolic link of account \(ServerAccount.name(of: account))"
      case .writable(let mode):
        "its mode \(String(mode, radix: 8)) lets every account replace its contents"
      }
    }
  }

  /// Looks at everything on the way to a path and at what is there, as far as it exists.
  ///
  /// A folder of a group's is trusted, since many accounts have a group of their own. Where something
  /// cannot be looked at there is no refusal: the user of the path is told why.
  ///
  /// - Parameters:
  ///   - path: An absolute one.
  ///   - isOurs: Whether the last folder is for us alone, so that others may not even add to it.
  /// - Returns: `nil` where no one else has a hand in it.
  package static func refusal(of path: FilePath, isOurs: Bool = false) -> Refusal? {
    var resolved = FilePath("/")
    var pending = path.components.map(\.string)
    var links = 0
    while !pending.isEmpty {
      let name = pending.removeFirst()
      if name == "." { continue }
      if name == ".." {
        resolved.removeLastComponent()
        continue
      }
      let place = resolved.appending(name)
      var status = stat()
      guard lstat(place.string, &status) == 0 else { return nil }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        let isLast = pending.isEmpty
        if let fault = fault(of: status, isOurs: isOurs && isLast) {
          return Refusal(path: place, fault: fault)
        }
        resolved = place
        continue
      }
      guard isTrusted(status.st_uid) else {
        return Refusal(path: place, fault: .ownerOfLink(status.st_uid))
      }
      links += 1
      guard links <= SymbolicLink.mostLinks, let target = SymbolicLink.target(of: place) else {
        return nil
      }
      if target.isAbsolute { resolved = FilePath("/") }
      pending = target.components.map(\.string) + pending
    }
    return nil
  }

  /// Looks at the files directly in a folder; links among them are not followed.
  package static func refusal(in folder: FilePath) -> Refusal? {
    for name in (try? Folder(folder).names()) ?? [] {
      let path = folder.appending(name)
      var status = stat()
      if lstat(path.string, &status) == 0, !isTrusted(status.st_uid) {
        return Refusal(path: path, fault: .owner(status.st_uid))
      }
    }
    return nil
  }

  private static func fault(of status: stat, isOurs: Bool) -> Refusal.Fault? {
    guard isTrusted(status.st_uid) else { return .owner(status.st_uid) }
    let isOpen = status.st_mode & 0o002 != 0
    let isSticky = status.st_mode & S_ISVTX != 0 && status.st_mode & S_IFMT == S_IFDIR
    return isOpen && (isOurs || !isSticky) ? .writable(UInt32(status.st_mode & 0o7777)) : nil
  }

  private static func isTrusted(_ account: UInt32) -> Bool {
    account == geteuid() || account == 0 || account == systemOwner
  }

  /// Who owns the root folder: root, by whatever number a container shows it.
  private static let systemOwner: UInt32 = {
    var status = stat()
    return stat("/", &status) == 0 ? status.st_uid : 0
  }()
}
