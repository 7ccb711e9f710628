import OutlineEngine

extension Outline {
  /// What of the things that must always hold does not; for tests.
  ///
  /// - Complexity: O(n).
  package func brokenInvariants() -> [String] {
    var broken = state.brokenInvariants()
    if values.count != hierarchy.count { broken.append("another number of values than of nodes") }
    if index.count != values.count { broken.append("another number of ids than of values") }
    if !values.indices.allSatisfy({ position(of: values[$0].id) == $0 }) {
      broken.append("an id that leads elsewhere")
    }
    if !unloaded.keys.allSatisfy({ contains($0) }) {
      broken.append("an unloaded group that does not exist")
    }
    return broken
  }
}
