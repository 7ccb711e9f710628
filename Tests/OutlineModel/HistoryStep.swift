import Seeds

/// The kinds of steps of a history.
package enum HistoryStep: String, CaseIterable {
  case expand, collapse, forget, toggle, expandMany, collapseMany, accordion
  case expandSubtree, collapseSubtree, expandAll, collapseAll, hideAll, toLevel, reveal
  case pin, unpin
  case filter, filterPositions, cancelFilter, clearFilter
  case insert, insertMany, remove, move, update, reorder, refused, batch, refusedBatch
  case insertSubtree, replaceSubtree
  case sort, reload, notLoaded, beginLoading, load, failLoading, readAgain, failReading

  /// Whether every row that is redrawn looks different.
  var isExact: Bool { [.insert, .insertMany, .remove].contains(self) }

  /// How often a kind comes compared with the others.
  private var weight: Int {
    switch self {
    case .expand, .toggle, .collapse: 8
    case .insert, .move, .remove: 7
    case .filter, .batch, .reveal, .expandSubtree, .update, .reorder: 4
    case .expandMany, .collapseMany, .accordion, .insertMany, .clearFilter, .forget: 3
    case .sort, .cancelFilter, .reload: 1
    default: 2
    }
  }

  private static let all = allCases.flatMap { Array(repeating: $0, count: $0.weight) }

  static func random(using generator: inout SeededGenerator) -> HistoryStep {
    all[Int.random(in: all.indices, using: &generator)]
  }
}
