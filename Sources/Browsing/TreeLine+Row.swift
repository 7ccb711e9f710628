import DirectoryModel
import Terminal

extension TreeLine {
  /// A row of the tree as it is drawn.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - lead: What stands in front of the title of a person who leads the department.
  package init(_ row: RowFields, lead: String = "") {
    let symbol: Symbol =
      switch row.disclosure {
      case .expanded: .expanded
      case .collapsed: .collapsed
      case .empty: .empty
      case nil: .leaf
      }
    let title = row.title.map { String(decoding: $0, as: UTF8.self) } ?? ""
    // Of a department only why it could not be placed.
    let detail =
      row.kind == .user ? (row.leads == true ? lead : "") + title : row.unplacedReason ?? ""
    self.init(
      level: row.place.depth,
      isLastSibling: row.place.isLastSibling,
      symbol: symbol,
      label: String(decoding: row.name, as: UTF8.self),
      count: row.people,
      detail: detail
    )
  }
}
