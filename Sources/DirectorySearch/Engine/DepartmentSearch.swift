import DirectorySnapshot
import OutlineEngine

/// The departments whose names have a term, and who is in them and below.
///
/// People of few and small departments are listed; where there are more, each document is asked for
/// its departments.
struct DepartmentSearch {
  private let index: SearchIndex
  private let parts: SearchColumns
  /// For each department the quality in its own name, and in that or a name above; empty as long as
  /// there is none.
  private var own: [UInt8] = []
  private var path: [UInt8] = []
  /// What was found and is not yet in `path`.
  private var pending: [(ordinal: Int, quality: UInt8)] = []
  private var listedPeople = 0
  /// Whether documents must be asked for their departments: not all people were listed.
  private(set) var isOpen = false

  /// People of found departments are listed up to so many.
  private static let mostListedPeople = 4_096

  init(_ index: SearchIndex, _ parts: SearchColumns) {
    self.index = index
    self.parts = parts
  }

  /// How the term is found in the names of departments so far.
  var matches: DepartmentMatches {
    DepartmentMatches(own: own.isEmpty ? none : own, index.shape)
  }

  /// Whether `takePending(_:)` has anything to do.
  func hasPending(_ quality: MatchQuality) -> Bool {
    pending.contains { $0.quality <= quality.rawValue }
  }

  private var none: [UInt8] {
    [UInt8](repeating: DepartmentMatches.none, count: index.shape.count)
  }

  /// Adds a department.
  ///
  /// - Parameters:
  ///   - ordinal: Of the department.
  ///   - quality: How its own name has the term.
  ///   - withPeople: Whether those below it have it too.
  /// - Returns: Whether it was not known to have it so well.
  mutating func insert(_ ordinal: Int, _ quality: MatchQuality, withPeople: Bool) -> Bool {
    if own.isEmpty { own = none }
    guard own[ordinal] > quality.rawValue else { return false }
    own[ordinal] = quality.rawValue
    if withPeople { pending.append((ordinal, quality.rawValue)) }
    return true
  }

  /// Takes in who is in the departments that were added so well or better, and below.
  ///
  /// - Returns: Their documents, of people only as long as not every document must be asked.
  /// - Throws: `SnapshotError.damaged`.
  mutating func takePending(_ limit: MatchQuality) throws(SnapshotError) -> [UInt32] {
    var documents: [UInt32] = []
    guard hasPending(limit) else { return documents }
    if path.isEmpty { path = none }
    let taken = pending.filter { $0.quality <= limit.rawValue }
    pending.removeAll { $0.quality <= limit.rawValue }
    for (ordinal, quality) in taken where path[ordinal] > quality {
      for below in index.shape.subtree(of: ordinal) where path[below] > quality {
        path[below] = quality
        documents.append(try index.departmentDocuments[below])
      }
      if !isOpen { try listPeople(of: ordinal, &documents) }
    }
    return documents
  }

  private mutating func listPeople(
    of ordinal: Int,
    _ documents: inout [UInt32]
  ) throws(SnapshotError) {
    let row = Int(index.shape.rows[ordinal])
    listedPeople += try parts.departments.people(of: row) + 16
    guard listedPeople <= Self.mostListedPeople else {
      isOpen = true
      return
    }
    try index.forEachPerson(below: row, parts) { documents.append($0) }
  }

  /// Forgets what was added.
  mutating func removeAll() {
    own = []
    pending = []
  }

  /// Has exactly these from now on; every document is asked where people are wanted.
  mutating func replace(by matches: DepartmentMatches, withPeople: Bool) {
    (own, path, pending) = (matches.own, matches.path, [])
    isOpen = withPeople && path.contains { $0 != DepartmentMatches.none }
  }

  /// The documents among some of a block that are in such a department or below, so well or better.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func documents(
    _ block: Int,
    among wanted: BlockBitmap,
    _ quality: MatchQuality
  ) throws(SnapshotError) -> BlockBitmap {
    var found = BlockBitmap()
    guard isOpen else { return found }
    let first = block * SearchIndexFormat.blockSize
    let (path, limit) = (path, quality.rawValue)
    try wanted.forEach { (offset) throws(SnapshotError) in
      if try index.anyPlace(of: first + offset, { path[$0] <= limit }) { found.insert(offset) }
    }
    return found
  }
}
