import ArgumentParser
import DirectoryModel
import DirectoryWriting
import LiveDirectory
import Platform
import Terminal

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit records in your editor.",
    discussion: """
      A person or a department is opened as YAML, with comments that explain the fields; with \
      --people, the people of a department as a table; with --tree, a department and everything \
      below it as an indented outline, in which lines are moved, indented, renamed, added and \
      deleted (without a department, the whole directory). The editor is $VISUAL or $EDITOR.

      After saving, the changes are shown, and you are asked. Mistakes are marked in the text, which \
      is opened again. If another user has changed the same field meanwhile, both values are shown. \
      If anything fails, the text is kept, and --resume goes on with it. Closing it unchanged does \
      nothing.

      EXAMPLES
        staffbook edit "Ada Walsh"
        staffbook edit "Fog Signals" --people
        EDITOR=nano staffbook edit "Lighthouse Works" --tree -m "new organisation"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Flag(help: "Edit the people of a department as a table.")
  var people = false

  @Flag(help: "Edit a department and everything below it as an outline.")
  var tree = false

  @Option(help: ArgumentHelp("Continue with a text that an earlier edit saved.", valueName: "file"))
  var resume: String?

  @Argument(help: "The person or department: an id, a name, a path or an email address.")
  var who: String?

  func validate() throws {
    if people, tree { throw ValidationError("--people and --tree cannot be used together") }
    if resume != nil {
      guard who == nil, !tree, !people else {
        throw ValidationError("--resume cannot be used with --people, --tree or a name")
      }
      return
    }
    if who == nil, !tree { throw ValidationError("name a person or a department, or use --tree") }
  }

  private var target: EditTarget {
    tree ? .tree(of: who) : people ? .people(of: who ?? "") : .record(who ?? "")
  }

  func run() async throws {
    let run = try EditRun(source, options)
    try await run.run { observer in
      try await DocumentEditor(run.administrator).edit(
        target,
        resuming: resume,
        reason: options.history.reason,
        isDryRun: options.dryRun,
        front: .editor,
        observer: observer
      )
    }
  }
}

extension EditorLauncher {
  /// The editor that the environment names.
  static let editor = EditorLauncher(
    open: { (path) throws(DirectoryError) in try open(path) },
    mistakes: { for mistake in $0 { Messages.notice(mistake) } }
  )

  private static func open(_ path: String) throws(DirectoryError) {
    let command = TextEditor.command(environment: Messages.environment)
    // What the environment names may be a script; vi would draw into a file.
    guard
      TextEditor.named(environment: Messages.environment) != nil
        || isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    else {
      throw DirectoryError(
        .refusedForNow,
        "cannot edit: the editor (\(command)) requires a terminal",
        advice: "nothing was changed; run it on a terminal, or name an editor in VISUAL or EDITOR"
      )
    }
    let status = TextEditor.open(path, command, environment: Messages.environment)
    guard status == 0 else {
      throw DirectoryError(
        .refusedForNow,
        status > 128
          ? "cannot edit: the editor (\(command)) was ended by signal \(status - 128)"
          : "cannot edit: the editor (\(command)) ended with exit status \(status)",
        advice: status == 127
          ? "nothing was changed; name another editor in VISUAL or EDITOR" : "nothing was changed"
      )
    }
  }
}
