extension OutlineState {
  /// What of the things that must always hold does not; for tests.
  ///
  /// - Complexity: O(n).
  package func brokenInvariants() -> [String] {
    var broken: [String] = []
    do {
      try hierarchy.validate()
    } catch {
      broken.append("\(error)")
    }
    func demand(_ part: BitVector, isIn whole: BitVector, _ what: String) {
      if !part.subtracting(whole).isClear { broken.append(what) }
    }
    demand(open, isIn: groups, "an open leaf")
    if let pinned { demand(pinned, isIn: open, "an always open group that is closed") }
    if let filter {
      demand(filter.open, isIn: groups, "an open leaf in the filter")
      demand(filter.matches.union(filter.ancestors), isIn: filter.shown, "a hidden match")
      demand(
        filter.openedByHand,
        isIn: filter.open.intersection(filter.shown),
        "a group opened by hand that is not open"
      )
      let apart = filter.open.symmetricDifference(open)
      demand(apart, isIn: filter.shown, "a group outside the filter that is not as without it")
      if let pinned { demand(pinned, isIn: filter.open, "always open and closed by the filter") }
    }
    var anew = self
    anew.showAll()
    if anew.visible != visible { broken.append("other rows than what is open and shown makes") }
    return broken
  }
}
