import DirectoryModel
import SystemPackage
import TextRules

extension InputFile {
  /// A file as UTF-8 that can be read from any place, whatever it is stored as.
  ///
  /// Standard input, compressed files, the rows of workbooks, and files in another encoding are
  /// copied, unpacked, as UTF-8, into a file without a name, which is deleted when the program ends.
  ///
  /// - Parameters:
  ///   - path: A file, or `-` for standard input.
  ///   - form: What is known of it; the rest is detected. A byte order mark of UTF-8 wins.
  /// - Returns: The file, or a copy of it under its name.
  /// - Throws: `.usage` for an unknown encoding, `.noInput`, `.cannotRead`, `.cannotWrite` when
  ///   there is no room for the copy, and `.badData` when it cannot be unpacked or is not in the
  ///   encoding.
  package static func readable(
    _ path: String,
    _ form: InputOptions = InputOptions()
  ) throws(DirectoryError) -> InputFile {
    var file =
      path == InputSet.standardInput ? try standardInput(form) : try InputFile(FilePath(path))
    if try file.beginning(2) == GzipReader.signature { file = try file.unpacked() }
    return try file.asText(form)
  }

  /// The text of a file that is not compressed with gzip.
  ///
  /// - Throws: As `readable(_:_:)`.
  package func asText(_ form: InputOptions) throws(DirectoryError) -> InputFile {
    if !form.isExact, try beginning(4) == WorkbookReader.signature {
      return try WorkbookReader.rows(of: self, sheet: form.sheet)
    }
    var file = self
    var choice: String?
    if let encoding = try file.encoding(form, &choice) {
      file = try file.decoded(from: encoding, choice: choice)
    }
    if let separator = try file.separator(form) { file = try file.separated(by: separator) }
    return file
  }

  /// The encoding that a file is to be read in; `nil` for UTF-8, and where it cannot be detected.
  ///
  /// - Parameter choice: Gets the same where the user was asked.
  private func encoding(
    _ form: InputOptions,
    _ choice: inout String?
  ) throws(DirectoryError) -> String? {
    let start = try beginning(FileSignature.length)
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { return nil }
    if let encoding = form.encoding { return encoding }
    guard !form.isExact else { return nil }
    if let encoding = FileSignature.encoding(of: start) { return encoding }
    if let encoding = WideText.encoding(of: try beginning(Self.beginningLength)) { return encoding }
    guard try UnrecognizedInput.noText(self) == nil else { return nil }
    return try guessedEncoding(form, &choice)
  }

  private func guessedEncoding(
    _ form: InputOptions,
    _ choice: inout String?
  ) throws(DirectoryError) -> String? {
    try rewind()
    var sample = TextSample()
    try descriptor.forEachPiece(of: name) { (piece) throws(DirectoryError) in sample.take(piece) }
    sample.finish()
    guard !sample.hasNUL else { return nil }
    guard sample.malformed > 0 || sample.isUnlikelyUTF8 else {
      guard let shift = sample.shift, try isIn(shift) else { return nil }
      return shift
    }
    guard !sample.isDamagedUTF8, try !namesItsEncodings() else { return nil }
    switch EncodingGuess(sample) {
    case .certain(let names):
      // What the last does not have either is refused with its place.
      for name in names.dropLast() {
        if try isIn(name) { return name }
      }
      return names[names.count - 1]
    case .doubtful(let readings):
      let question = EncodingQuestion(file: name, readings: readings)
      guard let choose = form.chooseEncoding else { throw question.refusal }
      choice = try choose(question)
      return choice
    case .unknown where form.isPersonnel: throw Self.unreadable(name)
    case .unknown: return nil
    }
  }

  /// Whether it is a vCard that says for each of its values in what encoding it is.
  private func namesItsEncodings() throws(DirectoryError) -> Bool {
    guard try FormatDetection.format(of: self) == .vCard else { return false }
    let start = try beginning(Self.beginningLength).map {
      $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0
    }
    return start.contains(Array("CHARSET=".utf8))
  }

  private static func unreadable(_ name: String) -> DirectoryError {
    DirectoryError(
      .badData,
      "cannot read \(QuotedValue.path(name)): it is not UTF-8, and no other encoding makes words of it",
      advice: "save it as UTF-8, or name its encoding with \(.encoding)"
    )
  }

  /// Whether all of a file is text of an encoding.
  private func isIn(_ encoding: String) throws(DirectoryError) -> Bool {
    guard var decoder = TextDecoder(encoding) else { return false }
    try rewind()
    var isSound = true
    var text: [UInt8] = []
    func take(_ piece: UnsafeRawBufferPointer, isLast: Bool) {
      guard isSound else { return }
      text.removeAll(keepingCapacity: true)
      do {
        try decoder.decode(piece, isLast: isLast, to: &text)
        isSound = String(decoding: text, as: UTF8.self).unicodeScalars.allSatisfy {
          !$0.value.isOutsideText
        }
      } catch {
        isSound = false
      }
    }
    try descriptor.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      take(piece, isLast: false)
    }
    take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    return isSound
  }

  /// The separator in the place of commas; `nil` for commas, and for other formats.
  private func separator(_ form: InputOptions) throws(DirectoryError) -> FieldSeparator? {
    guard form.separator != nil || !form.isExact, try isMaybeCSV() else { return nil }
    if let separator = form.separator { return separator }
    if !form.isPersonnel, try FormatDetection.format(of: self) != nil { return nil }
    var start = try beginning(Self.beginningLength)
    if start.count == Self.beginningLength, let end = start.lastIndex(of: 0x0A) {
      start.removeLast(start.count - 1 - end)
    }
    let separator = SeparatorDetector.separator(of: start)
    return separator == .comma ? nil : separator
  }

  /// Throws unless it may be a table.
  package func requireTable() throws(DirectoryError) {
    if let refusal = try UnrecognizedInput.noTable(self) { throw refusal }
  }

  private func isMaybeCSV() throws(DirectoryError) -> Bool {
    let format = try FormatDetection.format(of: self)
    let isOther = format.map { [.json, .ldif, .vCard].contains($0) } ?? false
    guard !isOther else { return false }
    return try UnrecognizedInput.noText(self) == nil
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

  /// A copy of standard input; a stream that cannot be read is refused before it fills the disk.
  private static func standardInput(_ form: InputOptions) throws(DirectoryError) -> InputFile {
    let name = InputSet.standardInputName
    var spool = try SpoolFile(for: name)
    var beginning: [UInt8]? = form.isKnown ? [] : nil
    try FileDescriptor.standardInput.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      try spool.append(piece)
      guard var bytes = beginning.take() else { return }
      bytes += piece
      if bytes.count < beginningLength {
        beginning = bytes
      } else if ![GzipReader.signature, WorkbookReader.signature].contains(where: bytes.starts) {
        try requireKnown(bytes, name, form)
      }
    }
    return try spool.finish()
  }

  private static func requireKnown(
    _ beginning: [UInt8],
    _ name: String,
    _ form: InputOptions
  ) throws(DirectoryError) {
    // Without a line's end the first line may go on until it says what it is.
    guard let end = beginning.lastIndex(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
      return
    }
    var spool = try SpoolFile(for: name)
    try spool.append(Array(beginning[...end]))
    // The question is asked once, of all of the text.
    var form = form
    form.chooseEncoding = { (question) in question.readings[0].encoding }
    let file = try spool.finish().asText(form)
    if try FormatDetection.format(of: file) == nil { throw try UnrecognizedInput.refusal(of: file) }
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
    var reader = GzipReader(name)
    try descriptor.forEachPiece(of: name) { (piece) throws(DirectoryError) in
      try reader.read(piece) { (bytes) throws(DirectoryError) in try spool.append(bytes) }
    }
    try reader.finish()
    try requireUnchanged()
    return try spool.finish()
  }

  private func decoded(
    from encoding: String,
    choice: String?
  ) throws(DirectoryError) -> InputFile {
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
    var traits = traits.noting(encoding)
    traits.chosenEncoding = choice
    return try spool.finish(traits)
  }

  private func decode(
    _ piece: UnsafeRawBufferPointer,
    isLast: Bool,
    _ encoding: String,
    _ decoder: inout TextDecoder,
    _ line: inout Int
  ) throws(DirectoryError) -> [UInt8] {
    var text: [UInt8] = []
    do throws(TextDecoder.MalformedText) {
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
  func forEachPiece(
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
