import LibPQ
import SystemPackage

/// Why our own PostgreSQL did not start, stop or answer.
///
/// `description` says what failed and why, `advice` what to do about it.
package enum PrivateServerError: Error, Equatable, Sendable {
  /// The disk's part in a failure, where it has one.
  package enum Cause: Equatable, Sendable {
    case diskFull
    case readOnly
    case notPermitted
    case other
  }

  /// No PostgreSQL 13 or later was found.
  case postgresNotFound
  /// The data was made by this major version, which is not installed.
  case versionNotInstalled(Int, data: FilePath)
  /// The data was made by a version that we do not know how to run.
  case versionUnknown(String, data: FilePath)
  /// Root needs an account to run the server as, and there is none.
  case noServerAccount(tried: [String])
  /// The account that we run as has no name, and `peer` authentication needs one.
  case accountWithoutName(UInt32)
  /// A folder of ours is a link, another account's, or open to others.
  case untrustedFolder(FilePath, reason: String)
  /// A folder or file cannot be made or opened.
  case cannotPrepare(FilePath, reason: String, Cause)
  /// The path of the socket would be longer than the system allows, or have a comma in it, wherever
  /// we put it.
  case unusableSocketPath(FilePath, limit: Int)
  /// A program of PostgreSQL's cannot be started at all.
  case cannotRun(FilePath, reason: String)
  case initializationFailed(reason: String, data: FilePath, Cause)
  case startFailed(reason: String, log: FilePath, Cause)
  case stopFailed(reason: String, log: FilePath)
  /// Processes of a server that died still use the data.
  case leftoverProcesses([Int32], data: FilePath)
  /// Another process has been starting or stopping the server for too long.
  case busy(lock: FilePath)
  /// The server runs but does not let us in.
  case notUsable(PostgresError)
  case interrupted
}

extension PrivateServerError {
  /// What the disk has to do with it.
  package var cause: Cause {
    switch self {
    case .cannotPrepare(_, _, let cause), .initializationFailed(_, _, let cause),
      .startFailed(_, _, let cause):
      cause
    default: .other
    }
  }

  /// What to do, as one sentence without a full stop.
  package var advice: String {
    switch cause {
    case .diskFull: return "free some space on that disk and try again"
    case .readOnly: return "make that disk writable, or set STAFFBOOK_HOME to a folder elsewhere"
    case .notPermitted: return "make that folder accessible, or set STAFFBOOK_HOME to another one"
    case .other: return adviceWithoutObstacle
    }
  }

  private var adviceWithoutObstacle: String {
    switch self {
    case .postgresNotFound:
      "install PostgreSQL 13 or later (apt-get install postgresql)"
    case .versionNotInstalled(let major, _):
      "install that version (apt-get install postgresql-\(major)); the data stays as it is"
    case .versionUnknown: "restore that folder, or move it away if its data is not needed"
    case .noServerAccount:
      "create an account for it (useradd -r postgres)"
    case .accountWithoutName(let userID):
      "add an entry for \(userID) to /etc/passwd"
    case .untrustedFolder:
      "if it is yours, run chown and chmod 700 on it; otherwise set STAFFBOOK_HOME to another folder"
    case .unusableSocketPath:
      "set STAFFBOOK_HOME, or XDG_RUNTIME_DIR, to a folder with a shorter path and no comma"
    case .cannotRun: "check the PostgreSQL installation"
    case .cannotPrepare, .initializationFailed: "correct this and try again"
    case .startFailed(_, let log, _), .stopFailed(_, let log): "see \(log) for details"
    case .leftoverProcesses(let ids, _):
      "wait for them, or end them with kill \(ids.map(String.init).joined(separator: " "))"
    case .busy: "wait for the other process to finish, or end it"
    case .notUsable: "stop it and try again"
    case .interrupted: "try again"
    }
  }
}

extension PrivateServerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .postgresNotFound:
      "cannot start the private server: PostgreSQL 13 or later is neither on PATH nor in the usual folders"
    case .versionNotInstalled(let major, let data):
      "cannot start the private server: \(data) needs PostgreSQL \(major), which is not installed"
    case .versionUnknown(let version, let data):
      "cannot start the private server: \(data) has the unknown PostgreSQL version '\(version)'"
    case .noServerAccount(let names):
      "cannot start the private server: PostgreSQL refuses to run as root, and there is no account named "
        + names.joined(separator: " or ")
    case .accountWithoutName(let userID):
      "cannot start the private server: the account \(userID) has no name"
    case .untrustedFolder(let path, let reason): "cannot use \(path): \(reason)"
    case .cannotPrepare(let path, let reason, _): "cannot use \(path): \(reason)"
    case .unusableSocketPath(let path, let limit):
      "cannot start the private server: its socket's path in \(path) exceeds \(limit) bytes or has a comma"
    case .cannotRun(let path, let reason): "cannot run \(path): \(reason)"
    case .initializationFailed(let reason, let data, _):
      "cannot set up the private server in \(data): \(reason)"
    case .startFailed(let reason, _, _): "cannot start the private server: \(reason)"
    case .stopFailed(let reason, _): "cannot stop the private server: \(reason)"
    case .leftoverProcesses(let ids, let data):
      "cannot start the private server: processes of an earlier one still use \(data): "
        + ids.map(String.init).joined(separator: ", ")
    case .busy(let lock):
      "cannot start or stop the private server: another process holds \(lock)"
    case .notUsable(let error): "cannot use the private server: \(error)"
    case .interrupted: "interrupted while starting or stopping the private server"
    }
  }
}

extension PrivateServerError.Cause {
  init(_ code: Errno) {
    switch code {
    case .noSpace, .diskQuotaExceeded: self = .diskFull
    case .readOnlyFileSystem: self = .readOnly
    case .permissionDenied, .notPermitted: self = .notPermitted
    default: self = .other
    }
  }

  /// From a program's message, which ends with the system's own words in the C locale.
  init(message: String) {
    let message = message.lowercased()
    // "wrote only" is what PostgreSQL says of a write that a full disk cut short, with no errno.
    let signsOfFullDisk = ["no space left on device", "quota exceeded", "wrote only"]
    if signsOfFullDisk.contains(where: message.contains) {
      self = .diskFull
    } else if message.contains("read-only file system") {
      self = .readOnly
    } else if message.contains("permission denied") {
      self = .notPermitted
    } else {
      self = .other
    }
  }
}
