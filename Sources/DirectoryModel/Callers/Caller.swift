import Platform

/// Who asks: whose eyes these are, and on whose record they act.
///
/// Every use case is handed one, and nothing of it belongs to the process.
package struct Caller: Hashable, Sendable {
  package var viewer: Viewer
  /// The id, name or address of the person who asks; `nil` for nobody in particular.
  package var me: String?
  /// Who is on record for what the caller changes; empty where nobody knows.
  package var actor: String
  /// By which times are told and understood.
  package var zone: Zone
  /// By which names that the caller sees are ordered; `nil` for the directory's own locale.
  package var locale: String?

  package init(
    viewer: Viewer,
    me: String? = nil,
    actor: String = "",
    zone: Zone = .utc,
    locale: String? = nil
  ) {
    self.viewer = viewer
    self.me = me
    self.actor = actor
    self.zone = zone
    self.locale = locale
  }

  /// What history notes of something that the caller does.
  ///
  /// - Parameter reason: What was said about it; `nil` for nothing.
  /// - Returns: The actor and the reason.
  package func authorship(reason: String?) -> Authorship {
    Authorship(actor: actor, reason: reason ?? "")
  }
}
