/// The strings that lines in front of a row are made of.
public struct TreeLineStyle: Sendable, Hashable {
  /// Beside a level at which siblings follow further down.
  public var through: String
  /// Beside a level at which none follows.
  public var blank: String
  /// In front of a row after which siblings follow.
  public var branch: String
  /// In front of the last sibling.
  public var corner: String
  /// In the place of the levels that were left out.
  public var ellipsis: String

  /// - Parameters:
  ///   - through: Beside a level at which siblings follow further down.
  ///   - blank: Beside a level at which none follows.
  ///   - branch: In front of a row after which siblings follow.
  ///   - corner: In front of the last sibling.
  ///   - ellipsis: In the place of the levels that were left out.
  /// - Complexity: O(1).
  public init(through: String, blank: String, branch: String, corner: String, ellipsis: String) {
    self.through = through
    self.blank = blank
    self.branch = branch
    self.corner = corner
    self.ellipsis = ellipsis
  }

  /// Box-drawing characters.
  public static let unicode = TreeLineStyle(
    through: "│  ",
    blank: "   ",
    branch: "├─ ",
    corner: "└─ ",
    ellipsis: "⋯  "
  )

  /// ASCII, for terminals without box-drawing characters.
  public static let ascii = TreeLineStyle(
    through: "|  ",
    blank: "   ",
    branch: "|- ",
    corner: "`- ",
    ellipsis: "...",
  )
}

extension OutlineState {
  /// The lines that lead to a row, to be put in front of its label; empty for a root.
  ///
  ///     company
  ///     ├─ engineering
  ///     │  └─ storage      "│  └─ "
  ///     └─ sales
  ///
  /// - Parameters:
  ///   - node: The node of the row.
  ///   - style: What the lines are made of.
  ///   - limit: At most so many levels are drawn, the innermost ones, after the style's ellipsis;
  ///     at least 1.
  /// - Returns: Such as "│  └─ ".
  /// - Complexity: O(`limit`), or O(level) without one.
  public func treeLine(
    of node: Int,
    style: TreeLineStyle = .unicode,
    limit: Int = .max
  ) -> String {
    guard hierarchy.level(of: node) > 0 else { return "" }
    var parts = [isLastShownSibling(node) ? style.corner : style.branch]
    for ancestor in hierarchy.ancestors(of: node) where hierarchy.parent(of: ancestor) != nil {
      guard parts.count < limit else {
        parts.append(style.ellipsis)
        break
      }
      parts.append(isLastShownSibling(ancestor) ? style.blank : style.through)
    }
    return parts.reversed().joined()
  }
}
