import DirectoryModel
import DirectoryReading
import DirectoryTestSupport

extension Company {
  /// What fronts read: built, written and opened.
  func directory() throws -> Directory {
    try Directory(snapshot(), for: .everything)
  }
}

/// The hits of a search.
struct Hits {
  /// The best ones, with path, and departments for people.
  var rows: [DirectoryRow]
  /// All of them, shown or not.
  var total: SearchTotal
}

extension Directory {
  /// Finds people and departments.
  func search(_ text: String, in root: Node?, limit: Int?) throws -> Hits {
    var options = SearchOptions(text)
    options.root = root
    options.limit = limit
    var rows: [DirectoryRow] = []
    let total = try searcher().forEachHit(of: options) { rows.append($0.row) }
    return Hits(rows: rows, total: total)
  }
}

/// A row of the tree that outlives what was lent.
struct ShownRow {
  var row: DirectoryRow
  var place: TreePosition
  var unplacedReason: String?

  var depth: Int { place.depth }
  var isLastSibling: Bool { place.isLastSibling }
  var isMatch: Bool { place.isMatch }
}

extension Directory {
  func rows(of request: TreeRequest) throws -> [ShownRow] {
    var rows: [ShownRow] = []
    try forEachRow(of: request) {
      rows.append(
        ShownRow(row: DirectoryRow($0), place: $0.place, unplacedReason: $0.unplacedReason)
      )
    }
    return rows
  }
}
