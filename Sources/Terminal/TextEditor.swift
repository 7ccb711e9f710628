/// The editor that the user likes.
package enum TextEditor {
  /// `VISUAL`, else `EDITOR`, else `vi`.
  package static func command(environment: [String: String]) -> String {
    named(environment: environment) ?? "vi"
  }

  /// The editor that the environment names; `nil` where it names none.
  package static func named(environment: [String: String]) -> String? {
    ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }
      .first { $0.contains { !$0.isWhitespace } }
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
      // As git does it: the command may have arguments of its own. An interrupt that nvi answered ended
      // the shell that waited for it; a signal that is caught is as it was for what the shell starts.
      let program = try ChildProgram(
        shell: "trap : INT QUIT; " + command + " \"$@\"",
        arguments: [path],
        environment: environment
      )
      return program.wait()
    } catch {
      return 127
    }
  }
}
