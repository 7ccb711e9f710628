import CYAML
import DirectoryModel

/// Reads the first document of a YAML file from libyaml's events (`yaml_parser_parse`).
///
/// libyaml's own documents (`yaml_parser_load`) are not used: before anybody could look at the depth,
/// version 0.2.5 takes a time that grows with its square, so that 200 KB of brackets took minutes.
package struct YAMLReader: ~Copyable {
  /// Mappings and sequences inside each other, and no values below the last of them.
  private static let deepest = 5
  /// More values than a file of ours has: aliases could multiply a small file without end.
  package static let mostValues = 100_000

  private let parser: YAMLParser
  private let file: String
  private var event = yaml_event_t()
  private var count = 0
  /// What anchors stand for; `nil` while their own values are read.
  private var anchors: [String: YAMLValue?] = [:]

  /// - Parameters:
  ///   - bytes: The file's content, which outlives the call.
  ///   - file: What errors call it.
  /// - Returns: The value; an empty text where there is none.
  /// - Throws: `.usage` with the line where it is not YAML, is nested too deeply, or is too large.
  package static func read(
    _ bytes: UnsafeRawBufferPointer,
    file: String
  ) throws(DirectoryError) -> YAMLValue {
    guard !bytes.isEmpty else { return YAMLValue(content: .scalar(""), line: 1) }
    var reader = try YAMLReader(bytes, file: file)
    return try reader.document()
  }

  private init(
    _ bytes: UnsafeRawBufferPointer,
    file: String
  ) throws(DirectoryError) {
    parser = try YAMLParser(bytes, file: file)
    self.file = file
  }

  deinit {
    var event = event
    yaml_event_delete(&event)
  }

  private mutating func document() throws(DirectoryError) -> YAMLValue {
    try next()  // the stream's start
    try next()
    var value = YAMLValue(content: .scalar(""), line: 1)
    if event.type == YAML_DOCUMENT_START_EVENT {
      try next()
      value = try self.value(depth: 0)
    }
    // Whatever stands behind it must be YAML too.
    var depth = 0
    while event.type != YAML_STREAM_END_EVENT {
      try next()
      try pass(&depth)
    }
    return value
  }

  private mutating func next() throws(DirectoryError) {
    yaml_event_delete(&event)
    guard yaml_parser_parse(parser.handle, &event) == 1 else { throw parser.failure }
  }

  private var line: Int { Int(event.start_mark.line) + 1 }

  private func refusal(_ reason: String) -> DirectoryError {
    YAMLValue.error(file, line, reason)
  }

  /// The value that the event begins, and all of it.
  private mutating func value(depth: Int) throws(DirectoryError) -> YAMLValue {
    if event.type == YAML_ALIAS_EVENT { return try aliased(depth: depth) }
    guard depth < Self.deepest else { throw refusal("nested too deeply") }
    try add(1)
    let line = line
    let anchor = event.anchor
    if let anchor { anchors[anchor] = .some(nil) }
    let content: YAMLValue.Content
    switch event.type {
    case YAML_SCALAR_EVENT: content = .scalar(event.text)
    case YAML_MAPPING_START_EVENT: content = .mapping(try entries(depth: depth))
    default:
      content = .sequence(try items(depth: depth))
    }
    let value = YAMLValue(content: content, line: line)
    if let anchor { anchors[anchor] = value }
    return value
  }

  private mutating func entries(
    depth: Int
  ) throws(DirectoryError) -> [(key: YAMLValue, value: YAMLValue)] {
    var entries: [(key: YAMLValue, value: YAMLValue)] = []
    try next()
    while event.type != YAML_MAPPING_END_EVENT {
      let key = try value(depth: depth + 1)
      try next()
      entries.append((key, try value(depth: depth + 1)))
      try next()
    }
    return entries
  }

  private mutating func items(depth: Int) throws(DirectoryError) -> [YAMLValue] {
    var items: [YAMLValue] = []
    try next()
    while event.type != YAML_SEQUENCE_END_EVENT {
      items.append(try value(depth: depth + 1))
      try next()
    }
    return items
  }

  /// Counts the event's part in the depth of what is passed over.
  private func pass(_ depth: inout Int) throws(DirectoryError) {
    switch event.type {
    case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
    default: break
    }
    guard depth <= Self.deepest else { throw refusal("nested too deeply") }
  }

  private mutating func aliased(depth: Int) throws(DirectoryError) -> YAMLValue {
    guard let name = event.anchor, let known = anchors[name] else {
      throw refusal("found undefined alias")
    }
    // Of an anchor within itself there would be no end.
    guard let value = known, depth + value.depth <= Self.deepest else {
      throw refusal("nested too deeply")
    }
    try add(value.count)
    return value
  }

  private mutating func add(_ values: Int) throws(DirectoryError) {
    count += values
    guard count <= Self.mostValues else { throw refusal("too many values") }
  }
}

extension yaml_event_t {
  /// The anchor that a value has, or that an alias means.
  fileprivate var anchor: String? {
    let name =
      switch type {
      case YAML_ALIAS_EVENT: data.alias.anchor
      case YAML_SCALAR_EVENT: data.scalar.anchor
      case YAML_MAPPING_START_EVENT: data.mapping_start.anchor
      case YAML_SEQUENCE_START_EVENT: data.sequence_start.anchor
      default: nil as UnsafeMutablePointer<yaml_char_t>?
      }
    return name.map { String(cString: $0) }
  }

  /// Of a scalar.
  fileprivate var text: String {
    let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension YAMLValue {
  /// How many values it consists of.
  fileprivate var count: Int { parts.reduce(1) { $0 + $1.count } }

  /// How many values stand inside each other.
  fileprivate var depth: Int { 1 + (parts.map(\.depth).max() ?? 0) }

  private var parts: [YAMLValue] {
    switch content {
    case .scalar: []
    case .mapping(let entries): entries.flatMap { [$0.key, $0.value] }
    case .sequence(let items): items
    }
  }
}
