import DirectoryModel
import DirectoryReading
import SiteSettings

/// A caller who asks something of a directory: what every use case for anybody is given.
package struct Session: Sendable {
  package let hub: Hub
  package let caller: Caller
  /// What the person or device is called with whose eyes an administrator looks; `nil` for one's own.
  package let viewerName: String?
  /// The hub's, whose notices go to the caller.
  ///
  /// It shows everything: a use case hands on what the caller sees, and no front takes it
  /// (`scripts/lint`).
  package let site: Site

  /// - Parameters:
  ///   - hub: Of the directory.
  ///   - caller: Who asks.
  ///   - viewerName: With whose eyes an administrator looks.
  ///   - tell: Told what the caller should know and no error is.
  package init(
    _ hub: Hub,
    _ caller: Caller,
    viewerName: String? = nil,
    tell: @escaping @Sendable (Advice) -> Void
  ) {
    (self.hub, self.caller, self.viewerName) = (hub, caller, viewerName)
    site = Site(hub.site, tell: tell)
  }
}

extension Session {
  /// What keys do in the browser, by the configuration.
  package var keys: [KeySetting] { site.settings.keys }
}

/// A caller who may see everything, as anyone who is told of whole lists, backups and faults has
/// to.
package struct Administrator: Sendable {
  package let session: Session

  /// - Parameters:
  ///   - session: Who asks.
  ///   - doing: What is asked for, for the error.
  /// - Throws: `.notPermitted` for a caller from whom anything is hidden.
  package init(_ session: Session, to doing: String) throws(DirectoryError) {
    guard session.caller.viewer == .everything else {
      throw DirectoryError(
        .notPermitted,
        "cannot \(doing): only callers who see the whole directory may do that"
      )
    }
    self.session = session
  }

  package var site: Site { session.site }
}
