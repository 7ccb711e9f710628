import SystemPackage

/// Reads CSV (RFC 4180) from a file descriptor, record by record, in the memory of the longest.
///
/// Lines end with CRLF, LF or a lone CR; blank lines are skipped; a UTF-8 byte order mark and a Ctrl-Z at the very end are left out, and so is the
/// line `sep=;` that spreadsheets understand. Fields are not trimmed. A record with a fault is reported
/// and left out, and reading goes on with the next line, so that one run names many faults.
///
/// The descriptor is borrowed: it must stay open, and is read from where it stands.
package struct CSVReader: ~Copyable {
  /// Bytes read at a time.
  package static let defaultBufferSize = 256 << 10
  /// Bytes of the longest record by default, its line end included.
  package static let defaultLongestRecord = 16 << 20
  /// Fields of the widest record.
  package static let mostFields = 4_096

  let descriptor: FileDescriptor
  let longestRecord: Int

  /// `capacity` bytes and `Self.padding` more, so that words may be read past the end.
  var base: UnsafeMutableRawPointer
  var capacity: Int
  /// Whether the file has rows of a sheet, as `SheetRow` has them, in place of CSV.
  let isSheet: Bool
  /// What parts fields: a comma, or what other programs write in its place.
  let separator: UInt8
  /// Fields of the record at `cursor`, room for `mostFields`.
  let fields: UnsafeMutablePointer<CSVField>
  var fieldCount = 0

  /// First byte not yet delivered.
  var cursor = 0
  /// End of the bytes read.
  var end = 0
  /// Whether the file began with the mark by which spreadsheets know UTF-8.
  private(set) var hasByteOrderMark = false
  /// Whether the file has nothing beyond `end`.
  var isAtEnd = false
  /// The physical line at `cursor`, from 1.
  var line = 1
  var phase = Phase.start
  /// The problem that ended the reading, until it is delivered.
  var fatal: CSVProblem?
  /// Whether a Ctrl-Z was left out, until that is said, which is at the end.
  var hasEndMark = false

  enum Phase {
    case start, records
    /// Behind a faulty record's fault, on the way to the end of its line.
    case skippingLine
    case finished
  }

  /// A line break and a quote, which end every scan, and a word that may be read beyond them.
  static let padding = 16

  package init(
    reading descriptor: FileDescriptor,
    bufferSize: Int = defaultBufferSize,
    longestRecord: Int = defaultLongestRecord,
    isSheet: Bool = false,
    separator: UInt8 = CSVByte.comma
  ) {
    precondition(bufferSize > 0 && longestRecord >= FileSignature.length)
    self.descriptor = descriptor
    self.longestRecord = longestRecord
    self.isSheet = isSheet
    self.separator = separator
    capacity = bufferSize
    base = Self.allocate(bufferSize)
    fields = .allocate(capacity: Self.mostFields)
  }

  deinit {
    base.deallocate()
    fields.deallocate()
  }

  /// Calls `body` with every record and problem of the file, in order, records of empty fields too.
  ///
  /// A record is borrowed for the time of the call.
  package mutating func forEach<Failure: Error>(
    _ body: (CSVItem) throws(Failure) -> Void
  ) throws(Failure) {
    while let item = nextItem() { try body(item) }
  }

  /// The next item but for records without anything, valid until the next call; `nil` at the end.
  mutating func next() -> CSVItem? {
    while let item = nextItem() {
      if case .record(let record) = item, record.isEmpty { continue }
      return item
    }
    return nil
  }

  private mutating func nextItem() -> CSVItem? {
    while true {
      switch phase {
      case .start: begin()
      case .skippingLine: skipLine()
      case .finished: return lastWord()
      case .records:
        if let item = isSheet ? nextRow() : nextRecord() { return item }
      }
    }
  }

  /// Looks at the first bytes: a byte order mark, or the signature of something else.
  private mutating func begin() {
    phase = .records
    guard !isSheet else { return }
    while end - cursor < FileSignature.length, !isAtEnd, phase == .records { fill() }
    guard phase == .records else { return }
    let start = UnsafeRawBufferPointer(start: base, count: min(end, FileSignature.length))
    if let signature = FileSignature(start) {
      fail(.signature(signature), line: nil)
    } else if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      hasByteOrderMark = true
      cursor = 3
    }
    let mark = Array("sep=".utf8) + [separator]
    if start.dropFirst(cursor).starts(with: mark) { cursor += mark.count }
  }

  /// Ends the reading with a problem.
  mutating func fail(_ reason: CSVProblem.Reason, line: Int?) {
    fatal = CSVProblem(line: line, reason: reason)
    phase = .finished
  }

  /// What is still to be said when reading has ended.
  private mutating func lastWord() -> CSVItem? {
    if let problem = fatal.take() {
      hasEndMark = false
      return .problem(problem)
    }
    guard hasEndMark else { return nil }
    hasEndMark = false
    return .problem(CSVProblem(line: nil, reason: .endMark))
  }

  static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity + padding, alignment: 16)
    (memory + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
    return memory
  }
}
