import DirectoryModel
import SystemPackage
import TextRules

extension InputFile {
  /// A file as UTF-8 that can be read from any place, whatever it is stored as.
  ///
  /// Standard input, compressed files and files in another encoding are copied, unpacked and as
  /// UTF-8, into a file without a name, which is gone when the program ends.
  ///
  /// - Parameters:
  ///   - path: A file, or `-` for standard input.
  ///   - encoding: What it is written in; `nil` for UTF-8. A byte order mark of UTF-8 wins.
  ///   - separator: What parts the fields, if it is CSV; `nil` for commas.
  /// - Returns: The file, or a copy of it under its name.
  /// - Throws: `.usage` for an unknown encoding, `.noInput`, `.cannotRead`, `.cannotWrite` when
  ///   there is no room for the copy, and `.badData` when it cannot be unpacked or is not in the
  ///   encoding.
  package static func readable(
    _ path: String,
    encoding: String? = nil,
    separator: FieldSeparator? = nil
  ) throws(DirectoryError) -> InputFile {
    var file =
      path == InputSet.standardInput
      ? try standardInput(isKnown: encoding == nil && separator == nil)
      : try InputFile(FilePath(path))
    if try file.beginning(2) == GzipReader.signature { file = try file.unpacked() }
    if let encoding, try file.beginning(3) != [0xEF, 0xBB, 0xBF] {
      file = try file.decoded(from: encoding)
    }
    if let separator, try file.isMaybeCSV() { file = try file.separated(by: separator) }
    return file
  }

  private func isMaybeCSV() throws(DirectoryError) -> Bool {
    let format = try InputRecognition.format(of: self)
    let isOther = format.map { [.json, .ldif, .vCard].contains($0) } ?? false
    guard !isOther else { return false }
    return try UnknownInput.noText(self) == nil
  }

  private func separated(by separator: FieldSeparator) throws(DirectoryError) -> InputFile {
    try rewind()
    var spool = try SpoolFile(for: name)
    var rewriting = SeparatorRewriting(separator)
    var text: [UInt8] = []
    try descriptor.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      rewriting.rewrite(piece, to: &text)
      try spool.append(text)
      text.removeAll(keepingCapacity: true)
    }
    rewriting.finish(to: &text)
    try spool.append(text)
    try requireUnchanged()
    return try spool.finish()
  }

  /// A file that holds these bytes.
  package static func copying(
    _ bytes: UnsafeRawBufferPointer,
    as name: String
  ) throws(DirectoryError) -> InputFile {
    var spool = try SpoolFile(for: name)
    try spool.append(bytes)
    return try spool.finish()
  }

  /// Bytes that tell what a stream holds, before all of it is kept.
  private static let beginningLength = 64 << 10

  /// A copy of standard input; a stream that nobody can read is refused before it fills the disk.
  private static func standardInput(isKnown: Bool) throws(DirectoryError) -> InputFile {
    let name = InputSet.standardInputName
    var spool = try SpoolFile(for: name)
    var beginning: [UInt8]? = isKnown ? [] : nil
    try FileDescriptor.standardInput.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      try spool.append(piece)
      guard var bytes = beginning.take() else { return }
      bytes += piece
      if bytes.count < beginningLength {
        beginning = bytes
      } else if !bytes.starts(with: GzipReader.signature) {
        try requireKnown(bytes, name)
      }
    }
    return try spool.finish()
  }

  private static func requireKnown(_ beginning: [UInt8], _ name: String) throws(DirectoryError) {
    // Without a line's end the first line may go on until it says what it is.
    guard beginning.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else { return }
    var spool = try SpoolFile(for: name)
    try spool.append(beginning)
    let file = try spool.finish()
    if try InputRecognition.format(of: file) == nil { throw try UnknownInput.refusal(of: file) }
  }

  /// The first bytes, or fewer where the file has no more.
  func beginning(_ most: Int) throws(DirectoryError) -> [UInt8] {
    let count = size > 0 ? Int(min(Int64(most), size)) : most
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    do throws(Errno) {
      try system {
        while filled < count {
          let more = try bytes.withUnsafeMutableBytes {
            try descriptor.read(
              fromAbsoluteOffset: Int64(filled),
              into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...])
            )
          }
          if more == 0 { break }
          filled += more
        }
      }
    } catch {
      throw DirectoryError(.cannotRead, "cannot read \(QuotedValue.path(name)): \(error)")
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  private func unpacked() throws(DirectoryError) -> InputFile {
    try rewind()
    var spool = try SpoolFile(for: name)
    var reader = GzipReader()
    var packed: Int64 = 0
    var unpacked: Int64 = 0
    try descriptor.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      packed += Int64(piece.count)
      do throws(GzipReader.Fault) {
        try reader.read(piece) { (bytes) throws(DirectoryError) in
          unpacked += Int64(bytes.count)
          guard unpacked < GzipReader.unlimitedSize || unpacked / packed < GzipReader.mostExpansion
          else { throw GzipReader.isBomb(name) }
          try spool.append(bytes)
        }
      } catch {
        throw error.directoryError(name)
      }
    }
    do throws(GzipReader.Fault) {
      try reader.finish()
    } catch {
      throw error.directoryError(name)
    }
    try requireUnchanged()
    return try spool.finish()
  }

  private func decoded(from encoding: String) throws(DirectoryError) -> InputFile {
    guard var decoder = TextDecoder(encoding) else {
      throw DirectoryError(
        .usage,
        "the character encoding \(QuotedValue.path(encoding)) is unknown",
        advice: "common ones are windows-1252, ISO-8859-1, ISO-8859-2, UTF-16, GB18030, Big5, "
          + "Shift_JIS, EUC-KR, KOI8-R and windows-1251"
      )
    }
    try rewind()
    var spool = try SpoolFile(for: name)
    var line = 1
    try descriptor.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      let text = try decode(piece, isLast: false, encoding, &decoder, &line)
      try spool.append(text)
    }
    let end = UnsafeRawBufferPointer(start: nil, count: 0)
    let rest = try decode(end, isLast: true, encoding, &decoder, &line)
    try spool.append(rest)
    try requireUnchanged()
    return try spool.finish()
  }

  private func decode(
    _ piece: UnsafeRawBufferPointer,
    isLast: Bool,
    _ encoding: String,
    _ decoder: inout TextDecoder,
    _ line: inout Int
  ) throws(DirectoryError) -> [UInt8] {
    var text: [UInt8] = []
    do throws(TextDecoder.Malformation) {
      defer { line += text.count { $0 == 0x0A } }
      try decoder.decode(piece, isLast: isLast, to: &text)
    } catch {
      throw DirectoryError(
        .badData,
        "cannot read \(QuotedValue.path(name)) as \(QuotedValue.path(encoding)): there is no valid "
          + "character at byte \(error.offset + 1) of the file, on line \(line)",
        advice: "name the encoding of the file with \(.encoding); the default is UTF-8"
      )
    }
    return text
  }
}

extension FileDescriptor {
  /// Calls `body` with the file's bytes from where the descriptor stands, some at a time.
  fileprivate func forEachPiece(
    of name: String,
    _ body: (UnsafeRawBufferPointer) throws(DirectoryError) -> Void
  ) throws(DirectoryError) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { memory.deallocate() }
    while true {
      let count: Int
      do throws(Errno) {
        count = try system { try read(into: memory) }
      } catch {
        throw DirectoryError(.cannotRead, "cannot read \(QuotedValue.path(name)): \(error)")
      }
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
  }
}
