/// Who is meant to have done a change, and why: what history notes beside the database's own user.
package struct Authorship: Hashable, Sendable {
  /// `STAFFBOOK_ACTOR`, else the account that runs the program; empty where that is unknown.
  package var actor: String
  /// What `-m` said; empty where nothing was said.
  package var reason: String

  /// Unicode scalars in an actor, and in a reason; what is longer is cut.
  package static let actorScalars = 1_000
  package static let reasonScalars = 10_000

  /// - Parameters:
  ///   - actor: Who; blanks around it do not count.
  ///   - reason: Why.
  package init(actor: String = "", reason: String = "") {
    self.actor = Self.settled(actor, Self.actorScalars)
    self.reason = Self.settled(reason, Self.reasonScalars)
  }

  /// PostgreSQL has no text with U+0000.
  private static func settled(_ text: String, _ limit: Int) -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace || $0.value == 0 }
    let trimmed = text.unicodeScalars.drop(while: isBlank)
    let end = trimmed.lastIndex { !isBlank($0) }.map { trimmed.index(after: $0) }
    let kept = trimmed[..<(end ?? trimmed.startIndex)].lazy.filter { $0.value != 0 }
    return kept.prefix(limit).reduce(into: "") { $0.unicodeScalars.append($1) }
  }
}
