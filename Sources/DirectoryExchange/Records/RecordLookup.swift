import DirectoryModel

/// What writers of records look up beyond the row they are handed.
///
/// That is a person's other places, a department's members and the way to the root; of the places
/// and members only those that are written count. A node is a number: a department's, or that of one
/// place of a person.
package protocol RecordLookup {
  /// People have numbers from 0 to below this.
  var personCount: Int { get }

  /// Whether the row of a node is written.
  func isWritten(_ node: Int) -> Bool
  /// Calls `body` for every node whose row is written, in the order of the tree.
  func forEachWritten(_ body: (Int) throws -> Void) throws

  func isDepartment(_ node: Int) throws -> Bool
  /// Why a node has no place in its source's own tree; `nil` for all others.
  func unplacedReason(of node: Int) throws -> String?
  /// Number of departments above.
  func level(of node: Int) throws -> Int
  /// The department above, written or not.
  func department(above node: Int) throws -> Int?
  /// Calls `body` for every node directly below a department, in order.
  func forEachChild(of department: Int, _ body: (Int) throws -> Void) throws
  /// `nil` where it is hidden.
  func sortOrder(of node: Int) throws -> Int64?
  /// Calls `body` with id or name, or of a person's place its title or one of the person's contact
  /// fields, borrowed.
  func withText(
    _ text: RecordColumn,
    of node: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws

  /// The number of the person at a place.
  func person(at place: Int) throws -> Int
  /// One of the places of a person.
  func place(ofPerson id: String) throws -> Int?
  /// All places of the person at one of them, in the order of the tree.
  func allPlaces(ofPersonAt place: Int) throws -> [Int]
  func isPrimary(_ place: Int) throws -> Bool
  func leads(_ place: Int) throws -> Bool
  /// Calls `body` with the person's values of declared fields, as `FieldValues` has them.
  func withValues(
    ofPersonAt place: Int,
    _ body: (UnsafeRawBufferPointer?) throws -> Void
  ) throws
}

extension RecordLookup {
  /// The first written place of a person; `nil` where there is none.
  func writtenPlace(ofPerson id: String) throws -> Int? {
    guard let place = try place(ofPerson: id) else { return nil }
    return try places(ofPersonAt: place).first
  }

  /// The written places of the person at a place: the one of the primary membership first, then in
  /// the order of the tree.
  ///
  /// - Complexity: O(memberships of the person).
  func places(ofPersonAt place: Int) throws -> [Int] {
    var places: [Int] = []
    for place in try allPlaces(ofPersonAt: place) where isWritten(place) {
      if try isPrimary(place) { places.insert(place, at: 0) } else { places.append(place) }
    }
    return places
  }

  /// The place of the primary membership of the person at a place, written or not.
  func primaryPlace(ofPersonAt place: Int) throws -> Int {
    for own in try allPlaces(ofPersonAt: place) where try isPrimary(own) { return own }
    return place
  }

  /// The primary department of the person at a place, where the place there is not written.
  ///
  /// A part of a directory then says that the person is at home elsewhere.
  func primaryDepartmentElsewhere(ofPersonAt place: Int) throws -> Int? {
    let primary = try primaryPlace(ofPersonAt: place)
    return isWritten(primary) ? nil : try department(above: primary)
  }

  /// The nearest department above that is written; `nil` where there is none.
  func writtenDepartment(above node: Int) throws -> Int? {
    var above = try department(above: node)
    while let ancestor = above, !isWritten(ancestor) { above = try department(above: ancestor) }
    return above
  }

  /// The departments from the root down to one, itself included, of a long way the root and the last
  /// ones alone.
  ///
  /// - Complexity: O(level), and O(`longest`) memory.
  func way(to department: Int, longest: Int) throws -> [Int] {
    var way: [Int] = []
    var node: Int? = department
    while let current = node {
      if way.count == longest { way[longest - 1] = current } else { way.append(current) }
      node = try self.department(above: current)
    }
    return way.reversed()
  }
}
