import ArgumentParser
import Browsing
import DirectoryModel
import DirectoryReading
import LiveDirectory
import Platform
import Terminal

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the rows that tree shows, or the whole directory.",
    discussion: """
      The rows are those that tree shows, unless --all, --depth, --level or --filter selects \
      others; the number of rows left out below collapsed departments is reported. Into a folder, \
      the whole directory is written, unless --visible selects the rows that tree shows.

      The format is given by --format or by the file's extension; on standard output it is csv. A file \
      is written whole or not at all. All formats are UTF-8, whatever the locale.

        csv       one flat file with paths; into a folder, what import reads
        tsv       the same columns, separated by tabs
        json      one array; jsonl: one object per line; plain: as --plain prints
        xlsx      a workbook whose rows can be collapsed
        vcard     cards of people and departments (.vcf)
        ldif      entries for an LDAP server
        text      as tree prints (.txt); markdown: a nested list (.md)
        html      a page with a collapsible tree and search
        mermaid   a flowchart (.mmd); dot: a graph for Graphviz (.dot, .gv)

      With --all, xlsx and html contain everything, collapsed as it is on the screen.

      EXAMPLES
        staffbook export -o staff.csv
        staffbook export -o company/
        staffbook export Software --all --format json > software.json
        staffbook export --filter lens -o lens.xlsx
      """
  )

  @OptionGroup(title: "Source") var reading: ViewingOptions
  @OptionGroup(title: "Rows") var scope: TreeScopeOptions

  @Option(help: ArgumentHelp("Write only this person or department; repeatable.", valueName: "who"))
  var only: [String] = []

  @Flag(help: "Write only people.")
  var people = false

  @Flag(help: "Write exactly the rows that tree shows, also into a folder.")
  var visible = false

  @Option(help: ArgumentHelp("The format to write.", valueName: "format"))
  var format: RowFormat?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "The file to write, or a folder followed by /; - is standard output.",
      valueName: "file"
    )
  )
  var output = "-"

  @Flag(
    help: """
      Write CSV for spreadsheets: with a byte order mark, with numbers and dates kept as text, and \
      without formulas.
      """
  )
  var excel = false

  @Option(
    help: ArgumentHelp(
      "The vCard version. Older phones need 3.0. (default: 4.0)",
      valueName: "version"
    )
  )
  var vcardVersion: VCardVersionOption?

  @Flag(
    help: "Write vCards that import reads back as they were, with properties of Staffbook's own."
  )
  var exact = false

  @Option(
    help: ArgumentHelp(
      """
      The LDIF base DN. (default: \(ExportOptions().ldifBase))
      """,
      valueName: "name"
    )
  )
  var ldifBase: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  @Argument(help: "Write only this department and everything below it.")
  var department: String?

  func validate() throws {
    if visible, scope.all { throw ValidationError("--visible and --all cannot be used together") }
    if !only.isEmpty, !scope.isSavedView || visible || department != nil {
      throw ValidationError(
        "--only cannot be used with --all, --depth, --level, --filter, --visible or a department"
      )
    }
    if people, scope.departments {
      throw ValidationError("--departments and --people cannot be used together")
    }
    if output.isEmpty { throw ValidationError("-o requires the name of a file") }
    let format = try chosenFormat()
    if excel, format != .csv || isFolder {
      throw ValidationError("--excel requires a single csv file")
    }
    if vcardVersion != nil, format != .vcard {
      throw ValidationError("--vcard-version requires the format vcard, not \(format)")
    }
    if exact, format != .vcard {
      throw ValidationError("--exact requires the format vcard, not \(format)")
    }
    if ldifBase != nil, format != .ldif {
      throw ValidationError("--ldif-base requires the format ldif, not \(format)")
    }
    if isFolder, format != .csv {
      throw ValidationError("only csv can be written into a folder; name a file")
    }
    if isFolder, people || scope.departments {
      throw ValidationError("a folder contains both departments and people; name a file")
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
      throw ValidationError("\(output) is a folder; to write csv files into it, use \(output)/")
    }
    if output.hasSuffix(".gz") {
      throw ValidationError("export does not compress; pipe its standard output through gzip")
    }
    throw ValidationError("cannot determine the format of \(output); use --format")
  }

  func run() async throws {
    let format = try chosenFormat()
    var options = ExportOptions()
    options.isForSpreadsheet = excel
    options.isVCard3 = vcardVersion == .three
    options.isExactVCard = exact
    if let ldifBase { options.ldifBase = ldifBase }
    try options.validate()
    let (session, directory) = try await reading.open()
    var request = try scope.request(session, directory, department: department)
    request.withContacts = true
    request.withOrder = true
    if people { request.kinds = .people }
    request.only = try only.flatMap { try nodes(of: $0, directory) }
    if let root = request.root { options.title = try directory.listRow(at: root).name }
    let foldsAll = scope.all && format.folds
    if foldsAll { request.opening = .view(try SavedViews(session).view(of: directory)) }
    if isFolder, !visible, scope.isSavedView { request.opening = .all }
    let count = try write(request, of: directory, as: format, options, withFolded: foldsAll)
    if count.rows == 0, request.filter != nil { throw NothingFound() }
    if output != "-" {
      let folded = count.folded > 0 ? ", \(count.folded) of them below collapsed departments" : ""
      let rows = counted(count.rows, "row")
      Messages.notice("wrote \(rows) to \(output)\(folded)")
    }
    if !isFolder, !visible, scope.isSavedView, only.isEmpty {
      try reportCollapsedRows(request, directory)
    }
    warnOfAbsentFields(in: format, directory)
  }

  /// A person, a department, or both where they have the same id.
  private func nodes(of who: String, _ directory: Directory) throws -> [Node] {
    if case .found(let nodes) = try directory.lookUp(who, limit: 1) { return nodes }
    throw DirectoryError(
      .notFound,
      "no single person or department is called \(who)",
      advice: "give its id, such as id:ada.walsh"
    )
  }

  /// Some formats show names and little more; who declared fields is told that they are not there.
  private func warnOfAbsentFields(in format: RowFormat, _ directory: Directory) {
    let names = directory.declaredFields.map(\.name)
    guard !format.carriesFields, !names.isEmpty else { return }
    let unique = names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
    Messages.notice(
      "the format \(format) does not contain declared fields; \(unique.joined(separator: ", ")) "
        + "\(unique.count == 1 ? "was" : "were") left out"
    )
  }

  /// What was last opened decides what is written; who did not say so is told what is missing.
  private func reportCollapsedRows(_ request: TreeRequest, _ directory: Directory) throws {
    let count = try directory.foldedRowCount(of: request)
    guard count > 0 else { return }
    Messages.notice(
      "\(counted(count, "row")) below collapsed departments "
        + "\(count == 1 ? "was" : "were") left out; to export the whole directory, use --all"
    )
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
      var screen = Screen()
      // Only a terminal has a width and an encoding to draw for; other places get the same bytes as
      // a file.
      guard !screen.profile.isTerminal else {
        var count = ExportCount()
        count.rows = try TreePrinter.draw(request, of: directory)
        return count
      }
      var painter = TreePainter(TerminalProfile())
      let count = try directory.draw(
        request,
        pass: { bytes in
          screen.buffer.append(contentsOf: bytes)
          bytes.removeAll(keepingCapacity: true)
          try screen.drain()
        }
      ) { row, bytes in painter.append(TreeLine(row), to: &bytes) }
      try screen.finish()
      return count
    }
    var painter = TreePainter(TerminalProfile())
    return try directory.export(request, to: output, replacing: force) { row, bytes in
      painter.append(TreeLine(row), to: &bytes)
    }
  }
}

/// A version of vCard as the user names it.
enum VCardVersionOption: String, ExpressibleByArgument, CaseIterable {
  case four = "4.0"
  case three = "3.0"
}

extension RowFormat: ExpressibleByArgument {}
