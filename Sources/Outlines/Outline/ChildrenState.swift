/// Whether the children of a group are there.
public enum ChildrenState: Sendable {
  /// They are; of a group without any there are none.
  case loaded
  /// They were not asked for yet.
  case notLoaded
  /// They are on their way.
  case loading
  /// They did not come; they can be asked for again.
  case failed(any Error)

  /// Whether there is nothing to load.
  ///
  /// - Complexity: O(1).
  public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }

  /// Whether both look alike in a row; two failures may have different reasons.
  func looksLike(_ other: ChildrenState) -> Bool {
    switch (self, other) {
    case (.loaded, .loaded), (.notLoaded, .notLoaded), (.loading, .loading): true
    default: false
    }
  }
}
