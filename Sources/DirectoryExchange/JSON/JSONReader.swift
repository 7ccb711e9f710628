import DirectoryModel

/// Reads a list of departments and people as JSON: an array of objects, or an object a line.
///
/// Keys are those of `export --format json`: `kind` (`department` or `user`), `id`, `name`, `parent`
/// (or `parent_id`, of people also `department_id`), `description`, `title`, the contact fields,
/// `sort_order`, `primary`, `leads`; values of declared fields stand in the object `fields`, or beside
/// these keys, a text or a list of texts each. Numbers stand for their text, `null` for nothing.
/// `level`, `disclosure`, `people`, `path`, `departments` and `leaders` follow from the rest and are left
/// out; other keys are left out with a warning. An object that is not JSON (RFC 8259) is refused with
/// its line.
struct JSONReader: ~Copyable {
  private var window: ByteWindow
  private let rows: ListRowBuilder
  private var unknownKeys: Set<String> = []
  /// The physical line at the window's start, from 1.
  private var line = 1

  /// Makes ready to read a file from its first byte.
  init(_ file: InputFile, _ sink: ListSink, _ fields: [Field]) throws(DirectoryError) {
    try file.rewind()
    window = ByteWindow(reading: file.descriptor)
    rows = ListRowBuilder(sink, fields: fields)
    rows.start(file)
  }

  /// Reads every row, in order.
  consuming func read() -> ListReport {
    do {
      try readAll()
    } catch {
      rows.refuse(error.reason, line: error.line ?? line)
    }
    return rows.reading
  }
}

extension JSONReader {
  private mutating func readAll() throws(InputError) {
    skipByteOrderMark()
    guard var byte = try nextSignificant() else {
      throw InputError(line: nil, reason: "is empty; it contains no object")
    }
    let isArray = byte == UInt8(ascii: "[")
    if isArray {
      window.drop(1)
      byte = try significant("the array is not closed; the file may be truncated")
    }
    var isFirst = true
    while true {
      if isArray {
        if byte == UInt8(ascii: "]") { break }
        if !isFirst {
          guard byte == UInt8(ascii: ",") else { throw unexpected(byte, wanted: "a comma or ]") }
          window.drop(1)
          byte = try significant("the array is not closed; the file may be truncated")
        }
      }
      guard byte == UInt8(ascii: "{") else { throw unexpected(byte, wanted: "an object") }
      try readObject()
      isFirst = false
      guard let next = try nextSignificant() else {
        guard !isArray else {
          throw InputError(
            line: nil,
            reason: "the array is not closed; the file may be truncated"
          )
        }
        return
      }
      byte = next
    }
    window.drop(1)
    if let byte = try nextSignificant() { throw unexpected(byte, wanted: "the end of the file") }
  }

  private mutating func skipByteOrderMark() {
    while window.count < 3, (try? window.readMore()) == true {}
    if window.count >= 3, window.bytes(0..<3).elementsEqual([0xEF, 0xBB, 0xBF]) { window.drop(3) }
  }

  private mutating func significant(_ absence: String) throws(InputError) -> UInt8 {
    guard let byte = try nextSignificant() else { throw InputError(line: nil, reason: absence) }
    return byte
  }

  /// The next byte that is not white space (RFC 8259 §2), which stays; `nil` at the end.
  private mutating func nextSignificant() throws(InputError) -> UInt8? {
    while true {
      var offset = 0
      while offset < window.count {
        let byte = window[offset]
        guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
          window.drop(offset)
          return byte
        }
        if byte == 0x0A { line += 1 }
        offset += 1
      }
      window.drop(offset)
      guard try readMore() else { return nil }
    }
  }

  private mutating func readMore() throws(InputError) -> Bool {
    do throws(ByteWindow.Fault) {
      return try window.readMore()
    } catch {
      switch error {
      case .tooLong(let limit):
        throw InputError(
          line: nil,
          reason: "the object that begins here is longer than \(limit >> 20) MiB"
        )
      case .unreadable(let why): throw InputError(line: nil, reason: "cannot be read: \(why)")
      }
    }
  }

  private func unexpected(_ byte: UInt8, wanted: String) -> InputError {
    let shown = withUnsafeBytes(of: byte) { bytes in
      byte < 0x80 ? QuotedValue.text(bytes) : "a byte that is not ASCII"
    }
    return InputError(line: nil, reason: "has \(shown) where \(wanted) is expected (RFC 8259)")
  }

  /// The length of the object at the window's start: to the brace that closes it.
  private mutating func objectLength() throws(InputError) -> Int {
    var offset = 0
    var depth = 0
    var isInString = false
    while true {
      while offset < window.count {
        let byte = window[offset]
        offset += 1
        if isInString {
          if byte == UInt8(ascii: "\\") {
            offset += 1
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
          }
        } else if byte == UInt8(ascii: "\"") {
          isInString = true
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          depth += 1
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          depth -= 1
          if depth == 0 { return offset }
        }
      }
      guard try readMore() else {
        throw InputError(
          line: nil,
          reason: "the object that begins here is not closed; the file may be truncated"
        )
      }
    }
  }

  private mutating func readObject() throws(InputError) {
    let length = try objectLength()
    rows.begin()
    var object = JSONReadObject(window.bytes(0..<length))
    do throws(JSONReadObject.Fault) {
      try object.read(into: rows)
      for key in object.unknownKeys where unknownKeys.count < 100 {
        guard unknownKeys.insert(key).inserted else { continue }
        let shown = QuotedValue.string(key)
        rows.warn("the key \(shown) is unknown and is ignored", line: line)
      }
      rows.finish(line: line)
    } catch {
      rows.refuse(error.reason, line: line + error.line)
    }
    for offset in 0..<length where window[offset] == 0x0A { line += 1 }
    window.drop(length)
  }
}
