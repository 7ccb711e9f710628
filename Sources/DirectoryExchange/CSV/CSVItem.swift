import DirectoryModel
import Platform

/// What a `CSVReader` comes upon.
package enum CSVItem {
  case record(CSVRecord)
  /// What it cannot take, or left out without harm; unless that is fatal, it goes on with the next line.
  case problem(CSVProblem)
}

/// A record, borrowed from the reader's buffer: valid until the reader goes on.
package struct CSVRecord {
  /// The physical line on which the record begins, from 1; CRLF, LF and a lone CR end lines.
  package let line: Int
  package let count: Int
  /// Whether a line break ends the record; without one it is the last and may be cut off.
  package let isEnded: Bool
  let base: UnsafeRawPointer
  let fields: UnsafePointer<CSVField>

  /// Whether no field has anything in it.
  var isEmpty: Bool { (0..<count).allSatisfy { fields[$0].start == fields[$0].end } }

  /// The bytes of a field, without its quotes and with doubled quotes made single.
  ///
  /// - Complexity: O(1).
  package subscript(index: Int) -> UnsafeRawBufferPointer {
    precondition(index >= 0 && index < count, "field \(index) of a record of \(count)")
    let field = fields[index]
    return UnsafeRawBufferPointer(start: base + field.start, count: field.end - field.start)
  }
}

/// Where a field stands in the reader's buffer.
struct CSVField: BitwiseCopyable {
  var start: Int
  var end: Int
  /// Whether doubled quotes are still to be made single.
  var hasDoubledQuotes: Bool
}

/// Something in a file that RFC 4180 or UTF-8 does not allow.
package struct CSVProblem: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case quoteInsideField
    case textAfterQuote(openedOnLine: Int)
    case unterminatedQuote
    case tooManyFields(limit: Int)
    case tooLong(limit: Int)
    /// A NUL byte; `column` is its byte in the line, from 1.
    case nul(column: Int)
    case notUTF8(byte: UInt8, column: Int)
    case cutInsideCharacter
    case endMark
    case signature(FileSignature)
    /// Reading failed; the error's number as the system gave it.
    case unreadable(Int32, String)
  }

  /// The physical line of the fault itself, from 1, or `nil` when the whole file is meant.
  ///
  /// Of a quote that is never closed it is the line that opens it.
  package var line: Int?
  package var reason: Reason

  /// Whether nothing is lost by it.
  package var isWarning: Bool { reason == .endMark }

  /// Whether nothing behind it can be read.
  package var isFatal: Bool {
    switch reason {
    case .unterminatedQuote, .tooLong, .signature, .unreadable: true
    default: false
    }
  }
}

extension CSVRecord {
  /// What is wrong with the number of its fields; `nil` where there are as many as headings.
  func lengthFault(headings: Int) -> String? {
    guard count != headings else { return nil }
    return "has \(counted(count, "field")), the header has \(headings)"
      + (isEnded || count > headings ? "" : "; the file ends in this line and may be truncated")
  }
}

/// A record that is put together from values.
struct RecordBuffer {
  private var text: [UInt8] = []
  private var fields: [CSVField] = []

  static let empty = CSVField(start: 0, end: 0, hasDoubledQuotes: false)

  /// Begins a record of so many empty fields.
  mutating func begin(_ count: Int = 0) {
    text.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    fields.append(contentsOf: repeatElement(Self.empty, count: count))
  }

  subscript(position: Int) -> ArraySlice<UInt8> {
    text[fields[position].start..<fields[position].end]
  }

  mutating func append(_ value: some Sequence<UInt8>) {
    fields.append(Self.empty)
    set(fields.count - 1, value)
  }

  /// Sets a field; a later value takes the place of an earlier one.
  mutating func set(_ position: Int, _ value: some Sequence<UInt8>) {
    let start = text.count
    text.append(contentsOf: value)
    fields[position] = CSVField(start: start, end: text.count, hasDoubledQuotes: false)
  }

  /// Calls `body` with the record, borrowed for the time of the call; `nil` where it has no field.
  @discardableResult
  func withRecord<Result>(
    line: Int,
    isEnded: Bool = true,
    _ body: (CSVRecord) -> Result
  ) -> Result? {
    text.withUnsafeBytes { bytes in
      fields.withUnsafeBufferPointer { fields in
        // An empty text has no address, and its fields are empty.
        guard let base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
          let places = fields.baseAddress
        else { return nil }
        return body(
          CSVRecord(line: line, count: fields.count, isEnded: isEnded, base: base, fields: places)
        )
      }
    }
  }
}

extension CSVProblem: CustomStringConvertible {
  package var description: String {
    switch reason {
    case .quoteInsideField:
      "a quote is inside a field that does not begin with one; "
        + "quote the field and double the quotes inside it (RFC 4180)"
    case .textAfterQuote(let opening):
      "text follows a closing quote" + (opening == line ? "" : " (opened on line \(opening))")
        + "; double the quotes that belong to the text (RFC 4180)"
    case .unterminatedQuote: "the quote opened here is never closed; the file may be truncated"
    case .tooManyFields(let limit): "has more than \(limit) fields"
    case .tooLong(let limit):
      "the record that begins here is longer than \(CSVProblem.size(limit)); "
        + "a closing quote may be missing"
    case .nul(let column): "contains a NUL at byte \(column) of the line"
    case .notUTF8(let byte, let column):
      "is not UTF-8: byte \(CSVProblem.hex(byte)) at byte \(column) of the line"
    case .cutInsideCharacter: "the file ends in the middle of a character; it is truncated"
    case .endMark: "a Ctrl-Z (1A) at the end of the file was ignored"
    case .signature(let signature): signature.reason
    case .unreadable(_, let why): "cannot be read: \(why)"
    }
  }

  /// What to do about it, where the description does not say so.
  package var advice: Advice? {
    switch reason {
    case .notUTF8: "save the file as UTF-8, or name its encoding with \(.encoding)"
    case .signature(let signature): signature.advice
    default: nil
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
  }
}
