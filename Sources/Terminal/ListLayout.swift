/// How the rows of a list are drawn, decided from the first of them.
///
/// Off a terminal each row is one line and nothing is cut. On a terminal everything is shown where
/// it fits. Otherwise title and path give way; where they would get too narrow, contacts stand in
/// a second line; and below 60 columns each row is a card. Widths are those of nearly all
/// rows, so that a single very long value does not take the room of the others.
struct ListLayout: Sendable {
  enum Form: Sendable {
    case line, twoLines, card
  }

  private(set) var form: Form
  /// For each column; 0 for one that is left out.
  private(set) var widths: [Int]

  static let gap = 2
  static let indent = 2
  /// On narrower terminals each row is a card.
  private static let fewestColumns = 60
  /// Title and path do not get narrower.
  private static let fairColumns = 12
  /// How many of a hundred contacts fit into their columns, the first of it that leaves
  /// enough room for the others; the rest have lines of their own.
  private static let sharesOfContacts = [95, 80]
  /// So many cells tell what is usual.
  private static let fewestCells = 20

  subscript(column: ListColumn) -> Int { widths[column.rawValue] }

  var columns: [ListColumn] { ListColumn.leading + contacts }
  var contacts: [ListColumn] { ListColumn.contacts(of: widths.count) }

  /// - Parameters:
  ///   - measured: For each column, how wide its cells are that hold something.
  ///   - limit: The columns of the terminal; `nil` off terminals.
  ///   - isComplete: Whether these are all rows: then an empty column takes no room.
  init(_ measured: [[Int]], limit: Int?, isComplete: Bool) {
    let reserved = isComplete ? 0 : limit == nil ? 1 : Self.fairColumns
    let natural = measured.map { $0.max() ?? reserved }
    guard let limit, Self.total(natural) > limit else {
      (form, widths) = (.line, natural)
      return
    }
    guard limit >= Self.fewestColumns else {
      (form, widths) = (.card, natural)
      return
    }
    (form, widths) = (.line, natural)
    func useUsualWidths(_ share: Int) {
      widths = columns.map { column in
        let cells = measured[column.rawValue]
        return cells.isEmpty ? reserved : Self.usual(cells, column, limit, share)
      }
    }
    for share in Self.sharesOfContacts {
      useUsualWidths(share)
      if narrow(columns, to: limit) {
        widen(columns, toward: measured, within: limit)
        return
      }
    }
    form = .twoLines
    useUsualWidths(Self.sharesOfContacts[0])
    _ = narrow(ListColumn.leading, to: limit)
    widen(ListColumn.leading, toward: measured, within: limit)
  }

  /// The width in which nearly all cells of a column fit, or as much of it as the column may take.
  private static func usual(_ cells: [Int], _ column: ListColumn, _ limit: Int, _ share: Int) -> Int
  {
    // The first contact is an address, and longer than what is dialled.
    let most = column.rawValue == ListColumn.leading.count ? limit / 2 : limit / 3
    // What is never cut and wider gets lines of its own.
    let sorted = (column.mayBeCut ? cells : cells.filter { $0 <= most }).sorted()
    return min(percentile(column.mayBeCut ? 95 : share, of: sorted), most)
  }

  /// The least of the values, rising, that so many of a hundred do not pass; 0 of none.
  private static func percentile(_ share: Int, of sorted: [Int]) -> Int {
    sorted.isEmpty ? 0 : sorted[(sorted.count * share + 99) / 100 - 1]
  }

  /// Takes columns from the wider one of title and path until a line of some columns fits.
  ///
  /// - Returns: Whether it does without making them narrower than is fair.
  private mutating func narrow(_ columns: [ListColumn], to limit: Int) -> Bool {
    while total(of: columns) > limit {
      let widest = self[.title] > self[.path] ? ListColumn.title : .path
      guard self[widest] > Self.fairColumns else { return false }
      widths[widest.rawValue] -= 1
    }
    return true
  }

  /// Uses the room that is left: first for what nearly all cells want, where there are enough to
  /// tell, then for columns that can have all they want.
  private mutating func widen(
    _ columns: [ListColumn],
    toward measured: [[Int]],
    within limit: Int
  ) {
    for column in [ListColumn.title, .path] {
      let cells = measured[column.rawValue].sorted()
      let room = limit - total(of: columns)
      guard cells.count >= Self.fewestCells, room > 0 else { continue }
      let wanted = Self.percentile(95, of: cells) - self[column]
      widths[column.rawValue] += max(0, min(wanted, room))
    }
    for column in contacts + ListColumn.leading where columns.contains(column) {
      let wanted = (measured[column.rawValue].max() ?? 0) - self[column]
      guard wanted > 0 else { continue }
      widths[column.rawValue] += wanted
      if total(of: columns) > limit { widths[column.rawValue] -= wanted }
    }
  }

  private func total(of columns: [ListColumn]) -> Int {
    Self.total(columns.map { self[$0] })
  }

  private static func total(_ widths: [Int]) -> Int {
    let shown = widths.filter { $0 > 0 }
    return shown.reduce(0, +) + gap * max(shown.count - 1, 0)
  }
}
