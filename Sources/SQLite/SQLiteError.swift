import CSQLite
import Platform
import SystemPackage

/// Why a database file cannot be used.
package enum SQLiteError: Error, Equatable {
  /// There is no such file, or nothing was ever committed to it.
  case missing
  /// It is not a SQLite database, or one of another program.
  case foreign
  /// A later version of the program wrote it.
  case newerFormat(Int)
  /// Its content contradicts itself; the reason is SQLite's or ours.
  case damaged(String)
  /// The system refused to read or write it.
  case failed(Errno)

  /// The last error of a connection (`sqlite3_errcode`, `sqlite3_system_errno`).
  init(_ handle: OpaquePointer?) {
    let system = sqlite3_system_errno(handle)
    switch sqlite3_errcode(handle) {
    case SQLITE_NOTADB: self = .foreign
    case SQLITE_FULL: self = .failed(.noSpace)
    case SQLITE_NOMEM: self = .failed(.noMemory)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .failed(.resourceBusy)
    case SQLITE_READONLY: self = .failed(system == 0 ? .permissionDenied : Errno(rawValue: system))
    case SQLITE_CANTOPEN where system == ENOENT: self = .missing
    case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOLFS:
      self = .failed(system == 0 ? .ioError : Errno(rawValue: system))
    default: self = .damaged(String(cString: sqlite3_errmsg(handle)))
    }
  }
}
