import DirectorySnapshot
import OutlineEngine
import Platform

/// The tree of departments alone: each has an ordinal, its place among all departments in preorder,
/// so that a subtree is a range of ordinals.
struct DepartmentShape: Sendable {
  /// Row of each department, by ordinal.
  let rows: OutlineColumn<UInt32>
  /// Past the last ordinal of each subtree.
  let ends: OutlineColumn<UInt32>
  /// Ordinal of each department, by row.
  let ordinals: [UInt32]

  /// Takes stored columns.
  ///
  /// - Returns: `nil` when they are not of the same length, or a row is not among them.
  /// - Complexity: O(departments).
  init?(rows: OutlineColumn<UInt32>, ends: OutlineColumn<UInt32>) {
    guard rows.count == ends.count, rows.allSatisfy({ Int($0) < rows.count }) else { return nil }
    self.rows = rows
    self.ends = ends
    ordinals = Self.ordinals(of: rows)
  }

  private static func ordinals(of rows: OutlineColumn<UInt32>) -> [UInt32] {
    var ordinals = [UInt32](repeating: 0, count: rows.count)
    for (ordinal, row) in rows.enumerated() { ordinals[Int(row)] = UInt32(ordinal) }
    return ordinals
  }

  /// Works it out.
  ///
  /// - Complexity: O(departments · log departments).
  init(_ parts: SearchColumns) throws(SnapshotError) {
    var places: [(node: Int, row: Int)] = []
    places.reserveCapacity(parts.departments.count)
    for row in 0..<parts.departments.count {
      places.append((try parts.departments.node(of: row), row))
    }
    places.sort { $0.node < $1.node }
    var ends = [UInt32](repeating: 0, count: places.count)
    var open: [(ordinal: Int, end: Int)] = []
    for (ordinal, place) in places.enumerated() {
      while let last = open.last, last.end <= place.node {
        ends[last.ordinal] = UInt32(ordinal)
        open.removeLast()
      }
      open.append((ordinal, try parts.tree.subtree(of: place.node).upperBound))
    }
    for last in open { ends[last.ordinal] = UInt32(places.count) }
    rows = OutlineColumn(places.map { UInt32($0.row) })
    self.ends = OutlineColumn(ends)
    ordinals = Self.ordinals(of: rows)
  }

  var count: Int { rows.count }

  /// The ordinal of the department at a node, or of the first one behind it.
  ///
  /// - Complexity: O(log departments).
  func ordinal(ofNode node: Int, _ parts: SearchColumns) throws(SnapshotError) -> Int {
    try (0..<rows.count).partitionPoint { (ordinal) throws(SnapshotError) in
      try parts.departments.node(of: Int(rows[ordinal])) < node
    }
  }

  /// The ordinals of a department's subtree; always within bounds.
  func subtree(of ordinal: Int) -> Range<Int> {
    ordinal..<max(ordinal + 1, min(Int(ends[ordinal]), rows.count))
  }
}

/// How a term is found in the departments' names, by ordinal.
struct DepartmentMatches: Sendable {
  /// In the department's own name; `none` where it is not.
  let own: [UInt8]
  /// In its own name or that of a department above.
  let path: [UInt8]

  static let none = UInt8.max

  init(own: [UInt8], _ shape: DepartmentShape) {
    self.own = own
    var path = own
    for ordinal in own.indices where own[ordinal] != Self.none {
      // What stands above has been passed down already.
      if ordinal > 0, path[ordinal] < own[ordinal] { continue }
      for below in shape.subtree(of: ordinal).dropFirst() where path[below] > own[ordinal] {
        path[below] = own[ordinal]
      }
    }
    self.path = path
  }

  static func quality(_ value: UInt8) -> MatchQuality? { MatchQuality(rawValue: value) }
}
