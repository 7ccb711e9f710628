import DirectoryModel

/// Reads the entries of an LDIF file (RFC 2849), one by one.
///
/// Lines are unfolded, comments and empty lines passed over, base64 is decoded; a value elsewhere
/// (`:<`) is never fetched. Of change records those that add an entry are read.
struct LDIFEntries: ~Copyable {
  /// Gets what is wrong, unless it is told when the file is read again.
  private let rows: ListRowBuilder?
  private var lines: TextLines
  /// Attributes that are kept, in small letters.
  private let wanted: Set<String>
  private var hasBegun = false

  /// - Parameters:
  ///   - file: The file, from its first byte.
  ///   - rows: Gets what is wrong, if it is to be told.
  ///   - fields: Attributes that declared fields have.
  /// - Throws: `.cannotRead`.
  init(
    _ file: InputFile,
    _ rows: ListRowBuilder? = nil,
    fields: Set<String> = []
  ) throws(DirectoryError) {
    self.rows = rows
    wanted = LDIFEntry.wanted.union(fields)
    lines = try TextLines(file)
  }

  /// The next entry that can be read, or `nil` at the end.
  mutating func next() -> LDIFEntry? {
    do {
      while true {
        switch try readEntry() {
        case .entry(let entry): return entry
        case .nothing: continue
        case .end: return nil
        case .fault(let fault): rows?.refuse(fault)
        }
      }
    } catch {
      rows?.refuse(error)
      return nil
    }
  }

  private enum Outcome {
    case entry(LDIFEntry)
    /// What says nothing of an entry, such as the end of a search.
    case nothing
    case fault(InputError)
    case end
  }

  // MARK: Lines

  /// A line with all that continues it (RFC 2849, note 2), comments left out; an empty one parts
  /// entries.
  private mutating func logicalLine() throws(InputError) -> TextLines.Line? {
    while true {
      guard var line = try lines.next() else { return nil }
      if line.text.isEmpty { return line }
      var isKept: Bool?
      while let more = try lines.next() {
        guard more.text.first == 0x20 else {
          lines.putBack(more)
          break
        }
        isKept = isKept ?? self.isKept(line.text)
        guard isKept == true else { continue }
        line.text += more.text.dropFirst()
        guard line.text.count <= ByteWindow.longestPiece else {
          throw InputError(
            line: line.number,
            reason: "the value is longer than \(ByteWindow.longestPiece >> 20) MiB"
          )
        }
      }
      if line.text.first != UInt8(ascii: "#") { return line }
    }
  }

  /// Whether what continues a line matters: of photographs, and of comments, it does not.
  private func isKept(_ line: [UInt8]) -> Bool {
    guard line.first != UInt8(ascii: "#") else { return false }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    return isRead(name.prefix { $0 != ";" })
  }

  private func isRead(_ type: Substring) -> Bool {
    wanted.contains(String(type)) || ["dn", "version", "changetype"].contains(type)
  }

  // MARK: Entries

  private mutating func readEntry() throws(InputError) -> Outcome {
    var entry = LDIFEntry()
    var fault: InputError?
    var isSkipped = false
    var count = 0
    while let line = try logicalLine(), !line.text.isEmpty {
      count += 1
      do throws(InputError) {
        let (name, value) = try take(line.text, line.number)
        if !hasBegun, name == "version" {
          hasBegun = true
          count = 0
          guard value?.elementsEqual("1".utf8) == true else {
            throw InputError(line: line.number, reason: "is not version 1 of LDIF")
          }
          continue
        }
        hasBegun = true
        if count == 1 {
          isSkipped = try !begin(&entry, name, value, line.number)
        } else if !isSkipped {
          try add(name, value, line.number, to: &entry)
        }
      } catch {
        if fault == nil, !isSkipped { fault = error }
      }
    }
    if let fault { return .fault(fault) }
    if count == 0 { return try isAtEnd() ? .end : .nothing }
    return isSkipped ? .nothing : .entry(entry)
  }

  private mutating func isAtEnd() throws(InputError) -> Bool {
    guard let line = try lines.next() else { return true }
    lines.putBack(line)
    return false
  }

  /// What tools for searching write behind the entries.
  private static let trailers: Set = ["search", "result", "ref", "matcheddn", "text"]

  /// - Returns: Whether an entry begins here.
  private func begin(
    _ entry: inout LDIFEntry,
    _ name: String,
    _ value: [UInt8]?,
    _ line: Int
  ) throws(InputError) -> Bool {
    guard name == "dn" else {
      if Self.trailers.contains(name) { return false }
      throw InputError(
        line: line,
        reason: "an entry must begin with its dn (RFC 2849), not with \(Self.shown(name))"
      )
    }
    entry.line = line
    entry.dn = String(decoding: try Self.text(value ?? [], of: name, line), as: UTF8.self)
    return true
  }

  private func add(
    _ name: String,
    _ value: [UInt8]?,
    _ line: Int,
    to entry: inout LDIFEntry
  ) throws(InputError) {
    let options = name.utf8.firstIndex(of: UInt8(ascii: ";"))
    let type = options.map { String(name[..<$0]) } ?? name
    if type == "dn" {
      throw InputError(
        line: line,
        reason: "has a second dn in one entry; entries must be separated by empty lines"
      )
    }
    if type == "changetype" {
      // Keywords are strings of ABNF, in any case (RFC 2849; RFC 5234 §2.3).
      let word = String(decoding: value ?? [], as: UTF8.self).lowercased()
      guard word.split(separator: " ") == ["add"] else {
        let kind = QuotedValue.text(value ?? [])
        throw InputError(
          line: line,
          reason: "is a change record (changetype \(kind)); only entries and additions can be read"
        )
      }
      return
    }
    guard wanted.contains(type) else {
      if !LDIFEntry.ofServers.contains(type), type != "control" { entry.leftOut.append(type) }
      return
    }
    guard let value else {
      throw InputError(
        line: line,
        reason: "the value of \(type) is at a URL (:<), which is not fetched"
      )
    }
    if options != nil, let extra = LDIFExtra(attribute: name) {
      let text = try Self.text(value, of: name, line)
      if extra == .field { entry.fieldTexts.append(text) }
      if entry.extras[extra] == nil { entry.extras[extra] = text }
      return
    }
    entry.attributes.append(
      LDIFEntry.Attribute(
        name: type,
        value: try Self.text(value, of: type, line),
        hasOptions: options != nil
      )
    )
  }

  private static func text(
    _ value: [UInt8],
    of name: String,
    _ line: Int
  ) throws(InputError) -> [UInt8] {
    guard let found = value.withUnsafeBytes({ TextError.first(in: $0) }) else { return value }
    throw InputError(line: line, reason: "\(name) \(found.reason(in: value))", advice: found.advice)
  }

  /// Takes `name: value`, `name:: base64` or `name:< URL` apart; the value is `nil` for the last.
  private func take(
    _ line: [UInt8],
    _ number: Int
  ) throws(InputError) -> (name: String, value: [UInt8]?) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      let text = QuotedValue.text(line)
      throw InputError(line: number, reason: "has no colon: \(text)")
    }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    var rest = line[(colon + 1)...]
    let kind = rest.first
    if kind == UInt8(ascii: ":") || kind == UInt8(ascii: "<") { rest = rest.dropFirst() }
    rest = rest.drop { $0 == 0x20 }
    if kind == UInt8(ascii: "<") { return (name, nil) }
    guard kind == UInt8(ascii: ":") else { return (name, Array(rest)) }
    // Photographs need not be decoded to be passed over.
    let type = name.prefix { $0 != ";" }
    guard isRead(type) else { return (name, []) }
    guard let value = Base64.decode(rest) else {
      throw InputError(
        line: number,
        reason: "the value of \(Self.shown(name)) is not base64 (RFC 4648)"
      )
    }
    return (name, value)
  }

  private static func shown(_ name: String) -> String {
    QuotedValue.string(name)
  }
}
