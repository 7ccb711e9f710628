import DirectoryModel

/// What a `CSVReader` comes upon.
package enum CSVItem {
  case record(CSVRecord)
  /// What it left out of the file, without harm.
  case warning(CSVProblem)
  /// What it cannot take; unless the problem is fatal, it goes on with the next line.
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

  package init(line: Int?, reason: Reason) {
    self.line = line
    self.reason = reason
  }

  /// Whether nothing behind it can be read.
  package var isFatal: Bool {
    switch reason {
    case .unterminatedQuote, .tooLong, .signature, .unreadable: true
    default: false
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
