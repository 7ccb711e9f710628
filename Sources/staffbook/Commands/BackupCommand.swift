import Administration
import ArgumentParser
import DirectoryModel
import LiveDirectory
import Platform
import Terminal

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up the directory and its history to a file.",
    discussion: """
      The file is an archive in the custom format of pg_dump, which pg_restore reads as well. It \
      contains one state of the database, even while others write: \
      departments, people, memberships, declared \
      fields and the history. It appears only when it was read back and has as many rows as the \
      database, and only you can read it; to standard output nothing is written before that. \
      Settings, saved views and snapshots are not in it.

      EXAMPLES
        staffbook backup staffbook-2026-10-01.backup
        staffbook backup /mnt/backup/staffbook.backup --force
        staffbook backup - | ssh backup.example 'cat > staffbook.backup'
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Replace an existing file.")
  var force = false

  @Argument(help: "The file to write; - is standard output.", completion: .file())
  var file: String

  func run() async throws {
    let progress = ProgressLine()
    defer { progress.finish() }
    let backup = try Backup(source.administrator())
    let (contents, size) =
      try await file == "-"
      ? print(backup, progress)
      : backup.backup(to: file, replacing: force) { progress.show($0) }
    progress.finish()
    let name = file == "-" ? "standard output" : file
    Messages.notice("wrote \(contents.text) to \(name) (\(size) bytes) and verified it")
  }

  private func print(
    _ backup: Backup,
    _ progress: ProgressLine
  ) async throws -> (contents: BackupContents, size: Int64) {
    guard isatty(STDOUT_FILENO) == 0 else {
      throw DirectoryError(
        .usage,
        "cannot write a backup to a terminal",
        advice: "redirect standard output, or name a file"
      )
    }
    var writer = OutputWriter(descriptor: STDOUT_FILENO)
    let written = try await backup.backup(
      to: { bytes in
        writer.buffer += bytes
        try writer.drain()
      },
      progress: { progress.show($0) }
    )
    try writer.finish()
    return written
  }
}

struct RestoreBackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore-backup",
    abstract: "Replace the directory and its history with a backup.",
    discussion: """
      The whole file is read first. Then the directory in the database is replaced in one \
      transaction; if anything fails, nothing is changed. A file whose script \
      ends that transaction is refused. A backup of an older version is updated. The command asks \
      before it replaces people or departments; without a terminal it replaces them only with --yes. \
      With --database it moves a directory to another PostgreSQL server. A backup with tokens is \
      restored only with --with-tokens or --without-tokens: among them may be some that were removed \
      since it was made, and these would be valid again. A backup is a script for \
      the database: restore only files that you trust.

      EXAMPLES
        staffbook restore-backup staffbook-2026-10-01.backup --dry-run
        staffbook restore-backup staffbook-2026-10-01.backup
        staffbook restore-backup staffbook.backup --database postgresql://owner@db.example/directory
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(
    name: [.customShort("n"), .long],
    help: "Show what the file contains, and restore nothing."
  )
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
  var yes = false

  enum Tokens: EnumerableFlag {
    case withTokens, withoutTokens

    static func help(for value: Tokens) -> ArgumentHelp? {
      switch value {
      case .withTokens: "Restore the backup's tokens, including any that were removed since."
      case .withoutTokens: "Leave all tokens out."
      }
    }
  }

  @Flag(exclusivity: .exclusive)
  var tokens: Tokens?

  @Flag(help: "Do not update the local snapshot.")
  var noSync = false

  @Argument(help: "The file to read.", completion: .file())
  var file: String

  func run() async throws {
    let administrator = try source.administrator()
    let progress = ProgressLine()
    defer { progress.finish() }
    let report = try await Backup(administrator).restoreBackup(
      file,
      isRehearsal: dryRun,
      tokens: tokens.map { $0 == .withTokens ? .kept : .discarded },
      confirm: { (present) throws(DirectoryError) in
        progress.clear()
        if yes { return true }
        return try agrees(to: present)
      },
      progress: { progress.show($0) }
    )
    progress.finish()
    switch report.outcome {
    case .dryRun: return Messages.notice("\(file) holds \(report.contents.text)")
    case .declined: return Messages.notice("nothing was changed")
    case .done: Messages.notice("restored \(report.contents.text)")
    }
    if noSync { return }
    // A user who restores a backup accepts what is removed with it.
    var options = SyncOptions()
    options.acceptDeletions = true
    try await ProgressLine.sync(administrator, options)
  }

  private func agrees(to present: BackupContents) throws(DirectoryError) -> Bool {
    try Confirmation.ask(
      "replace the \(present.text) in the database?",
      else: "cannot restore \(file): it would replace \(present.text) in the database",
      advice: "if this is intended, repeat the command with --yes"
    )
  }
}
