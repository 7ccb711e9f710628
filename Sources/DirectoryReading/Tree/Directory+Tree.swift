import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Lends the rows that a request shows, in order, each for the time of a call of `body`.
  ///
  /// `tree` and `export` go by the same rows, so that what is exported is what was seen. Without
  /// details only what is handed on is read, whatever the size of the directory.
  ///
  /// - Parameters:
  ///   - request: Which rows, and how much of each.
  ///   - withFolded: Also what lies below closed departments; not with a filter.
  ///   - withPaths: Whether rows with details carry the names above them.
  ///   - body: Gets one row after the other.
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(rows); with details the columns are proved first, where they were not verified
  ///   before.
  package func forEachRow(
    of request: TreeRequest,
    withFolded: Bool = false,
    withPaths: Bool = false,
    _ body: (RowFields) throws -> Void
  ) throws {
    guard request.withDetails else {
      try forEachPlace(of: request, withFolded: withFolded) { try lendLabel(at: $0, body) }
      return
    }
    let reader = try RowReader(
      self,
      withContacts: request.withContacts,
      withPaths: withPaths,
      withOrder: request.withOrder
    )
    var places: [TreePosition] = []
    try forEachPlace(of: request, withFolded: withFolded) { place in
      places.append(place)
      guard places.count == RowReader.batchSize else { return }
      try reader.forEachRow(at: places, body)
      places.removeAll(keepingCapacity: true)
    }
    try reader.forEachRow(at: places, body)
  }

  /// Lends what a drawn tree shows of a row: all else is left out, and the id is empty.
  func lendLabel(at place: TreePosition, _ body: (RowFields) throws -> Void) throws {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    let reason = try tree.unplacedCount > 0 ? tree.unplacedReason(of: place.node) : nil
    func lend(_ row: consuming RowFields) throws {
      row.place = place
      row.disclosure = place.disclosure
      row.unplacedReason = reason
      try body(row)
    }
    let record = try tree.record(of: place.node)
    guard !place.isDepartment else {
      let people = try departments.people(of: record)
      try departments.names.lend(at: record) { name in
        var row = RowFields(kind: .department, id: nothing, name: name)
        row.people = people
        try lend(row)
      }
      return
    }
    let leads = try memberships.leads(record)
    try users.names.lend(at: memberships.user(of: record)) { name in
      var row = RowFields(kind: .user, id: nothing, name: name)
      row.leads = leads
      guard reason == nil else {
        var title = try withReason(memberships.titles[record], of: place.node)
        return try title.withUTF8 {
          row.title = UnsafeRawBufferPointer($0)
          try lend(row)
        }
      }
      try memberships.titles.lend(at: record) { title in
        row.title = title
        try lend(row)
      }
    }
  }
}
