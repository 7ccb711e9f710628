import DirectoryModel

/// Says of a file that cannot be imported what it looks like, so that the user knows what to do.
enum UnrecognizedInput {
  /// Bytes that are looked at.
  private static let length = 64 << 10

  /// Why a file of no known format is refused.
  ///
  /// - Throws: `.cannotRead`.
  static func refusal(of file: InputFile) throws(DirectoryError) -> DirectoryError {
    if let refusal = try noText(file) { return refusal }
    let start = try file.traits.isSheet ? firstRow(of: file) : file.beginning(length)
    let mark = Array("sep=".utf8) + [file.traits.separator]
    let text = start.starts(with: mark) ? start[mark.count...] : start[...]
    guard text.contains(where: { $0 > 0x20 }) else { return refused(file, "it is empty") }
    if let fault = try separator(of: file) { return refused(file, fault.reason, fault.advice) }
    let line = start.split(maxSplits: 1) { $0 == 0x0A || $0 == 0x0D }[0]
    let shown =
      line.withUnsafeBytes { TextError.first(in: $0) } == nil
      ? "; it begins with \(QuotedValue.text(Array(line)))" : ""
    return DirectoryError(
      .badData,
      "cannot import \(QuotedValue.path(file.name)): its format is not recognised\(shown)",
      advice: "\(howToName)\(.suggest(file.name))"
    )
  }

  private static let howToName =
    "the first line of CSV must name the columns, such as id, parent_id, name or id, "
    + "department_id, name; JSON, LDIF and vCards are recognised by how they begin; mail "
    + "programs and phones can export their contacts as vCards; a list of people from another "
    + "program needs a mapping; create one with: "

  /// The refusal of what is not text in UTF-8; `nil` for what may be.
  ///
  /// - Throws: `.cannotRead`.
  static func noText(_ file: InputFile) throws(DirectoryError) -> DirectoryError? {
    if file.traits.isSheet { return nil }
    let start = try file.beginning(length)
    let signature = start.withUnsafeBytes {
      FileSignature(UnsafeRawBufferPointer(rebasing: $0.prefix(FileSignature.length)))
    }
    if let signature { return refused(file, "it \(signature.reason)", signature.advice) }
    // POSIX pax, "ustar Interchange Format".
    if start.dropFirst(257).starts(with: "ustar".utf8) {
      return refused(file, "it is a tar archive; extract it and name the folder")
    }
    guard let zero = start.firstIndex(of: 0) else { return nil }
    return refused(file, "it is not text: its byte \(zero + 1) is a NUL")
  }

  /// The refusal of what is not a table of people; `nil` for what may be.
  ///
  /// - Throws: `.cannotRead`.
  static func noTable(_ file: InputFile) throws(DirectoryError) -> DirectoryError? {
    if let refusal = try noText(file) { return refusal }
    guard let format = try FormatDetection.format(of: file),
      [.json, .ldif, .vCard].contains(format)
    else { return nil }
    return refused(file, "it is \(format.name), which needs no mapping")
  }

  /// The first row of a sheet, as a line of CSV.
  private static func firstRow(of file: InputFile) throws(DirectoryError) -> [UInt8] {
    var reader = try CSVReader(file, bufferSize: length)
    var writer = CSVWriter()
    var line: [UInt8] = []
    while line.isEmpty, let item = reader.next() {
      guard case .record(let record) = item else { continue }
      for place in 0..<record.count { writer.append(record[place], to: &line) }
    }
    return line
  }

  /// What something like CSV has in place of commas.
  private static func separator(
    of file: InputFile
  ) throws(DirectoryError) -> TableHeader.Fault? {
    var reader = try CSVReader(file, bufferSize: length)
    while let item = reader.next() {
      guard case .record(let record) = item else { continue }
      do {
        _ = try TableHeader(record, .users)
        return nil
      } catch {
        guard case .separated = error else { return nil }
        return error
      }
    }
    return nil
  }

  private static func refused(
    _ file: InputFile,
    _ reason: String,
    _ advice: Advice? = nil
  ) -> DirectoryError {
    DirectoryError(
      .badData,
      "cannot import \(QuotedValue.path(file.name)): \(reason)",
      advice: advice
    )
  }
}
