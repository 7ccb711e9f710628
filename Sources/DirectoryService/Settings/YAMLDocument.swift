import CYAML
import DirectoryModel

/// A YAML value with its place in the file.
///
/// Deeper values than a configuration needs are refused rather than followed.
struct YAMLValue: Sendable {
  indirect enum Content: Sendable {
    case scalar(String)
    case mapping([(key: YAMLValue, value: YAMLValue)])
    case sequence
  }

  var content: Content
  /// From 1.
  var line: Int

  var text: String? {
    if case .scalar(let text) = content { text } else { nil }
  }

  func text(of name: String, file: String) throws(DirectoryError) -> String {
    guard let text else { throw Self.error(file, line, "\(name) is not text") }
    return text
  }

  /// The entries of a mapping; an empty document has none.
  func entries(
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

  static func error(
    _ file: String,
    _ line: Int,
    _ reason: String,
    _ advice: String? = nil
  ) -> DirectoryError {
    DirectoryError(.usage, "cannot use \(file), line \(line): \(reason)", advice: advice)
  }
}

/// The first document of a YAML file (libyaml: `yaml_parser_load`).
enum YAMLDocument {
  private static let deepest = 4
  /// More values than a configuration needs: aliases could multiply a small file without end.
  private static let mostValues = 1_000
  private static let empty = YAMLValue(content: .scalar(""), line: 1)

  static func parse(
    _ bytes: UnsafeRawBufferPointer,
    file: String
  ) throws(DirectoryError) -> YAMLValue {
    guard !bytes.isEmpty else { return empty }
    try refuseDepth(in: bytes, file: file)
    let parser = try YAMLParser(bytes, file: file)
    var document = yaml_document_t()
    guard yaml_parser_load(parser.handle, &document) == 1 else { throw parser.failure }
    defer { yaml_document_delete(&document) }
    guard let root = yaml_document_get_root_node(&document) else { return empty }
    var count = 0
    return try value(root, in: &document, depth: 0, count: &count, file: file)
  }

  /// Stops at the first value that is too deep, before a document is made of it: libyaml 0.2.5
  /// takes a time that grows with the square of the depth.
  private static func refuseDepth(
    in bytes: UnsafeRawBufferPointer,
    file: String
  ) throws(DirectoryError) {
    let parser = try YAMLParser(bytes, file: file)
    var depth = 0
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser.handle, &event) == 1 else { throw parser.failure }
      defer { yaml_event_delete(&event) }
      switch event.type {
      case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
      case YAML_STREAM_END_EVENT: return
      default: break
      }
      guard depth <= deepest else {
        throw YAMLValue.error(file, Int(event.start_mark.line) + 1, "nested too deeply")
      }
    }
  }

  private static func value(
    _ node: UnsafeMutablePointer<yaml_node_t>,
    in document: inout yaml_document_t,
    depth: Int,
    count: inout Int,
    file: String
  ) throws(DirectoryError) -> YAMLValue {
    let line = Int(node.pointee.start_mark.line) + 1
    guard depth < deepest else { throw YAMLValue.error(file, line, "nested too deeply") }
    count += 1
    guard count <= mostValues else { throw YAMLValue.error(file, line, "too many values") }
    switch node.pointee.type {
    case YAML_SCALAR_NODE:
      let scalar = node.pointee.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return YAMLValue(content: .scalar(String(decoding: bytes, as: UTF8.self)), line: line)
    case YAML_MAPPING_NODE:
      var entries: [(key: YAMLValue, value: YAMLValue)] = []
      let pairs = node.pointee.data.mapping.pairs
      var pair = pairs.start
      while let current = pair, current != pairs.top {
        guard let key = yaml_document_get_node(&document, current.pointee.key),
          let item = yaml_document_get_node(&document, current.pointee.value)
        else { break }
        entries.append(
          (
            try value(key, in: &document, depth: depth + 1, count: &count, file: file),
            try value(item, in: &document, depth: depth + 1, count: &count, file: file)
          )
        )
        pair = current + 1
      }
      return YAMLValue(content: .mapping(entries), line: line)
    default:
      return YAMLValue(content: .sequence, line: line)
    }
  }
}
