import DirectoryModel

/// Reads the rows of a sheet of a workbook (Office Open XML, ECMA-376): numbers, dates and truths as
/// the texts that they are shown as.
///
/// Rows are streamed; only the texts that cells share are held in memory.
struct WorkbookReader: ~Copyable {
  /// A sheet that can be read.
  private struct Sheet {
    var name: String
    var part: String
    var isHidden: Bool
  }

  private var archive: ZipArchive
  private let file: InputFile
  private var sheets: [Sheet] = []
  private var isFrom1904 = false

  /// How an archive begins (APPNOTE.TXT §4.3.7).
  static let signature: [UInt8] = Array("PK\u{3}\u{4}".utf8)

  /// A sheet as a file that a `CSVReader` reads.
  ///
  /// - Parameters:
  ///   - file: The workbook.
  ///   - sheet: Its name; may be `nil` where there is one that is not hidden.
  /// - Returns: A copy without a name.
  /// - Throws: `.badData` where it is not a valid workbook, and `.usage` where the sheet must be
  ///   named.
  static func rows(of file: InputFile, sheet: String?) throws(DirectoryError) -> InputFile {
    do throws(WorkbookError) {
      var reader = WorkbookReader(file, try ZipArchive(file))
      try reader.readBook()
      return try reader.rows(of: sheet)
    } catch {
      throw error.directoryError(file.name)
    }
  }

  private init(_ file: InputFile, _ archive: consuming ZipArchive) {
    self.file = file
    self.archive = archive
  }

  /// Learns which sheets there are.
  private mutating func readBook() throws(WorkbookError) {
    let book = try bookPart()
    let list = SheetListHandler()
    try parse(book, list)
    isFrom1904 = list.isFrom1904
    let relations = RelationsHandler()
    try parse(Self.relations(of: book), relations)
    for sheet in list.sheets {
      guard let found = relations.targets[sheet.relation], found.type == "worksheet" else {
        continue
      }
      sheets.append(
        Sheet(
          name: sheet.name,
          part: Self.resolve(found.target, from: book),
          isHidden: sheet.isHidden
        )
      )
    }
    styles = relations.target("styles").map { Self.resolve($0, from: book) }
    sharedStrings = relations.target("sharedStrings").map { Self.resolve($0, from: book) }
  }

  private var styles: String?
  private var sharedStrings: String?

  /// The part that lists the sheets.
  private mutating func bookPart() throws(WorkbookError) -> String {
    guard archive.has("_rels/.rels") else {
      if archive.has("content.xml") {
        throw WorkbookError(
          reason: "it is an OpenDocument file",
          advice: "save it as an Excel workbook (.xlsx) or as CSV"
        )
      }
      throw WorkbookError(
        reason: "it is a ZIP archive, not a workbook",
        advice: "extract it, and import the files that are in it"
      )
    }
    let roots = RelationsHandler()
    try parse("_rels/.rels", roots)
    guard let target = roots.target("officeDocument") else {
      throw WorkbookError(reason: "it is not a workbook")
    }
    let book = Self.resolve(target, from: "")
    guard book.lowercased().hasSuffix(".xml") else {
      throw WorkbookError(
        reason: "it is a binary workbook (.xlsb)",
        advice: "save it as an Excel workbook (.xlsx) or as CSV"
      )
    }
    return book
  }

  private mutating func parse(_ part: String, _ handler: XMLHandler) throws(WorkbookError) {
    try parse(part, handler) { () throws(WorkbookError) in }
  }

  /// Parses a part; `pass` is called after each piece.
  private mutating func parse(
    _ part: String,
    _ handler: XMLHandler,
    _ pass: () throws(WorkbookError) -> Void
  ) throws(WorkbookError) {
    var stream = XMLStream(handler)
    try archive.read(part) { (piece) throws(WorkbookError) in
      try stream.parse(piece, isLast: false)
      try pass()
    }
    try stream.parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    try pass()
  }

  private mutating func rows(of name: String?) throws(WorkbookError) -> InputFile {
    let sheet = try choose(name)
    let strings = SharedStringHandler()
    if let sharedStrings { try parse(sharedStrings, strings) }
    let formats = StylesHandler()
    if let styles { try parse(styles, formats) }
    let rows = SheetHandler(strings, formats.formats, isFrom1904: isFrom1904)
    var spool = try SheetSpool(file)
    try parse(sheet.part, rows) { () throws(WorkbookError) in try spool.take(&rows.output) }
    do throws(DirectoryError) {
      try file.requireUnchanged()
    } catch {
      throw WorkbookError(error)
    }
    return try spool.finish(sheet: sheet.name)
  }

  private func choose(_ name: String?) throws(WorkbookError) -> Sheet {
    guard let name else {
      let visible = sheets.filter { !$0.isHidden }
      if visible.count == 1 { return visible[0] }
      throw refusal(
        sheets.isEmpty ? "it has no sheet of cells" : "it has \(visible.count) sheets: \(names)"
      )
    }
    let key = Heading(name).key
    if let sheet = sheets.first(where: { $0.name == name })
      ?? sheets.first(where: { Heading($0.name).key == key })
    {
      return sheet
    }
    throw refusal("it has no sheet \(QuotedValue.string(name)); its sheets are \(names)")
  }

  private func refusal(_ reason: String) -> WorkbookError {
    WorkbookError(
      reason: reason,
      advice: sheets.isEmpty ? nil : "name the sheet with \(.sheet)",
      kind: sheets.isEmpty ? .badData : .usage
    )
  }

  private var names: String {
    let most = 20
    return sheets.prefix(most).map { QuotedValue.string($0.name) }.joined(separator: ", ")
      + (sheets.count > most ? " and \(sheets.count - most) more" : "")
  }

  /// The part that holds the relations of one (ECMA-376 part 2 §9.3.3).
  private static func relations(of part: String) -> String {
    let folder = part.split(separator: "/").dropLast()
    let name = part.split(separator: "/").last ?? ""
    return (folder.map(String.init) + ["_rels", "\(name).rels"]).joined(separator: "/")
  }

  /// A target by the part that names it.
  private static func resolve(_ target: String, from part: String) -> String {
    var parts = target.hasPrefix("/") ? [] : Array(part.split(separator: "/").dropLast())
    for piece in target.split(separator: "/") {
      if piece == ".." { _ = parts.popLast() } else if piece != "." { parts.append(piece) }
    }
    return parts.joined(separator: "/")
  }
}

/// The rows of a sheet on their way into a file without a name.
private struct SheetSpool: ~Copyable {
  private let file: InputFile
  private var spool: SpoolFile
  private var size: Int64 = 0

  init(_ file: InputFile) throws(WorkbookError) {
    self.file = file
    do throws(DirectoryError) {
      spool = try SpoolFile(for: file.name)
    } catch {
      throw WorkbookError(error)
    }
  }

  /// Takes rows; a text that many cells share may fill a disk too.
  mutating func take(_ rows: inout [UInt8]) throws(WorkbookError) {
    size += Int64(rows.count)
    guard size < GzipReader.unlimitedSize || size / max(file.size, 1) < GzipReader.mostExpansion
    else { throw ZipArchive.bomb }
    do throws(DirectoryError) {
      try spool.append(rows)
    } catch {
      throw WorkbookError(error)
    }
    rows.removeAll(keepingCapacity: true)
  }

  consuming func finish(sheet: String) throws(WorkbookError) -> InputFile {
    var traits = file.traits.noting("sheet \(QuotedValue.string(sheet))")
    traits.isSheet = true
    do throws(DirectoryError) {
      return try spool.finish(traits)
    } catch {
      throw WorkbookError(error)
    }
  }
}
