import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

@testable import DirectoryReading

/// Everything that a directory says when it is asked all there is to ask.
final class ReadingTranscript {
  struct Entry {
    let question: String
    let answer: String
  }

  private(set) var entries: [Entry] = []
  private let directory: Directory

  /// - Parameters:
  ///   - directory: Whom to ask.
  ///   - names: What departments and people may be called by, there or not.
  ///   - words: What to search for.
  ///   - open: Departments that a saved view has open, there or not.
  ///   - withWhole: Whether it is asked for all of its nodes too, and not for those names and words alone.
  /// - Throws: What reading the columns throws; what an answer throws is the answer.
  init(
    _ directory: Directory,
    names: [String],
    words: [String],
    open: [DepartmentID],
    withWhole: Bool = true
  ) throws {
    self.directory = directory
    let view = SavedView(expanded: Set(open))
    if withWhole { try askForWhole(view) }
    for name in names { try askForNamed(name) }
    for word in words {
      try askForHits(word)
      askForBrowsing(view, word)
    }
  }

  private func askForWhole(_ view: SavedView) throws {
    try askForCounts()
    let openings: [(String, TreeRequest.Opening)] = [
      ("all", .all), ("one level", .levels(1)), ("a view", .view(view)),
    ]
    for (name, opening) in openings { try askForTree(name, TreeRequest(opening: opening)) }
    for kinds in [TreeRequest.Kinds.departments, .people] {
      var request = TreeRequest(opening: .all)
      request.kinds = kinds
      try askForTree("\(kinds)", request)
    }
    var shallow = TreeRequest(opening: .all)
    shallow.depth = 1
    try askForTree("two levels", shallow)
    try askForViews(view)
    try askForFaults()
  }

  private func add(_ question: String, _ answer: () throws -> String) {
    do {
      entries.append(Entry(question: question, answer: try answer()))
    } catch {
      let error = DirectoryError(ofReading: error) ?? error as? DirectoryError
      let words = [error?.message, error?.advice?.description].compactMap { $0 }.joined(
        separator: "; "
      )
      entries.append(Entry(question: question, answer: "error: \(words)"))
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func text(_ row: DirectoryRow) throws -> String {
    var stream = RowStream(.jsonl)
    var bytes: [UInt8] = []
    try stream.append(row, to: &bytes)
    try stream.finish(to: &bytes)
    let fields = try directory.cardFields(of: row).map { "\($0.label): \($0.values)" }
    return text(bytes) + fields.joined(separator: "\n")
  }

  private func text(_ hit: SearchRow) throws -> String {
    try "\(text(hit.row)) \(hit.highlights) \(JSONLine.encode(hit.reasons))"
  }

  // MARK: The whole

  private func askForCounts() throws {
    let directory = directory
    add("counts") {
      """
      \(directory.departmentCount) departments, \(directory.userCount) people, \
      \(directory.membershipCount) places, \(directory.unplacedCount) unplaced; \
      \(directory.declaredFields); leads: \(try directory.memberships.hasLeads); \
      \(try directory.unplaced())
      """
    }
    add("columns") {
      try directory.requireColumns(["no such column"])
      return ""
    }
    for name in ["mobile", "manager", "note", "languages", "team", "site", "host"] {
      add("column \(name)") {
        try directory.requireColumns([name])
        return "known"
      }
    }
    for node in 0..<directory.tree.count {
      add("card \(node)") { try text(directory.card(at: directory.node(node))) }
      guard try directory.tree.isDepartment(node) else { continue }
      for isRecursive in [false, true] {
        add("staff of \(node), below too: \(isRecursive)") {
          var rows: [String] = []
          try directory.forEachPerson(in: directory.node(node), recursive: isRecursive) {
            rows.append(try text($0))
          }
          return rows.joined(separator: "\n")
        }
      }
    }
  }

  private func askForFaults() throws {
    let directory = directory
    add("faults of the data") {
      var faults: [String] = []
      try directory.forEachFault { faults.append("\($0)") }
      return faults.joined(separator: "\n")
    }
    for leaf in try (0..<directory.tree.count).filter({ try !directory.tree.isDepartment($0) }) {
      add("vCard \(leaf)") { try directory.vCard(at: directory.node(leaf)) }
      add("selection \(leaf)") { "\(try directory.selection(of: directory.node(leaf), offset: 0))" }
    }
  }

  /// What a browser draws, with a filter and without.
  private func askForBrowsing(_ view: SavedView, _ word: String) {
    let directory = directory
    add("browsing, filtered by \(word)") {
      var outline = try DirectoryOutline(directory, view)
      var lines: [String] = []
      for filter in [nil, word] {
        outline.setFilter(try filter.map { try directory.matches(for: $0) })
        try outline.forEachRow(in: 0..<outline.rowCount) { row in
          let title = row.title.map { String(decoding: $0, as: UTF8.self) } ?? ""
          let name = String(decoding: row.name, as: UTF8.self)
          lines.append("\(row.place) \(name) \(title) \(row.people ?? -1) \(row.leads == true)")
        }
        lines.append("\(outline.rowCount) \(outline.matchCount ?? -1)")
      }
      let best = try directory.searcher().best(for: word)
      let highlights = try directory.searcher().highlighter(of: word)
      return lines.joined(separator: "\n")
        + "\(best?.position ?? -1) \(highlights("Ann Lampe", true))"
    }
  }

  private func askForViews(_ view: SavedView) throws {
    let directory = directory
    let departments = try (0..<directory.tree.count).filter { try directory.tree.isDepartment($0) }
    let changes: [ViewChange] = [
      .expandAll, .levels(2), .expand(departments.suffix(3).map(directory.node), recursive: false),
    ]
    for (index, change) in changes.enumerated() {
      add("change \(index) of a view") {
        var changed = SavedView()
        try changed.apply(change, to: directory)
        return changed.expanded.sorted().map(\.rawValue).joined(separator: " ")
      }
    }
    add("first view") {
      try SavedView.initial(levels: 2, of: directory).expanded.sorted().map(\.rawValue).joined()
    }
  }

  // MARK: The tree and exports

  private func askForTree(_ name: String, _ request: TreeRequest) throws {
    let directory = directory
    var request = request
    request.withContacts = true
    request.withOrder = true
    for withDetails in [false, true] {
      request.withDetails = withDetails
      add("rows: \(name), details: \(withDetails)") { try lines(of: request) }
    }
    add("held back: \(name)") { "\(try directory.foldedRowCount(of: request))" }
    for format in RowFormat.allCases where format != .text {
      for withFolded in format.folds ? [false, true] : [false] {
        add("\(format): \(name), folded: \(withFolded)") {
          var written: [UInt8] = []
          let count = try directory.write(request, as: format, withFolded: withFolded) {
            written += $0
            $0.removeAll()
          }
          return "\(count)\n\(text(written))"
        }
      }
    }
    add("files: \(name)") {
      var files: [[UInt8]] = [[], [], []]
      let (count, hasMemberships) = try directory.writeFiles(request) {
        files[0] += $0
        files[1] += $1
        files[2] += $2
        $0 = []
        $1 = []
        $2 = []
      }
      return "\(count) \(hasMemberships)\n" + files.map(text).joined(separator: "\n")
    }
  }

  private func lines(of request: TreeRequest) throws -> String {
    try directory.rows(of: request).map { "\($0.place) \(try text($0.row))" }
      .joined(separator: "\n")
  }

  // MARK: Names

  private func askForNamed(_ name: String) throws {
    let directory = directory
    for form in ["", "id:", "name:", "path:"] {
      add("department \(form)\(name)") {
        let node = try directory.node(of: DepartmentName(form + name))
        return "\(node.position): \(DepartmentName.path(try directory.path(through: node)))"
      }
      add("who is \(form)\(name)") {
        switch try directory.lookUp(form + name, limit: 5) {
        case .found(let nodes):
          try nodes.map { try text(directory.listRow(at: $0)) }.joined(separator: "\n")
        case .several(let rows, let total): try "\(rows.map(text)) \(total)"
        case .card(let row): "a card: \(row.id)"
        case .nothing(let nearest): "nothing, but \(nearest)"
        }
      }
    }
  }

  // MARK: Search

  private func askForHits(_ word: String) throws {
    let directory = directory
    for explains in [false, true] {
      add("search \(word), explained: \(explains)") {
        var options = SearchOptions(word)
        // The filter below compares what else is found.
        options.limit = 200
        options.explains = explains
        var hits: [String] = []
        let total = try directory.searcher().forEachHit(of: options) { hits.append(try text($0)) }
        return "\(total)\n" + hits.joined(separator: "\n")
      }
    }
    add("first hit of \(word)") {
      var options = SearchOptions(word)
      options.limit = 1
      var ids: [String] = []
      let total = try directory.searcher().forEachHit(of: options) { ids.append($0.row.id) }
      return "\(total) \(ids)"
    }
    add("suggestion for \(word)") { try directory.searcher().suggestion(for: word) ?? "none" }
    var request = TreeRequest(opening: .all)
    request.filter = word
    add("filter \(word)") { try lines(of: request) }
    add("filtered csv \(word)") {
      var written: [UInt8] = []
      _ = try directory.write(request, as: .csv) {
        written += $0
        $0.removeAll()
      }
      return text(written)
    }
  }
}
