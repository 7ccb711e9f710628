import DirectoryModel
import DirectoryStore
import LiveDirectory
import Platform
import Subprocess
import SystemPackage

/// What a restored backup came to.
package struct RestoreReport: Sendable {
  package enum Outcome: Sendable {
    case done
    /// Nothing was to be written.
    case dryRun
    /// The user did not agree.
    case declined
  }

  package var outcome: Outcome
  package var contents: BackupContents
}

/// What becomes of a backup's tokens: those that were removed since would be valid again.
package enum RestoredTokens: Sendable {
  case kept
  case discarded
}

extension Backup {
  /// Puts what a backup holds in the place of the database's directory and history.
  ///
  /// The file is read to its end before anything is touched. All is one transaction: anyone who is
  /// interrupted leaves the database as it was. Older schemas are migrated afterwards.
  ///
  /// - Parameters:
  ///   - path: An archive in pg_dump's custom format.
  ///   - isRehearsal: Whether the file is only read and described.
  ///   - tokens: What becomes of its tokens; `nil` refuses a file that has some.
  ///   - confirm: Asked with what is replaced, unless that is empty.
  ///   - progress: Told how far it has come.
  /// - Returns: What was restored.
  /// - Throws: What `confirm` throws, `.badData` for a file that is not a backup of ours, or why it
  ///   cannot be read or restored; the database is then as it was.
  package func restoreBackup(
    _ path: String,
    isRehearsal: Bool,
    tokens: RestoredTokens?,
    confirm: (BackupContents) throws(DirectoryError) -> Bool,
    progress: (BackupProgress) -> Void
  ) async throws(DirectoryError) -> RestoreReport {
    let doing = "restore \(path)"
    try site.requireWritable(doing)
    let file = try openBackup(path)
    defer { try? file.close() }
    try checkChecksum(of: file, path)
    let rows = try await readArchive(file, path, doing: doing) {
      progress(.checking(rows: $0, of: nil))
    }
    try checkVersion(of: rows, path)
    var report = RestoreReport(outcome: .dryRun, contents: BackupContents(rows))
    if isRehearsal { return report }
    if rows.tokens > 0, tokens == nil { throw await undecided(rows.tokens, file, path) }
    let present = try await ExportedSnapshot.rows(
      conninfo: try await site.conninfoAsIs(),
      doing: doing,
      access: site.access
    )
    if !BackupContents(present).isEmpty, try !confirm(BackupContents(present)) {
      report.outcome = .declined
      return report
    }
    do throws(DirectoryError) {
      try await replaceSchema(
        with: file,
        rows,
        replacing: present,
        rows.tokens > 0 ? tokens : nil,
        doing: doing,
        progress
      )
    } catch {
      throw await said(error, unless: present, doing: doing)
    }
    _ = try await DatabaseServer(site).migrate()
    report.outcome = .done
    return report
  }

  /// Why nothing was restored, and that the database has changed all the same where it has.
  private func said(
    _ error: DirectoryError,
    unless present: TableRows,
    doing: String
  ) async -> DirectoryError {
    guard ![.unavailable, .interrupted].contains(error.kind),
      let conninfo = try? await site.conninfoAsIs(),
      let now = try? await ExportedSnapshot.rows(
        conninfo: conninfo,
        doing: doing,
        access: site.access
      ),
      now != present
    else { return error }
    return DirectoryError(
      error.kind,
      error.message + "; the database was changed in the meantime",
      advice: "review the newest changes before you continue"
    )
  }

  /// Tokens that may have been removed since are not restored unless that is asked for.
  private func undecided(_ count: Int, _ file: FileDescriptor, _ path: String) async
    -> DirectoryError
  {
    let made = await creationTime(of: file).map { " as of \($0)" } ?? ""
    return DirectoryError(
      .usage,
      "cannot restore \(path): it has \(counted(count, "token"))\(made), of which some may have been "
        + "removed since",
      advice: "restore them with \(.restoreTokens), or leave them out with \(.discardTokens)"
    )
  }

  /// When an archive was made, as pg_restore(1) says it; `nil` where it does not.
  private func creationTime(of file: FileDescriptor) async -> String? {
    do {
      try file.seek(offset: 0, from: .start)
      let list = try await Subprocess.run(
        try await DatabaseServer(site).archiveReader().adding("--list").configuration,
        input: .fileDescriptor(file, closeAfterSpawningProcess: false),
        output: .string(limit: 1 << 20),
        error: .discarded
      )
      let begin = "; Archive created at "
      let lines = list.standardOutput.split(separator: "\n")
      return lines.first { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count)) }
    } catch {
      return nil
    }
  }

  private func openBackup(_ path: String) throws(DirectoryError) -> FileDescriptor {
    do {
      guard AtomicFile.writeError(at: FilePath(path)) == nil else { throw Errno.invalidArgument }
      return try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
    } catch let error as Errno {
      throw DirectoryError(
        error == .noSuchFileOrDirectory ? .noInput : .cannotRead,
        "cannot read \(path): "
          + (error == .invalidArgument ? "it is not a regular file" : "\(error)")
      )
    } catch {
      throw DirectoryError(describing: error)
    }
  }

  private func checkChecksum(of file: FileDescriptor, _ path: String) throws(DirectoryError) {
    do throws(Errno) {
      switch try BackupChecksum.isSound(file) {
      case true?: return
      case false?: break
      case nil:
        site.notice(
          "warning: \(path) does not end with a checksum; damage would not be detected"
        )
        return
      }
    } catch {
      throw DirectoryError(.cannotRead, "cannot read \(path): \(error)")
    }
    throw DirectoryError(
      .badData,
      "cannot restore \(path): the file is damaged: checksum mismatch",
      advice: "use another backup"
    )
  }

  private func checkVersion(of rows: TableRows, _ path: String) throws(DirectoryError) {
    let known = Schema.newestVersion
    guard rows.schemaVersion > 0 else {
      throw DirectoryError(.badData, "cannot restore \(path): it is not a backup of Staffbook")
    }
    guard rows.schemaVersion <= known else {
      throw DirectoryError(
        .badData,
        "cannot restore \(path): it has version \(rows.schemaVersion) of the schema; this program "
          + "supports versions up to \(known)",
        advice: "use a newer Staffbook"
      )
    }
    guard rows.schemaVersion >= Schema.upgradable.lowerBound else {
      throw DirectoryError(
        .badData,
        "cannot restore \(path): it has version \(rows.schemaVersion) of the schema; this program upgrades "
          + "backups from version \(Schema.upgradable.lowerBound) on",
        advice: "restore it into another database with an earlier Staffbook, and migrate that first"
      )
    }
  }

  private func replaceSchema(
    with file: FileDescriptor,
    _ rows: TableRows,
    replacing present: TableRows,
    _ tokens: RestoredTokens?,
    doing: String,
    _ progress: (BackupProgress) -> Void
  ) async throws(DirectoryError) {
    let client = try await DatabaseServer(site).client("psql").adding(
      "--no-psqlrc",
      "--quiet",
      "--set=ON_ERROR_STOP=1",
      // Behind a script that rolls back, nothing is committed either.
      "--set=AUTOCOMMIT=off",
      "--no-password",
      "--file=-"
    )
    let reader = try await DatabaseServer(site).archiveReader()
    let expected = rows.counts.values.reduce(0, +)
    let key = String(UInt64.random(in: .min ... .max), radix: 36)
    do {
      try file.seek(offset: 0, from: .start)
      let outcome = try await Subprocess.run(
        client.configuration,
        input: .inputWriter,
        output: .discarded,
        error: .string(limit: DatabaseClient.messageLimit)
      ) { psql in
        let script = psql.standardInputWriter
        guard await script.takes(RestoreScript.beginning(key: key)) else { return false }
        let archive = try await Subprocess.run(
          reader.configuration,
          input: .fileDescriptor(file, closeAfterSpawningProcess: false),
          output: .sequence,
          error: .string(limit: DatabaseClient.messageLimit)
        ) { archive in
          var passing = ScriptRows()
          var isTaken = true
          for try await buffer in archive.standardOutput {
            // What no one takes is read all the same: who stops reading waits for a writer that
            // waits.
            guard isTaken else { continue }
            buffer.withUnsafeBytes { passing.scan($0) }
            isTaken = (try? await script.write(buffer.bytes)) != nil
            if !isTaken { try? archive.send(signal: .terminate) }
            progress(.restoring(rows: passing.total, of: expected))
          }
          return isTaken
        }
        // Without the end of the script psql commits nothing.
        guard archive.closureResult else { return false }
        try reader.check(
          archive.terminationStatus,
          archive.standardError,
          kind: .badData,
          doing: doing
        )
        return await script.takes(RestoreScript.end(accepting: present, tokens, key: key))
      }
      try client.check(
        outcome.terminationStatus,
        outcome.standardError,
        kind: .badData,
        doing: doing
      )
      guard outcome.closureResult else {
        throw DirectoryError(.bug, "cannot \(doing): psql ended before its script did")
      }
    } catch {
      throw client.cannotRun(error, doing: doing)
    }
  }
}

extension StandardInputWriter {
  /// Writes text; `false` where the program has ended, which says why itself.
  fileprivate func takes(_ text: String) async -> Bool {
    (try? await write(Array(text.utf8))) != nil
  }
}
