import DirectoryModel

/// A YAML value with its place in the file.
///
/// Deeper values than a configuration needs are refused rather than followed.
package struct YAMLValue: Sendable {
  package indirect enum Content: Sendable {
    case scalar(String)
    case mapping([(key: YAMLValue, value: YAMLValue)])
    case sequence([YAMLValue])
  }

  package var content: Content
  /// From 1.
  package var line: Int

  package var text: String? {
    if case .scalar(let text) = content { text } else { nil }
  }

  /// One text or a list of them; `nil` for anything else.
  package var texts: [String]? {
    switch content {
    case .scalar(let text): return [text]
    case .sequence(let values):
      let texts = values.compactMap(\.text)
      return texts.count == values.count ? texts : nil
    case .mapping: return nil
    }
  }

  package func text(of name: String, file: String) throws(DirectoryError) -> String {
    guard let text else { throw Self.error(file, line, "\(name) is not text") }
    return text
  }

  /// The entries of a mapping; an empty document has none.
  package func entries(
    of name: String,
    file: String
  ) throws(DirectoryError) -> [(key: YAMLValue, value: YAMLValue)] {
    switch content {
    case .mapping(let entries):
      try Self.refuseRepeats(in: entries, file: file)
      return entries
    case .scalar(""): return []
    default: throw Self.error(file, line, "\(name) is not a mapping of keys to values")
    }
  }

  /// Refuses a key that stands twice, of which one would be ignored in silence.
  ///
  /// YAML 1.2 §3.2.1.3: keys of a mapping are unique.
  private static func refuseRepeats(
    in entries: [(key: YAMLValue, value: YAMLValue)],
    file: String
  ) throws(DirectoryError) {
    var seen: Set<String> = []
    for (key, _) in entries {
      if let text = key.text, !seen.insert(text).inserted {
        throw error(file, key.line, "the key \(text) is given twice")
      }
    }
  }

  package static func error(
    _ file: String,
    _ line: Int,
    _ reason: String,
    _ advice: String? = nil
  ) -> DirectoryError {
    DirectoryError(.usage, "cannot use \(file), line \(line): \(reason)", advice: advice)
  }
}
