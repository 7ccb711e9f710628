/// Where tree, card and footer stand on the screen.
///
/// The card is beside the tree where there is room, otherwise below; the footer is the last row.
struct BrowserLayout: Equatable {
  let size: ScreenSize
  /// Columns and rows of the tree.
  let treeColumns: Int
  let treeRows: Int
  /// Columns and rows of the card; 0 where it is not shown.
  let cardColumns: Int
  let cardRows: Int
  let isCardBeside: Bool

  /// Columns from which on the card is beside the tree.
  private static let columnsForBoth = 80

  init(_ size: ScreenSize, withCard: Bool) {
    self.size = size
    let rows = max(size.rows - 1, 0)
    isCardBeside = withCard && size.columns >= Self.columnsForBoth
    if isCardBeside {
      cardColumns = max(36, size.columns * 2 / 5)
      // A line between the two, and a space.
      treeColumns = size.columns - cardColumns - 2
      (treeRows, cardRows) = (rows, rows)
    } else {
      treeColumns = size.columns
      cardColumns = withCard ? size.columns : 0
      // A line between the two.
      cardRows = withCard && rows >= 4 ? rows / 2 - 1 : 0
      treeRows = cardRows > 0 ? rows - cardRows - 1 : rows
    }
  }
}
