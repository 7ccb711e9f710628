import DirectoryModel
import DirectorySnapshot
import TextRules

/// A part of a list that is read page by page.
package struct DirectoryPage: Sendable {
  package var rows: [DirectoryRow] = []
  /// Where the next page goes on; `nil` behind the last row.
  package var next: PagePlace?
}

/// The place of a page's last row: a number while the same row has it, otherwise a sort key, so that what
/// came, went or was renamed meanwhile moves no other row to another page.
///
/// Nothing of it says of which state it is.
package struct PagePlace: Codable, Hashable, Sendable {
  /// The order of a node among its siblings.
  fileprivate struct Key: Codable, Hashable, Sendable {
    var isDepartment: Bool
    var order: Int64
    var name: String
    var id: String

    enum CodingKeys: String, CodingKey {
      case isDepartment = "d"
      case order = "o"
      case name = "n"
      case id = "i"
    }
  }

  /// Names the sort key, which may be left out.
  fileprivate let name: UInt64
  fileprivate let node: Int
  /// From the level below the list's department down to the node.
  fileprivate var path: [Key]

  private enum CodingKeys: String, CodingKey {
    case name = "s"
    case node = "p"
    case path = "k"
  }

  fileprivate init(node: Int, path: [Key]) {
    var bytes: [UInt8] = []
    for key in path {
      bytes += "\(key.isDepartment) \(key.order) \(key.name.utf8.count) \(key.name)".utf8
      bytes += "\(key.id.utf8.count) \(key.id)".utf8
    }
    (self.node, self.path) = (node, path)
    name = bytes.withUnsafeBytes { XXHash64.digest($0) }
  }

  /// Without the sort key, for where it is too long: the place is lost where the row has another number.
  package var shortened: PagePlace {
    var place = self
    place.path = []
    return place
  }
}

extension Directory {
  /// What is directly in a department, or at the top level, in order.
  ///
  /// - Parameters:
  ///   - department: `nil` for the top level.
  ///   - place: Where the page before ended; `nil` for the first page.
  ///   - limit: The most rows.
  /// - Returns: Rows with path.
  /// - Throws: `.noInput` for a place that was too deep to be found again in another state.
  /// - Complexity: O(rows of the page · level), whichever page it is; for a place that another row has now
  ///   O(departments beside those on the path) more.
  package func children(
    of department: Node?,
    after place: PagePlace?,
    limit: Int
  ) throws -> DirectoryPage {
    let parent = department.map(position)
    return try page(below: parent, after: place, limit) { node in
      (try tree.parent(of: node) == parent, try tree.subtree(of: node).upperBound)
    }
  }

  /// The people of a department, each once, in the order of the tree.
  ///
  /// - Parameters:
  ///   - department: `nil` for everywhere.
  ///   - recursive: Also those of all departments below.
  ///   - place: As in `children(of:after:limit:)`.
  ///   - limit: The most rows.
  /// - Returns: Rows with path and departments.
  /// - Throws: As `children(of:after:limit:)`.
  /// - Complexity: O(nodes between the first row of the page and the last).
  package func people(
    in department: Node?,
    recursive: Bool,
    after place: PagePlace?,
    limit: Int
  ) throws -> DirectoryPage {
    let parent = department.map(position)
    let range = try range(below: parent)
    return try page(below: parent, after: place, limit) { node in
      guard try !tree.isDepartment(node) else {
        return (false, recursive ? node + 1 : try tree.subtree(of: node).upperBound)
      }
      // Of several leaves of a person the first one in there counts.
      let isFirst =
        try !recursive
        || state.leaves.nodes(of: user(at: node))
          .allSatisfy { $0 >= node || !range.contains($0) }
      return (isFirst, node + 1)
    }
  }

  /// All departments in the order of the tree.
  ///
  /// - Throws: As `children(of:after:limit:)`.
  /// - Complexity: O(nodes between the first row of the page and the last).
  package func departments(after place: PagePlace?, limit: Int) throws -> DirectoryPage {
    try page(below: nil, after: place, limit) { node in (try tree.isDepartment(node), node + 1) }
  }

  private func range(below parent: Int?) throws(SnapshotError) -> Range<Int> {
    guard let parent else { return 0..<tree.count }
    return try tree.subtree(of: parent).dropFirst()
  }

  /// Walks from a place on; `step` tells whether a node is a row, and the node that is looked at behind it.
  private func page(
    below parent: Int?,
    after place: PagePlace?,
    _ limit: Int,
    _ step: (Int) throws -> (isRow: Bool, next: Int)
  ) throws -> DirectoryPage {
    let range = try range(below: parent)
    var (page, last): (DirectoryPage, Int?) = (DirectoryPage(), nil)
    var node = range.lowerBound
    if let place {
      let (found, isItself) = try self.node(at: place, below: parent, in: range)
      node = isItself ? try step(found).next : found
    }
    while node < range.upperBound {
      let (isRow, next) = try step(node)
      if isRow {
        if let last, page.rows.count == limit {
          page.next = try self.place(of: last, below: parent)
          break
        }
        page.rows.append(try listRow(at: node))
        last = node
      }
      node = next
    }
    return page
  }

  private func place(of node: Int, below parent: Int?) throws(SnapshotError) -> PagePlace {
    var path: [PagePlace.Key] = []
    var next: Int? = node
    while let at = next, at != parent {
      path.append(try key(of: at))
      next = try tree.parent(of: at)
    }
    return PagePlace(node: node, path: path.reversed())
  }

  private func key(of node: Int) throws(SnapshotError) -> PagePlace.Key {
    let sibling = try sibling(at: node)
    return PagePlace.Key(
      isDepartment: sibling.kind == .department,
      order: sibling.sortOrder,
      name: sibling.name,
      id: sibling.id
    )
  }

  /// The node where a page ended, in this state, or the first one behind where it would be.
  private func node(
    at place: PagePlace,
    below parent: Int?,
    in range: Range<Int>
  ) throws -> (node: Int, isItself: Bool) {
    if range.contains(place.node),
      try self.place(of: place.node, below: parent).name == place.name
    {
      return (place.node, true)
    }
    guard !place.path.isEmpty else {
      throw DirectoryError(.noInput, "the place where the list ended cannot be found again")
    }
    let collator = try Collator(locale: locale)
    var (parent, range) = (parent, range)
    for key in place.path {
      let order = SiblingOrder(key, collator)
      guard let found = try first(in: range, of: parent, notBefore: order, collator) else {
        return (range.upperBound, false)
      }
      guard try order.compare(self.key(of: found), collator) == 0 else { return (found, false) }
      (parent, range) = (found, try tree.subtree(of: found).dropFirst())
    }
    // The path is not empty: its last node was found.
    return (parent ?? range.lowerBound, true)
  }

  /// The first child of a department that does not stand before a key.
  private func first(
    in range: Range<Int>,
    of parent: Int?,
    notBefore order: SiblingOrder,
    _ collator: borrowing Collator
  ) throws -> Int? {
    var node = range.lowerBound
    while node < range.upperBound, try tree.isDepartment(node) {
      // What is unplaced stands behind everything.
      let isLast = try parent == nil && isUnplacedGroup(node)
      if try isLast || order.compare(key(of: node), collator) <= 0 { return node }
      node = try tree.subtree(of: node).upperBound
    }
    // People are the rest, each of them one node.
    var end = range.upperBound
    while node < end {
      let middle = (node + end) / 2
      if try order.compare(key(of: middle), collator) > 0 {
        node = middle + 1
      } else {
        end = middle
      }
    }
    return node < range.upperBound ? node : nil
  }

  /// Whether a node of the top level is the department of what has no place.
  private func isUnplacedGroup(_ node: Int) throws(SnapshotError) -> Bool {
    guard unplacedCount > 0, try tree.subtree(of: node).upperBound == tree.count else {
      return false
    }
    return try tree.unplaced(at: 0).node > node
  }
}

/// Where a key stands among siblings: departments before people, then order, name and id.
private struct SiblingOrder {
  private let key: PagePlace.Key
  private let name: [UInt8]

  init(_ key: PagePlace.Key, _ collator: borrowing Collator) {
    self.key = key
    name = Self.sortKey(of: key.name, collator)
  }

  /// - Returns: Below 0 where this stands before the other key, 0 where it is the same.
  func compare(_ other: PagePlace.Key, _ collator: borrowing Collator) -> Int {
    if key.isDepartment != other.isDepartment { return key.isDepartment ? -1 : 1 }
    if key.order != other.order { return key.order < other.order ? -1 : 1 }
    let names = Self.compare(name, Self.sortKey(of: other.name, collator))
    return names != 0 ? names : Self.compare(key.id.utf8, other.id.utf8)
  }

  private static func sortKey(of name: String, _ collator: borrowing Collator) -> [UInt8] {
    var (bytes, text): ([UInt8], [UInt8]) = ([], Array(name.utf8))
    text.withUnsafeBytes { collator.appendKey(of: $0, to: &bytes) }
    return bytes
  }

  private static func compare(
    _ left: some Sequence<UInt8>,
    _ right: some Sequence<UInt8>
  ) -> Int {
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}

extension DirectoryOutline {
  /// Writes rows with all their details, and where each stands among its siblings.
  ///
  /// - Parameters:
  ///   - rows: Numbers of rows; clamped to those there are.
  ///   - format: One of those that need nothing but rows.
  ///   - bytes: Appended to.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(rows · log nodes).
  package func write(_ rows: Range<Int>, as format: RowFormat, to bytes: inout [UInt8]) throws {
    var stream = RowStream(format)
    let reader = try RowReader(
      directory,
      withContacts: true,
      withPaths: false,
      withFamily: true
    )
    let places = rows.clamped(to: 0..<rowCount).map { place(atRow: $0) }
    try reader.forEachRow(at: places) { try stream.append($0, to: &bytes) }
    try stream.finish(to: &bytes)
  }
}

extension Directory {
  /// The card of a person, or of the viewer whose own places are hidden.
  ///
  /// - Returns: `nil` for a person who is not there.
  /// - Throws: As `card(at:)`.
  package func card(of person: UserID) throws -> DirectoryRow? {
    if let node = try node(of: .person(person)) { return try card(at: node) }
    return overlay?.me == person ? try ownCard() : nil
  }

  /// The same as a vCard, of version 4.0.
  package func vCard(of person: UserID) throws -> String? {
    if let node = try node(of: .person(person)) { return try vCard(at: node) }
    return overlay?.me == person ? try ownVCard() : nil
  }

  /// The departments above a node, the outermost first.
  ///
  /// - Complexity: O(level).
  package func departments(above node: Node) throws(SnapshotError) -> [DirectoryRow] {
    var rows: [DirectoryRow] = []
    for node in try tree.ancestors(of: position(of: node)).reversed() {
      rows.append(try row(at: node))
    }
    return rows
  }
}
