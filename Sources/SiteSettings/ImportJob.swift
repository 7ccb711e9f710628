import DirectoryModel
import YAML

/// A list that is imported again and again, as the key `jobs` of the configuration describes it.
package struct ImportJob: Sendable, Equatable {
  package var name: String
  /// Paths; in the last part of each, `*` and `?` stand for any characters, and the newest file counts.
  package var files: [String] = []
  /// A command of the shell that prints the list.
  package var command: String?
  /// A mapping file.
  package var mapping: String?
  /// Further entries of the mapping, as `key=value`.
  package var entries: [String] = []
  package var replaces = false
  package var into: String?
  /// A file with answers to questions about who is who.
  package var decisions: String?
  /// Who is recorded for the import.
  package var actor: String?
  /// Where the report goes: JSON Lines if the name ends with `.json` or `.jsonl`, otherwise text.
  package var report: String?

  /// Keys that are entries of the mapping.
  private static let mappingKeys = [
    "source", "match", "doubts", "edited", "limit", "changes", "former", "former_days", "encoding",
    "separator", "sheet",
  ]
  private static let keys = [
    "files", "command", "mapping", "replace", "into", "decide", "actor", "report",
  ]

  /// - Throws: With file, line and reason where it is not a job.
  init(_ name: String, _ value: YAMLValue, file: String) throws(DirectoryError) {
    self.name = name
    let subject = "jobs.\(name)"
    for (key, value) in try value.entries(of: subject, file: file) {
      let word = key.text ?? ""
      if word == "files" {
        guard let texts = value.texts else {
          throw YAMLValue.error(file, value.line, "\(subject).files is neither a path nor a list")
        }
        files = texts
        continue
      }
      let text = try value.text(of: "\(subject).\(word)", file: file)
      switch word {
      case "command": command = text
      case "mapping": mapping = text
      case "into": into = text
      case "decide": decisions = text
      case "actor": actor = text
      case "report": report = text
      case "replace":
        guard ["true", "false"].contains(text) else {
          throw YAMLValue.error(file, value.line, "\(subject).replace is neither true nor false")
        }
        replaces = text == "true"
      case _ where Self.mappingKeys.contains(word): entries.append("\(word)=\(text)")
      default:
        let known = Self.keys + Self.mappingKeys
        let nearest = EditDistance.nearest(to: word, among: known)
        throw YAMLValue.error(
          file,
          key.line,
          "\(subject): there is no key \"\(word)\""
            + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""),
          "the keys are \(known.joined(separator: ", "))"
        )
      }
    }
    guard files.isEmpty != (command == nil) else {
      throw YAMLValue.error(
        file,
        value.line,
        "\(subject) needs either files or command",
        "name the files, or the command that prints the list"
      )
    }
  }
}
