import CSQLite
import Platform
import SystemPackage

/// What a file of ours says of itself, and how its first format is made.
package struct SQLiteFormat: Sendable {
  /// `PRAGMA application_id`: four letters.
  package var application: Int32
  /// `PRAGMA user_version`, from 1.
  package var version: Int
  /// The statements that make its tables.
  package var schema: String

  package init(application: Int32, version: Int, schema: String) {
    (self.application, self.version, self.schema) = (application, version, schema)
  }
}

/// A connection to a SQLite database file, closed when it goes out of scope.
///
/// Changes are durable once they are committed (`synchronous` is `extra`; a rollback journal, since a
/// write-ahead log needs shared memory, which home folders on a network do not have), and deleted values
/// are overwritten (`secure_delete`).
package struct SQLiteDatabase: ~Copyable {
  private let handle: OpaquePointer

  /// How long another connection's lock is waited for, in milliseconds.
  private static let patience: CInt = 30_000

  private init(_ path: FilePath) throws(SQLiteError) {
    var opened: OpaquePointer?
    let status = path.withPlatformString {
      sqlite3_open_v2($0, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, nil)
    }
    guard status == SQLITE_OK, let opened else {
      // Even a failed connection is allocated, and only it knows the reason.
      let error = SQLiteError(opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(handle, Self.patience)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Opens a file.
  ///
  /// It is opened for writing by readers, too: what a writer that died left unfinished is rolled back by
  /// the next connection, whichever that is.
  ///
  /// - Parameters:
  ///   - path: The file; the last component is not followed if it is a link.
  ///   - format: What it must be.
  ///   - isMade: Whether it is made where it is missing, for its owner alone (0600).
  /// - Returns: The connection.
  /// - Throws: Why it cannot be used.
  package static func open(
    _ path: FilePath,
    _ format: SQLiteFormat,
    making isMade: Bool = false
  ) throws(SQLiteError) -> SQLiteDatabase {
    if isMade { try touch(path) }
    let database = try SQLiteDatabase(path)
    try database.execute(
      "pragma foreign_keys = on; pragma secure_delete = on; pragma synchronous = extra"
    )
    if isMade, try database.isEmpty {
      try database.execute("begin immediate")
      if try database.isEmpty {
        try database.execute(
          format.schema
            + "; pragma application_id = \(format.application); pragma user_version = \(format.version)"
        )
      }
      try database.execute("commit")
    }
    let version = try database.number("pragma user_version")
    guard try database.number("pragma application_id") == Int64(format.application) else {
      throw try database.isEmpty ? .missing : .foreign
    }
    guard version <= format.version else { throw .newerFormat(Int(version)) }
    return database
  }

  private static func touch(_ path: FilePath) throws(SQLiteError) {
    let file = path.withPlatformString {
      Platform.open($0, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard file >= 0 else { throw .failed(Errno(rawValue: errno)) }
    close(file)
  }

  private var isEmpty: Bool {
    get throws(SQLiteError) { try number("select count(*) from sqlite_master") == 0 }
  }

  /// Runs statements that yield no rows (`sqlite3_exec`).
  package func execute(_ sql: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(handle) }
  }

  /// Prepares one statement and gives it its parameters `?1`, `?2`, … .
  package func prepare(
    _ sql: String,
    _ values: SQLiteValue...
  ) throws(SQLiteError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
      throw SQLiteError(handle)
    }
    let statement = SQLiteStatement(owning: prepared)
    try statement.bind(values)
    return statement
  }

  /// Runs one statement to its end.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  package func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int {
    let statement = try prepare(sql)
    try statement.bind(values)
    while try statement.step() {}
    return Int(sqlite3_changes(handle))
  }

  /// The number in the first column of the first row; 0 where there is none.
  package func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.number(0) : 0
  }
}

/// A value that a statement is given.
package enum SQLiteValue {
  case number(Int64)
  /// `nil` is NULL.
  case text(String?)
}

/// A prepared statement, finalized when it goes out of scope.
///
/// Columns count from 0.
package struct SQLiteStatement: ~Copyable {
  private let handle: OpaquePointer

  fileprivate init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  /// Gives the statement its parameters, from the first on; it begins again.
  package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    sqlite3_reset(handle)
    for (index, value) in zip(CInt(1)..., values) {
      let status =
        switch value {
        case .number(let number): sqlite3_bind_int64(handle, index, number)
        case .text(nil): sqlite3_bind_null(handle, index)
        case .text(var text?):
          text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
              sqlite3_bind_text(handle, index, $0.baseAddress, CInt($0.count), Self.copied)
            }
          }
        }
      guard status == SQLITE_OK else { throw SQLiteError(sqlite3_db_handle(handle)) }
    }
  }

  /// `SQLITE_TRANSIENT`: SQLite copies the text before the call returns.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  /// Goes on to the next row.
  ///
  /// - Returns: Whether there is one.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(sqlite3_db_handle(handle))
    }
  }

  /// 0 for NULL.
  package func number(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

  /// `nil` for NULL; bytes that are not UTF-8 are replaced.
  package func text(_ column: CInt) -> String? {
    guard let bytes = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func isNull(_ column: CInt) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }
}

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
