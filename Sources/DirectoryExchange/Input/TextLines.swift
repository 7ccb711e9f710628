import DirectoryModel

/// The physical lines of a file, ended by LF, CRLF or a lone CR, without their ends.
struct TextLines: ~Copyable {
  private let file: InputFile
  private var window: ByteWindow
  /// The number of the line that was read last from the file, from 1.
  private var number = 0
  private var isAtStart = true
  /// A line that was put back.
  private var ahead: Line?

  typealias Line = (number: Int, text: [UInt8])

  init(_ file: InputFile) throws(DirectoryError) {
    try file.rewind()
    self.file = file
    window = ByteWindow(reading: file.descriptor)
  }

  /// The next line; a byte order mark is left out.
  ///
  /// - Throws: What makes the rest unreadable.
  mutating func next() throws(InputError) -> Line? {
    if let line = ahead.take() { return line }
    var offset = 0
    while true {
      while offset < window.count {
        let byte = window[offset]
        if byte == 0x0A || byte == 0x0D { return try take(offset) }
        offset += 1
      }
      if try !readMore() { break }
    }
    return offset > 0 ? try take(offset) : nil
  }

  /// Makes a line the next one.
  mutating func putBack(_ line: Line) { ahead = line }

  private mutating func take(_ end: Int) throws(InputError) -> Line {
    var next = end
    if end < window.count {
      // What follows a CR tells whether it ends the line alone.
      if window[end] == 0x0D, end + 1 == window.count { _ = try readMore() }
      next += window[end] == 0x0D && end + 1 < window.count && window[end + 1] == 0x0A ? 2 : 1
    }
    var text = window.bytes(0..<end)[...]
    if isAtStart, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    isAtStart = false
    let line = Array(text)
    window.drop(next)
    number += 1
    return (number, line)
  }

  private mutating func readMore() throws(InputError) -> Bool {
    do throws(ByteWindow.Fault) {
      return try window.readMore()
    } catch {
      switch error {
      case .tooLong(let limit):
        throw InputError(line: number + 1, reason: "the line is longer than \(limit >> 20) MiB")
      case .unreadable(let why): throw InputError(line: nil, reason: "cannot be read: \(why)")
      }
    }
  }
}

/// What makes the rest of a file unreadable.
struct InputError: Error, Equatable {
  var line: Int?
  var reason: String
  var advice: Advice?
}
