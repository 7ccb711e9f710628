import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

/// How many rows an export wrote.
package struct ExportCount: Sendable, Equatable {
  package var rows = 0
  /// Those of them that lie below closed departments.
  package var folded = 0

  package init() {}
}

extension Directory {
  /// Writes the rows of a request, piece by piece.
  ///
  /// In a format that opens and closes by itself (`RowFormat.folds`) what lies below closed
  /// departments goes along, closed, when the request asks for it (`withFolded`).
  ///
  /// - Parameters:
  ///   - request: The rows.
  ///   - format: Any but `text`, which a front draws from `forEachRow(of:_:)`.
  ///   - options: What was chosen about the format.
  ///   - withFolded: Whether what lies below closed departments goes along.
  ///   - forTerminal: Whether what a terminal would act upon is made visible.
  ///   - pass: Takes the bytes there are, and empties them.
  /// - Returns: The number of rows.
  /// - Throws: What `pass` throws, that the snapshot is damaged, or `DirectoryError` when the format
  ///   cannot carry a row.
  /// - Complexity: O(rows) time; O(1) memory but for a bit or a few bytes a node in `vcard` and
  ///   `ldif`. An archive (`xlsx`) lies in a temporary file until the last row is written.
  package func write(
    _ request: TreeRequest,
    as format: RowFormat,
    _ options: ExportOptions = ExportOptions(),
    withFolded: Bool = false,
    forTerminal: Bool = false,
    pass: (inout [UInt8]) throws -> Void
  ) throws -> ExportCount {
    var options = options
    options.fields = declaredFields
    options.hasLeads = try memberships.hasLeads
    let (ofDepartments, ofUsers) = (hiddenFields(of: .department), hiddenFields(of: .user))
    options.hidden = ofDepartments.union(ofUsers)
    // One column is of both.
    if ofDepartments.contains("sort_order") != ofUsers.contains("sort_order") {
      options.hidden.remove("sort_order")
    }
    var stream = RowStream(
      try encoder(of: format, options, for: request, withFolded, forTerminal: forTerminal)
    )
    // A pager decides by lines.
    let piece = forTerminal ? 1 : Self.pieceSize
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * piece)
    var count = ExportCount()
    try forEachRow(
      of: request.detailed,
      withFolded: withFolded,
      withPaths: format.hasPaths
    ) { row in
      if row.place.isFolded { count.folded += 1 }
      try stream.append(row, to: &bytes)
      if bytes.count >= piece { try pass(&bytes) }
    }
    try stream.finish(to: &bytes)
    repeat { try pass(&bytes) } while try stream.appendRest(to: &bytes)
    count.rows = stream.rowCount
    return count
  }

  private static var pieceSize: Int { 64 * 1_024 }

  private func encoder(
    of format: RowFormat,
    _ options: ExportOptions,
    for request: TreeRequest,
    _ withFolded: Bool,
    forTerminal: Bool
  ) throws -> any RowEncoder {
    switch format {
    case .xlsx:
      return try WorkbookEncoder(
        deepestLevel: try nodes(of: request, withFolded: withFolded).deepest,
        options.extraColumns
      )
    case .vcard:
      let records = try recordLookup(of: request)
      let encoder = VCardEncoder(
        options.isVCard3 ? .v3 : .v4,
        records,
        fields: options.fields,
        exact: options.isExactVCard
      )
      return forTerminal ? VisibleLineEncoder(encoder) : encoder
    case .ldif:
      let base = try LDIFBase(options.ldifBase)
      let records = try recordLookup(of: request)
      let encoder = try LDIFEncoder(base, records, fields: options.fields)
      return forTerminal ? VisibleLineEncoder(encoder) : encoder
    case .markdown:
      return MarkdownEncoder(fields: options.fields) { try personName($0) ?? $0 }
    case .html:
      return HTMLEncoder(title: options.title, fields: options.fields) { try personName($0) ?? $0 }
    default: return RowStream.encoder(of: format, options, forTerminal: forTerminal)
    }
  }

  /// The vCard of the person at a leaf, of version 4.0, for other programs.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func vCard(at leaf: Node) throws -> String {
    let leaf = position(of: leaf)
    if let overlay, let me = overlay.me, try state.userIndex.row(of: me.rawValue) == user(at: leaf),
      let own = try ownVCard()
    {
      return own
    }
    var place = TreePosition()
    place.node = leaf
    var nodes = NodeSet(count: tree.count)
    nodes.insert(leaf, depth: 0)
    let source = try SnapshotRecords(self, written: nodes)
    var stream = RowStream(VCardEncoder(.v4, source, fields: declaredFields))
    let reader = try RowReader(self, withContacts: true, withPaths: RowFormat.vcard.hasPaths)
    var bytes: [UInt8] = []
    try reader.forEachRow(at: [place]) { try stream.append($0, to: &bytes) }
    try stream.finish(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What writers of records look up, for the nodes that a request shows.
  private func recordLookup(of request: TreeRequest) throws -> SnapshotRecords {
    try SnapshotRecords(self, written: nodes(of: request))
  }

  /// The nodes that a request shows.
  private func nodes(of request: TreeRequest, withFolded: Bool = false) throws -> NodeSet {
    var nodes = NodeSet(count: tree.count)
    try forEachPlace(of: request, withFolded: withFolded) { place in
      nodes.insert(place.node, depth: place.depth)
    }
    return nodes
  }

  /// Hands on the rows of a request as a front draws them, piece by piece.
  ///
  /// - Parameters:
  ///   - request: The rows.
  ///   - pass: Takes the bytes there are, and empties them.
  ///   - draw: Appends a row.
  /// - Returns: The number of rows.
  /// - Throws: What `pass` throws, or why the snapshot cannot be read.
  package func draw(
    _ request: TreeRequest,
    pass: (inout [UInt8]) throws -> Void,
    draw: (RowFields, inout [UInt8]) -> Void
  ) throws -> ExportCount {
    var count = ExportCount()
    var bytes: [UInt8] = []
    var request = request
    request.withDetails = false
    try forEachRow(of: request) { row in
      draw(row, &bytes)
      count.rows += 1
      if bytes.count >= Self.pieceSize { try pass(&bytes) }
    }
    try pass(&bytes)
    return count
  }

  /// How many rows closed departments hold back from a request.
  ///
  /// - Complexity: O(rows), those that are held back included.
  package func foldedRowCount(of request: TreeRequest) throws -> Int {
    var count = 0
    try forEachPlace(of: request, withFolded: true) { if $0.isFolded { count += 1 } }
    return count
  }

  /// Writes the records of a request as the three files that `import` takes, piece by piece.
  ///
  /// - Parameters:
  ///   - request: The rows whose records are written.
  ///   - pass: Takes the bytes there are of departments, users and memberships, and empties them.
  /// - Returns: The number of rows, and whether a person is in several departments.
  /// - Throws: What `pass` throws, `.badData` for what has no place in its source's own tree, or that
  ///   the snapshot is damaged.
  package func writeFiles(
    _ request: TreeRequest,
    pass: (
      _ departments: inout [UInt8],
      _ users: inout [UInt8],
      _ memberships: inout [UInt8]
    ) throws -> Void
  ) throws -> (count: ExportCount, hasMemberships: Bool) {
    var writer = DirectoryFilesWriter(
      try recordLookup(of: request),
      fields: declaredFields,
      hasLeads: try memberships.hasLeads,
      hidden: (hiddenFields(of: .department), hiddenFields(of: .user))
    )
    var count = ExportCount()
    var records = request.detailed
    records.withContacts = false
    records.withOrder = false
    try forEachRow(of: records) { row in
      try writer.append(row)
      count.rows += 1
      guard writer.byteCount >= Self.pieceSize else { return }
      try pass(&writer.departments.bytes, &writer.users.bytes, &writer.memberships.bytes)
    }
    try pass(&writer.departments.bytes, &writer.users.bytes, &writer.memberships.bytes)
    return (count, writer.membershipCount > 0)
  }
}

extension TreeRequest {
  /// The same rows with all that can be said of them.
  fileprivate var detailed: TreeRequest {
    var request = self
    request.withDetails = true
    return request
  }
}
