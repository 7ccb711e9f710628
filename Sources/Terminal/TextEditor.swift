/// The editor that somebody likes.
package enum TextEditor {
  /// `VISUAL`, else `EDITOR`, else `vi`.
  package static func command(environment: [String: String]) -> String {
    for name in ["VISUAL", "EDITOR"] {
      if let command = environment[name], command.contains(where: { !$0.isWhitespace }) {
        return command
      }
    }
    return "vi"
  }

  /// Opens a file, and waits until the editor has ended; interrupts are the editor's meanwhile.
  ///
  /// - Parameters:
  ///   - path: The file's.
  ///   - command: The editor, as the shell takes it.
  ///   - environment: Its variables.
  /// - Returns: Its exit status; 127 where there is no such program.
  package static func open(
    _ path: String,
    _ command: String,
    environment: [String: String]
  ) -> Int32 {
    do throws(OutputError) {
      // As git does it: the command may have arguments of its own.
      let program = try ChildProgram(
        shell: command + " \"$@\"",
        arguments: [path],
        environment: environment
      )
      return program.wait()
    } catch {
      return 127
    }
  }
}
