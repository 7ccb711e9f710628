import DirectoryExchange
import DirectoryModel
import TextRules

/// The formats that rows can be written in.
package enum RowFormat: String, Sendable, CaseIterable {
  /// One flat file; into a folder, the three files that `import` takes.
  case csv
  /// The columns of `csv`, tab-separated.
  case tsv
  /// One array.
  case json
  /// JSON Lines: an object a row.
  case jsonl
  /// Tab-separated, as `--plain` prints.
  case plain
  /// A workbook that folds.
  case xlsx
  /// Cards of people and departments.
  case vcard
  /// Entries for a directory server.
  case ldif
  /// Drawn, as `tree` prints: by the front, which knows how.
  case text
  /// A nested list.
  case markdown
  /// A page for a browser.
  case html
  /// A flowchart for Mermaid.
  case mermaid
  /// A graph for Graphviz.
  case dot

  /// The format that a file's ending names.
  package init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    let ending = fileName[fileName.index(after: dot)...].lowercased()
    guard let known = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      return nil
    }
    self = known
  }

  /// Endings of files in this format.
  package var endings: [String] {
    switch self {
    case .jsonl: ["jsonl", "ndjson"]
    case .vcard: ["vcf", "vcard"]
    case .text: ["txt", "text"]
    case .markdown: ["md", "markdown"]
    case .html: ["html", "htm"]
    case .mermaid: ["mmd", "mermaid"]
    case .dot: ["dot", "gv"]
    case .csv, .tsv, .json, .plain, .xlsx, .ldif: [rawValue]
    }
  }

  /// Whether it opens and closes by itself, so that what lies below closed departments can go along.
  package var folds: Bool { self == .xlsx || self == .html }

  /// Whether it is not text, and nothing for a terminal.
  package var isBinary: Bool { self == .xlsx }

  var hasPaths: Bool { self == .csv || self == .tsv }

  /// Whether values of declared fields stand in it.
  package var carriesFields: Bool {
    switch self {
    case .plain, .text, .mermaid, .dot: false
    case .csv, .tsv, .json, .jsonl, .xlsx, .vcard, .ldif, .markdown, .html: true
    }
  }
}

/// What can be chosen about a format.
package struct ExportOptions: Sendable {
  /// CSV that a spreadsheet neither runs nor changes.
  package var isForSpreadsheet = false
  package var isVCard3 = false
  /// vCards that `import` reads back as they were, with properties that other programs do not know.
  package var isExactVCard = false
  /// The name of the entry that all others hang on.
  package var ldifBase = LDIFBase.standard
  /// What a page is called.
  package var title = "Staffbook"
  /// The columns of `plain`; `nil` for the usual ones.
  package var columns: [String]?
  /// The declared fields, and whether anybody leads a department: the directory's.
  var fields: [Field] = []
  var hasLeads = false
  /// Columns that no record shows.
  var hidden: Set<String> = []

  var extraColumns: ExtraColumns {
    ExtraColumns(hasLeads: hasLeads, fields: fields, hidden: hidden)
  }

  package init() {}

  /// Checks what was chosen, before anything is read.
  ///
  /// - Throws: `.usage`.
  package func validate() throws { _ = try LDIFBase(ldifBase) }
}

/// Turns rows into bytes of a format, at the end of the caller's.
package struct RowStream {
  private var encoder: any RowEncoder
  private var hasBegun = false
  package private(set) var rowCount = 0

  /// Begins a list outside the tree, in one of the formats that such lists have.
  ///
  /// - Parameters:
  ///   - format: What to write.
  ///   - columns: The columns of `plain`; `nil` for the usual ones.
  ///   - forTerminal: Whether a terminal reads it, so that control characters become visible.
  package init(_ format: RowFormat, columns: [String]? = nil, forTerminal: Bool = false) {
    var options = ExportOptions()
    options.columns = columns
    self.init(Self.encoder(of: format, options, forTerminal: forTerminal))
  }

  init(_ encoder: any RowEncoder) { self.encoder = encoder }

  package mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8]) throws {
    try row.withFields { try append($0, to: &bytes) }
  }

  mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    begin(&bytes)
    try encoder.append(row, to: &bytes)
    rowCount += 1
  }

  package mutating func finish(to bytes: inout [UInt8]) throws {
    begin(&bytes)
    try encoder.end(&bytes)
  }

  /// Appends the next piece of what a format has only when it is finished.
  ///
  /// - Returns: Whether there was one.
  mutating func appendRest(to bytes: inout [UInt8]) throws -> Bool {
    try encoder.appendRest(to: &bytes)
  }

  private mutating func begin(_ bytes: inout [UInt8]) {
    if !hasBegun { encoder.begin(&bytes) }
    hasBegun = true
  }

  /// Writes rows in a format that needs nothing but the rows.
  ///
  /// - Parameters:
  ///   - format: Neither a format of records nor a drawn one.
  ///   - options: What was chosen about it.
  ///   - forTerminal: Whether what a terminal would act upon is made visible; the formats that do so
  ///     in any case are not asked.
  /// - Returns: A new encoder.
  static func encoder(
    of format: RowFormat,
    _ options: ExportOptions,
    forTerminal: Bool
  ) -> any RowEncoder {
    switch format {
    case .csv:
      let encoder = CSVRowEncoder(forSpreadsheet: options.isForSpreadsheet, options.extraColumns)
      return forTerminal ? VisibleRowEncoder(encoder) : encoder
    case .tsv:
      let encoder = TSVRowEncoder(options.extraColumns)
      return forTerminal ? VisibleRowEncoder(encoder) : encoder
    case .json: return JSONRowEncoder(.array)
    case .jsonl: return JSONRowEncoder(.lines)
    case .plain:
      return PlainRowEncoder(forTerminal ? .visible : .exact, columns: options.columns)
    case .mermaid: return MermaidEncoder()
    case .dot: return DotEncoder()
    case .markdown: return MarkdownEncoder(fields: options.fields)
    case .html: return HTMLEncoder(title: options.title, fields: options.fields)
    case .xlsx, .vcard, .ldif, .text: preconditionFailure("\(format) needs more than rows")
    }
  }
}

/// Makes rows harmless for a terminal before another encoder writes them.
private struct VisibleRowEncoder<Base: RowEncoder>: RowEncoder {
  private var base: Base

  init(_ base: Base) { self.base = base }

  mutating func begin(_ bytes: inout [UInt8]) { base.begin(&bytes) }

  mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    func visible(_ text: UnsafeRawBufferPointer) -> String {
      VisibleText.visible(String(decoding: text, as: UTF8.self))
    }
    var shown = DirectoryRow(row, text: visible)
    shown.values = shown.values?.mapTexts { VisibleText.visible($0) }
    let path = row.pathText.map { Array(visible($0).utf8) }
    try shown.withFields { fields in
      var fields = fields
      fields.place = row.place
      guard let path else { return try base.append(fields, to: &bytes) }
      try path.withUnsafeBytes {
        fields.pathText = $0
        try base.append(fields, to: &bytes)
      }
    }
  }

  mutating func end(_ bytes: inout [UInt8]) throws { try base.end(&bytes) }
}

/// Makes the lines that another encoder writes harmless for a terminal.
struct VisibleLineEncoder<Base: RowEncoder>: RowEncoder {
  private var base: Base
  private var written: [UInt8] = []

  init(_ base: Base) { self.base = base }

  mutating func begin(_ bytes: inout [UInt8]) {
    base.begin(&written)
    pass(&bytes)
  }

  mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    try base.append(row, to: &written)
    pass(&bytes)
  }

  mutating func end(_ bytes: inout [UInt8]) throws {
    try base.end(&written)
    pass(&bytes)
  }

  private mutating func pass(_ bytes: inout [UInt8]) {
    for line in written.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      let content = line.last == 0x0D ? line.dropLast() : line
      VisibleText.appendVisible(String(decoding: content, as: UTF8.self), to: &bytes)
      bytes.append(0x0A)
    }
    written.removeAll(keepingCapacity: true)
  }
}
