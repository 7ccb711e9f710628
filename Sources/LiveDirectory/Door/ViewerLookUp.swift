import DirectoryModel
import DirectoryReading

/// A viewer, and what it is called.
package struct ViewerName: Sendable {
  package var viewer: Viewer
  package var name: String
}

/// Lets administrators look with the eyes of others.
package struct ViewerLookUp: Sendable {
  private let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  /// Whom a name means as a viewer: one person, or a device as `device:NAME`.
  ///
  /// - Throws: `.notFound` where it means no person, or several; `.notPermitted` for callers
  ///   who are not members of `staffbook_admin`.
  package func viewer(_ who: String) async throws -> ViewerName {
    try await viewer(who, in: DirectoryOpener(session).directory())
  }

  private func viewer(_ who: String, in directory: Directory) throws -> ViewerName {
    guard session.site.snapshots.isAdministrator else {
      throw DirectoryError(
        .notPermitted,
        "cannot show what \(who) sees: the rules are for members of staffbook_admin",
        advice: "if you have become one, run: \(.sync)"
      )
    }
    if who.hasPrefix("device:") {
      let name = String(who.dropFirst("device:".count))
      return ViewerName(viewer: .device(name), name: "the device \(name)")
    }
    let row = try directory.listRow(at: directory.theNode(of: who, .user))
    return ViewerName(viewer: .person(UserID(row.id)), name: row.name)
  }

  /// How a program that signs people in names them.
  package enum SignedInName: Sendable {
    case id(String)
    /// Compared as it is, as `Directory.person(withAddress:)` does.
    case address(String)
  }

  /// A person who is signed in, by the id and behind it.
  package struct SignedInPerson: Hashable, Sendable {
    package var id: UserID
    /// `nil` where the state does not tell it.
    package var identity: RecordIdentity?
  }

  /// The one person who is signed in by a name.
  ///
  /// - Returns: `nil` for no person, and for several.
  /// - Throws: As `DirectoryOpener.directory(notBefore:)`.
  package func person(signedInAs name: SignedInName) throws -> SignedInPerson? {
    guard let directory = try DirectoryOpener(session).directory(notBefore: nil)?.directory else {
      return nil
    }
    let found: UserID?
    switch name {
    case .id(let id): found = try directory.node(of: .person(UserID(id))).map { _ in UserID(id) }
    case .address(let address): found = try directory.person(withAddress: address)
    }
    guard let id = found else { return nil }
    return SignedInPerson(id: id, identity: try directory.identity(of: .user(id)))
  }

  /// Whether nobody else has a person's id in the state in place.
  ///
  /// - Parameters:
  ///   - viewer: Who was let in.
  ///   - identity: The person behind the id; `nil` where the id alone counts.
  /// - Returns: `true` also for an id that nobody has.
  /// - Throws: As `DirectoryOpener.directory(notBefore:)`.
  package func hasID(_ viewer: Viewer, _ identity: RecordIdentity?) throws -> Bool {
    guard case .person(let id) = viewer, let identity,
      let directory = try DirectoryOpener(session).directory(notBefore: nil)?.directory,
      let holder = try directory.identity(of: .user(id))
    else { return true }
    return holder == identity
  }

  /// The same directory as a viewer sees it.
  ///
  /// - Parameter who: As `viewer(_:)`.
  /// - Returns: A session of the viewer.
  /// - Throws: As `viewer(_:)`.
  package func session(as who: String) async throws -> Session {
    try await session(of: viewer(who))
  }

  /// The same for a question in passing: nothing is made, mended or told for it.
  ///
  /// - Returns: `nil` where there is no snapshot, or the caller may not look with these eyes.
  package func sessionAtHand(as who: String) -> Session? {
    guard let directory = DirectoryOpener(session).directoryAtHand() else { return nil }
    return (try? viewer(who, in: directory)).map(session)
  }

  private func session(of viewer: ViewerName) -> Session {
    var caller = session.caller
    caller.viewer = viewer.viewer
    if case .person(let id) = viewer.viewer { caller.me = id.rawValue }
    return Session(session.hub, caller, viewerName: viewer.name, tell: session.site.tell)
  }
}
