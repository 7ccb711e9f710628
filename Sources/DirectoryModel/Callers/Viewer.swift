/// Whose eyes a directory is shown to.
package enum Viewer: Hashable, Sendable {
  /// Whoever reads everything: no rule is asked.
  case everything
  /// A person of the directory; one who is not in it sees nothing.
  case person(UserID)
  /// What is no person, by the name that rules have for it.
  case device(String)
}
