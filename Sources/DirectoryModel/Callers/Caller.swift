import Platform

/// Who asks: whose eyes these are, and on whose record they act.
///
/// Every use case is handed one, and nothing of it belongs to the process.
package struct Caller: Hashable, Sendable {
  package var viewer: Viewer
  /// The person who is the viewer, behind the id: a state in which another person has it shows nothing;
  /// `nil` where the id alone counts.
  package var identity: RecordIdentity?
  /// The id, name or address of the person who asks; `nil` where that is not given.
  package var me: String?
  /// Who is recorded for what the caller changes; empty where that is unknown.
  package var actor: String
  /// By which times are told and understood.
  package var zone: Zone

  package init(
    viewer: Viewer,
    identity: RecordIdentity? = nil,
    me: String? = nil,
    actor: String = "",
    zone: Zone = .utc
  ) {
    self.viewer = viewer
    self.identity = identity
    self.me = me
    self.actor = actor
    self.zone = zone
  }

  /// What history notes of something that the caller does.
  ///
  /// - Parameter reason: What was said about it; `nil` for nothing.
  /// - Returns: The actor and the reason.
  package func authorship(reason: String?) -> Authorship {
    Authorship(actor: actor, reason: reason ?? "")
  }
}

/// Whose eyes a directory is shown to.
package enum Viewer: Hashable, Sendable {
  /// A viewer who sees everything: no rule applies.
  case everything
  /// A person of the directory; one who is not in it sees nothing.
  case person(UserID)
  /// What is not a person, by the name that rules have for it.
  case device(String)
}
