import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Hands on the places that a request shows, in order.
  ///
  /// - Parameters:
  ///   - request: Which rows.
  ///   - withFolded: Also what lies below closed departments, for formats that open and close; not
  ///     with a filter, which leaves nothing closed but what it hides.
  ///   - body: Gets one place after the other.
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(rows).
  func forEachPlace(
    of request: TreeRequest,
    withFolded: Bool = false,
    _ body: (TreePosition) throws -> Void
  ) throws {
    if request.filter != nil || !request.only.isEmpty {
      return try forEachFilteredPlace(of: request, body)
    }
    let isOpen = try openDepartments(of: request)
    let deepest = request.depth ?? .max
    var rows = try TreeRows(tree, below: request.root.map(position))
    // Past the last node of the outermost closed department.
    var foldEnd = 0
    // What the request leaves out below its depth is not walked over either.
    while var place = try rows.next(isOpen: { $1 < deepest && (withFolded || isOpen($0, $1)) }) {
      let closes = withFolded && place.hasRowsBelow && !isOpen(place.node, place.depth)
      place.isFolded = place.node < foldEnd
      if closes, !place.isFolded { foldEnd = try tree.subtree(of: place.node).upperBound }
      guard shows(place.isDepartment, request.kinds) else { continue }
      place.isLastSibling = try isLastShown(place, kinds: request.kinds)
      if closes { place.disclosure = .collapsed }
      // Departments come before people.
      if place.hasRowsBelow, request.kinds != .everything {
        place.hasRowsBelow = try tree.isDepartment(place.node + 1)
      }
      try body(place)
    }
  }

  /// Which departments of a request are open, by node and depth; the root that it names is.
  private func openDepartments(of request: TreeRequest) throws -> (Int, Int) -> Bool {
    switch request.opening {
    case .all: return { _, _ in true }
    case .levels(let levels):
      let hasRoot = request.root != nil
      return { $1 < levels || hasRoot && $1 == 0 }
    case .view(let view):
      var open = Set(try view.nodes(in: self).open)
      if let root = request.root { open.insert(position(of: root)) }
      return { node, _ in open.contains(node) }
    }
  }

  private func shows(_ isDepartment: Bool, _ kinds: TreeRequest.Kinds) -> Bool {
    switch kinds {
    case .everything: true
    case .departments: isDepartment
    case .people: !isDepartment
    }
  }

  /// Departments come before people, so without people the last department is the last row.
  private func isLastShown(
    _ place: TreePosition,
    kinds: TreeRequest.Kinds
  ) throws(SnapshotError) -> Bool {
    guard !place.isLastSibling, kinds == .departments else { return place.isLastSibling }
    return try !tree.isDepartment(tree.subtree(of: place.node).upperBound)
  }

  /// Places that match a query or are asked for by themselves, and every ancestor of a match, opened.
  ///
  /// A matching department none of whose descendants match stays closed.
  private func forEachFilteredPlace(
    of request: TreeRequest,
    _ body: (TreePosition) throws -> Void
  ) throws {
    var matches =
      try request.filter.map {
        try self.matches(for: $0, root: request.root, deadline: request.deadline)
      }
      ?? matches(exactly: request.only)
    // Only departments: then a person who matches leads nowhere.
    if request.kinds == .departments { matches = try matches.filter { try tree.isDepartment($0) } }
    var outline = try DirectoryOutline(self, SavedView())
    outline.setFilter(matches)
    try outline.forEachPlace(below: request.root.map(position)) { place in
      guard shows(place.isDepartment, request.kinds), place.depth <= request.depth ?? .max else {
        return
      }
      var place = place
      if place.depth == request.depth, place.hasRowsBelow {
        place.hasRowsBelow = false
        place.disclosure = .collapsed
      }
      try body(place)
    }
  }
}
