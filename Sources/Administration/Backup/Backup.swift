import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import Platform
import PrivateServer
import Subprocess
import SystemPackage

/// What a backup holds.
package struct BackupContents: Equatable, Sendable {
  package var departments: Int
  package var users: Int
  /// Transactions of the history.
  package var transactions: Int
  package var tokens: Int

  init(_ rows: TableRows) {
    departments = rows.departments
    users = rows.users
    transactions = rows.transactions
    tokens = rows.tokens
  }

  package var isEmpty: Bool { departments == 0 && users == 0 }

  /// In words: `209 people, 34 departments and 12 transactions of history`.
  package var text: String {
    counted(users, "person", "people") + ", " + counted(departments, "department") + " and "
      + counted(transactions, "transaction") + " of history"
      + (tokens > 0 ? ", with " + counted(tokens, "token") : "")
  }
}

/// How far a backup or its restoration has come.
package enum BackupProgress: Sendable {
  /// The server's rows are being written to the file.
  case writing
  /// The file is being read: rows so far, and how many it has where that is known.
  case checking(rows: Int, of: Int?)
  /// The database is being filled.
  case restoring(rows: Int, of: Int)
}

/// Copies of the whole database in one file.
package struct Backup: Sendable {
  let site: Site

  package init(_ administrator: Administrator) { site = administrator.site }

  /// Writes the directory with its history into an archive of pg_dump(1), and reads it back.
  ///
  /// One state of the database is written, even while others write to it; the schema may be older
  /// than this program's. The file is of mode 0600 and appears only once it was read back and has
  /// as many rows of each table as the database.
  ///
  /// - Parameters:
  ///   - path: Where it goes.
  ///   - replacing: Whether one that is there already may be replaced.
  ///   - progress: Told how far it has come.
  /// - Returns: What it holds, and its size in bytes.
  /// - Throws: What keeps the database from being read or the file from being written.
  package func backup(
    to path: String,
    replacing: Bool,
    progress: (BackupProgress) -> Void
  ) async throws(DirectoryError) -> (contents: BackupContents, size: Int64) {
    let file = try ExportFile.open(path, replacing: replacing, permissions: .ownerReadWrite)
    let written = try await write(to: file.descriptor, path, progress)
    do throws(Errno) {
      try file.commit()
    } catch {
      throw ExportFile.failure(path, error)
    }
    return written
  }

  /// The same into a stream, which gets nothing before all was read back.
  ///
  /// - Parameters:
  ///   - output: Takes the archive piece by piece.
  ///   - progress: Told how far it has come.
  /// - Returns: What it holds, and its size in bytes.
  /// - Throws: As above, and what `output` throws.
  package func backup(
    to output: (ArraySlice<UInt8>) throws -> Void,
    progress: (BackupProgress) -> Void
  ) async throws -> (contents: BackupContents, size: Int64) {
    let file = try Self.scratchFile()
    let written = try await write(to: file.descriptor, "a temporary file", progress)
    try file.descriptor.seek(offset: 0, from: .start)
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    while case let count = try bytes.withUnsafeMutableBytes({ try file.descriptor.read(into: $0) }),
      count > 0
    {
      try output(bytes[..<count])
    }
    return written
  }

  private static func scratchFile() throws(DirectoryError) -> ScratchFile {
    do throws(Errno) {
      return try ScratchFile()
    } catch {
      throw ExportFile.failure("a temporary file in \(ScratchFile.folder)", error)
    }
  }

  private func write(
    to file: FileDescriptor,
    _ path: String,
    _ progress: (BackupProgress) -> Void
  ) async throws(DirectoryError) -> (contents: BackupContents, size: Int64) {
    let doing = "back up the database"
    try site.requireWritable(doing)
    let state = try await ExportedSnapshot(
      conninfo: try await site.conninfoAsIs(),
      doing: doing,
      access: site.access
    )
    progress(.writing)
    try await dump(state, to: file, doing: doing)
    let expected = state.rows.counts.values.reduce(0, +)
    let found = try await readArchive(file, path, doing: doing) { rows in
      progress(.checking(rows: rows, of: expected))
    }
    guard found == state.rows else {
      throw DirectoryError(
        .cannotWrite,
        "cannot write \(path): verification failed, row counts differ from the database",
        advice: "check the disk; nothing was written"
      )
    }
    do throws(Errno) {
      try BackupChecksum.append(to: file)
      var status = stat()
      guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      return (BackupContents(found), Int64(status.st_size))
    } catch {
      throw ExportFile.failure(path, error)
    }
  }

  private func dump(
    _ state: ExportedSnapshot,
    to file: FileDescriptor,
    doing: String
  ) async throws(DirectoryError) {
    let client = try await DatabaseServer(site).client("pg_dump").adding(
      "--format=custom",
      "--schema=staffbook",
      "--snapshot=\(state.name)",
      "--encoding=UTF8",
      "--lock-wait-timeout=30000",
      "--no-password"
    )
    do {
      let outcome = try await Subprocess.run(
        client.configuration,
        output: .fileDescriptor(file, closeAfterSpawningProcess: false),
        error: .string(limit: DatabaseClient.messageLimit)
      )
      try client.check(
        outcome.terminationStatus,
        outcome.standardError,
        kind: .unavailable,
        doing: doing
      )
    } catch {
      throw client.cannotRun(error, doing: doing)
    }
  }

  /// Reads an archive from its beginning to its end, as a restoration would.
  ///
  /// - Parameters:
  ///   - file: Which is left open.
  ///   - path: How it is called.
  ///   - doing: What it is read for, for the error.
  ///   - progress: Told how many rows were read.
  /// - Returns: How many rows it has.
  /// - Throws: `.badData` where it is damaged or something else.
  func readArchive(
    _ file: FileDescriptor,
    _ path: String,
    doing: String,
    progress: (Int) -> Void
  ) async throws(DirectoryError) -> TableRows {
    let reader = try await DatabaseServer(site).archiveReader()
    do {
      try file.seek(offset: 0, from: .start)
      let outcome = try await Subprocess.run(
        reader.configuration,
        input: .fileDescriptor(file, closeAfterSpawningProcess: false),
        output: .sequence,
        error: .string(limit: DatabaseClient.messageLimit)
      ) { archive in
        var script = ScriptRows()
        for try await buffer in archive.standardOutput {
          buffer.withUnsafeBytes { script.scan($0) }
          progress(script.total)
        }
        return script.rows
      }
      try reader.check(
        outcome.terminationStatus,
        outcome.standardError,
        kind: .badData,
        doing: "read \(path)"
      )
      return outcome.closureResult
    } catch {
      throw reader.cannotRun(error, doing: doing)
    }
  }
}
