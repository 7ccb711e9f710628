import DirectoryModel
import DirectorySnapshot

/// Who is looking: which nodes and which fields of a directory are there for somebody.
///
/// What is hidden is not there, for no question: a directory that is opened for a restricted viewer
/// reads an excerpt of the snapshot (`DirectorySnapshot.excerpt(_:)`), which holds what the viewer may
/// see and nothing else. So no reader has to remember to ask, and what a count, a suggestion, the order
/// of hits or the time of a look-up could tell is what a directory of these records alone would tell.
///
/// Making the excerpt takes a look at the whole snapshot, and searches of it have no index: who serves
/// many questions of one viewer keeps the directory. Everybody reads the snapshot as it is.
package struct Viewer: Sendable {
  /// A place in the tree.
  package enum Node: Sendable {
    /// With everything below.
    case department(DepartmentID)
    /// One membership; a person all of whose places are hidden is not there.
    case place(of: UserID, in: DepartmentID)
  }

  /// For whom everything is there.
  package static let everybody = Viewer(nil)

  /// `nil` where nothing is hidden.
  private let mask: SnapshotMask?

  private init(_ mask: SnapshotMask?) { self.mask = mask }

  /// A viewer for whom something is not there.
  ///
  /// - Parameters:
  ///   - users: Names of hidden fields of people, built in (`title`, `ContactField.keys`) or
  ///     declared.
  ///   - departments: Names of hidden fields of departments, built in (`description`) or declared.
  ///   - hides: Whether a node is hidden. It is not asked about what lies below hidden departments; by
  ///     id, so that it holds for every state of the directory.
  /// - Precondition: `name` is no hidden field: a record without one is none.
  package init(
    hidingFieldsOfUsers users: Set<String> = [],
    ofDepartments departments: Set<String> = [],
    nodes hides: @escaping @Sendable (Node) -> Bool = { _ in false }
  ) {
    precondition(!users.union(departments).contains("name"), "a record has a name")
    let fields =
      users.map { SnapshotMask.Field(.user, $0) }
      + departments.map { SnapshotMask.Field(.department, $0) }
    mask = SnapshotMask(
      hidingFields: Set(fields),
      departments: { hides(.department($0)) },
      places: { hides(.place(of: $0, in: $1)) }
    )
  }

  /// What is there of a snapshot, and what searches of that go by.
  func view(
    of snapshot: DirectorySnapshot,
    _ support: SearchSupport
  ) throws(SnapshotError) -> (DirectorySnapshot, SearchSupport) {
    guard let mask else { return (snapshot, support) }
    // The index beside the snapshot is of everything.
    return (try snapshot.excerpt(mask), SearchSupport(phones: support.phones))
  }
}
