import ArgumentParser
import DirectoryModel
import DirectoryService
import Terminal

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write exactly the rows that tree shows.",
    discussion: """
      The format is told by --format or by the file's ending; on standard output it is csv. A file \
      appears whole or not at all.

        csv       one flat file with paths; into a folder (-o FOLDER/) what import takes
        tsv       the same columns between tabs
        json      one array; jsonl: an object a line; plain: as --plain prints
        xlsx      a workbook whose rows open and close
        vcard     cards of people and departments (.vcf)
        ldif      entries for a directory server, below --ldif-base
        text      as tree prints (.txt); markdown: a nested list (.md)
        html      one page with a tree that opens and closes, and search
        mermaid   a flowchart (.mmd); dot: a graph for Graphviz (.dot, .gv)

      With --all, xlsx and html have everything too, but closed as it is on the screen; it opens \
      by a click.

      EXAMPLES
        staffbook export -o staff.csv
        staffbook export --all -o company/
        staffbook export Software --all --format json > software.json
        staffbook export --filter lens -o lens.xlsx
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "What to write") var scope: TreeScopeOptions

  @Flag(help: "Only people.")
  var people = false

  @Flag(help: "Exactly what tree shows, which is the default.")
  var visible = false

  @Option(
    help: ArgumentHelp(
      "\(RowFormat.allCases.dropLast().map(\.rawValue).joined(separator: ", ")) or "
        + "\(RowFormat.allCases.suffix(1).map(\.rawValue).joined()).",
      valueName: "format"
    )
  )
  var format: RowFormat?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Where to write: a file, or a folder with / behind it; - is standard output.",
      valueName: "file"
    )
  )
  var output = "-"

  @Flag(
    help: """
      CSV for a spreadsheet: with a byte order mark, numbers and dates kept as they are written, \
      and no cell that it would run.
      """
  )
  var excel = false

  @Option(
    help: ArgumentHelp(
      "Of vcard: 4.0, the default, or 3.0, which older phones read.",
      valueName: "version"
    )
  )
  var vcardVersion: VCardEdition?

  @Option(
    help: ArgumentHelp(
      """
      Of ldif: the name of the entry that all others hang on, \
      \(ExportOptions().ldifBase) if not given.
      """,
      valueName: "name"
    )
  )
  var ldifBase: String?

  @Flag(help: "Replace a file that is there already.")
  var force = false

  @Argument(help: "Only this department and what is below.")
  var department: String?

  func validate() throws {
    if visible, scope.all { throw ValidationError("--visible and --all exclude each other") }
    if people, scope.departments {
      throw ValidationError("--departments and --people exclude each other")
    }
    if output.isEmpty { throw ValidationError("-o needs the name of a file") }
    let format = try chosenFormat()
    if excel, format != .csv || isFolder {
      throw ValidationError("--excel goes with one csv file")
    }
    if vcardVersion != nil, format != .vcard {
      throw ValidationError("--vcard-version goes with the format vcard; this is \(format)")
    }
    if ldifBase != nil, format != .ldif {
      throw ValidationError("--ldif-base goes with the format ldif; this is \(format)")
    }
    if isFolder, format != .csv {
      throw ValidationError("only csv is written into a folder; name a file")
    }
    if isFolder, people || scope.departments {
      throw ValidationError("a folder holds departments and people; name a file")
    }
  }

  /// Whether the three files are asked for.
  private var isFolder: Bool { output.hasSuffix("/") }

  /// The format asked for, or that of the file's ending; CSV on standard output and in a folder.
  private func chosenFormat() throws -> RowFormat {
    if let format { return format }
    if output == "-" || isFolder { return .csv }
    if let format = RowFormat(fileName: output) { return format }
    if ExportFile.isFolder(output) {
      throw ValidationError("\(output) is a folder; for three csv files in it write \(output)/")
    }
    if output.hasSuffix(".gz") {
      throw ValidationError("nothing is compressed here; send standard output through gzip")
    }
    throw ValidationError("cannot tell the format of \(output); give --format")
  }

  func run() async throws {
    let format = try chosenFormat()
    var options = ExportOptions()
    options.isForSpreadsheet = excel
    options.isVCard3 = vcardVersion == .three
    if let ldifBase { options.ldifBase = ldifBase }
    try options.validate()
    let (service, directory) = try await reading.open()
    var request = try scope.request(service, directory, department: department)
    request.withContacts = true
    request.withOrder = true
    if people { request.kinds = .people }
    if let root = request.root { options.title = try directory.card(at: root).name }
    let foldsAll = scope.all && format.folds
    if foldsAll { request.opening = .view(try service.view(of: directory)) }
    let count = try write(request, of: directory, as: format, options, withFolded: foldsAll)
    if count.rows == 0, request.filter != nil { throw NothingFound() }
    guard output != "-" else { return }
    let folded = count.folded > 0 ? ", \(count.folded) of them below closed departments" : ""
    Messages.notice("wrote \(count.rows) rows to \(output)\(folded)")
  }

  private func write(
    _ request: TreeRequest,
    of directory: Directory,
    as format: RowFormat,
    _ options: ExportOptions,
    withFolded: Bool
  ) throws -> ExportCount {
    if isFolder { return try directory.exportFiles(request, to: output, replacing: force) }
    if format == .text { return try draw(request, of: directory) }
    if output == "-" {
      return try RowPrinter.print(
        request,
        of: directory,
        as: format,
        options,
        withFolded: withFolded
      )
    }
    return try directory.export(
      request,
      as: format,
      options,
      withFolded: withFolded,
      to: output,
      replacing: force
    )
  }

  private func draw(_ request: TreeRequest, of directory: Directory) throws -> ExportCount {
    guard output != "-" else {
      var count = ExportCount()
      count.rows = try TreePrinter.draw(request, of: directory)
      return count
    }
    var painter = TreePainter(TerminalProfile())
    return try directory.export(request, to: output, replacing: force) { row, bytes in
      painter.append(TreeLine(row), to: &bytes)
    }
  }
}

/// A version of vCard as somebody names it.
enum VCardEdition: String, ExpressibleByArgument, CaseIterable {
  case four = "4.0"
  case three = "3.0"
}

extension RowFormat: ExpressibleByArgument {}
