import OutlineEngine

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
  @inlinable public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }
}

extension ChildrenState: Equatable {
  /// Whether both say the same; two failures do when their errors are equal, or, of errors that
  /// cannot be compared, when type and description are the same.
  ///
  /// - Complexity: O(1), and what comparing two errors takes.
  public static func == (first: ChildrenState, second: ChildrenState) -> Bool {
    switch (first, second) {
    case (.loaded, .loaded), (.notLoaded, .notLoaded), (.loading, .loading): true
    case (.failed(let first), .failed(let second)): isSame(first, second)
    default: false
    }
  }

  private static func isSame(_ first: any Error, _ second: any Error) -> Bool {
    guard let comparable = first as? any Equatable else {
      return type(of: first) == type(of: second)
        && String(reflecting: first) == String(reflecting: second)
    }
    return isEqual(comparable, second)
  }

  private static func isEqual<Failure: Equatable>(_ first: Failure, _ second: any Error) -> Bool {
    second as? Failure == first
  }
}
