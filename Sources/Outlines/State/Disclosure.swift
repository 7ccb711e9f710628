/// The sign in front of a group.
public enum Disclosure: Sendable {
  /// Its children are shown below it.
  case expanded
  /// It has children, and they are hidden.
  case collapsed
  /// It has no children, and so nothing to open; it is a group nevertheless, never a leaf.
  case empty
}
