import DirectorySnapshot
import OutlineEngine
import TextRules

extension SearchIndex {
  /// The departments whose names have no room in the dictionary, and in which a look finds something.
  ///
  /// - Parameters:
  ///   - parts: The snapshot.
  ///   - look: How a term is found in a name.
  /// - Returns: Ordinals, and what `look` gave.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(odd documents + bytes of those names).
  func unindexedDepartments(
    _ parts: SearchColumns,
    _ look: (FieldTexts) -> MatchQuality?
  ) throws(SnapshotError) -> [(ordinal: Int, quality: MatchQuality)] {
    var found: [(ordinal: Int, quality: MatchQuality)] = []
    var texts = FieldTexts()
    for index in 0..<unindexedDocuments.count {
      guard case .department(let ordinal) = try record(of: Int(unindexedDocuments[index])) else {
        continue
      }
      let row = Int(shape.rows[ordinal])
      try parts.departments.names.withBytes(at: row) { texts.take($0, of: .other) }
      if let quality = look(texts) { found.append((ordinal, quality)) }
    }
    return found
  }

  /// The departments that odd documents are in, and those above them: all whose names count for one
  /// that is looked at on its own.
  ///
  /// - Returns: Ordinals, rising.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(odd documents · level).
  func departmentsAroundUnindexedDocuments(_ parts: SearchColumns) throws(SnapshotError) -> [Int] {
    var ordinals: Set<Int> = []
    for index in 0..<unindexedDocuments.count {
      var own: [Int] = []
      _ = try anyPlace(of: Int(unindexedDocuments[index])) { ordinal in
        own.append(ordinal)
        return false
      }
      for ordinal in own where ordinals.insert(ordinal).inserted {
        let node = try parts.departments.node(of: Int(shape.rows[ordinal]))
        for ancestor in try parts.tree.ancestors(of: node) {
          ordinals.insert(Int(shape.ordinals[try parts.tree.departmentRecord(of: ancestor)]))
        }
      }
    }
    return ordinals.sorted()
  }
}
