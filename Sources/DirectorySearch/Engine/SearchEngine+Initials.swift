import DirectorySnapshot
import OutlineEngine

extension SearchEngine {
  /// The departments whose names have some initials.
  ///
  /// - Parameters:
  ///   - initials: Of a name.
  ///   - request: Until when to look.
  ///   - scope: Where.
  /// - Returns: Hits in their order.
  /// - Throws: `SearchError`.
  /// - Complexity: O(departments that have them); without an index all names are read.
  func departments(
    with initials: DepartmentInitials,
    _ request: SearchRequest,
    in scope: ScopeFilter
  ) throws(SearchError) -> [SearchHit] {
    let patience = SearchDeadline(request.deadline)
    let ordinals = try index.map { (index) throws(SearchError) in
      try SearchError.reading { () throws(SnapshotError) in
        try index.departments(withInitials: initials.letters)
      }
    }
    var found: [(order: UInt64, hit: SearchHit)] = []
    var texts = FieldTexts()
    let step = SearchStep.all[SearchStep.place(of: .reading, isOutsideName: false)]
    let rank = SearchRank(step, wordsOutsideName: 0)
    for ordinal in ordinals ?? Array(0..<shape.count) {
      if ordinal % 1_024 == 0 { try patience.check() }
      try SearchError.reading { () throws(SnapshotError) in
        let row = Int(shape.rows[ordinal])
        let isNear = try parts.departments.names.withBytes(at: row) { name in
          texts.take(name)
          return DepartmentInitials.all(of: texts.folded).contains(initials.letters)
        }
        guard isNear, scope.contains(department: ordinal),
          try scope.filter?.contains(department: row) ?? true
        else { return }
        let node = try parts.departments.node(of: row)
        let length = UInt32(texts.folded.count { $0 & 0xC0 != 0x80 })
        let order = HitOrder.key(length: length, HitOrder.place(department: node))
        var hit = SearchHit(node: node, isDepartment: true, row: row, rank: rank)
        hit.tier = .initials
        found.append((order, hit))
      }
    }
    found.sort { $0.order < $1.order }
    return found.map(\.hit)
  }
}

extension SearchIndex {
  /// The ordinals of the departments whose names have some initials, rising.
  fileprivate func departments(withInitials letters: [UInt8]) throws(SnapshotError) -> [Int] {
    var ordinals: [Int] = []
    let range = try departmentInitials.range(of: letters)
    try departmentInitials.withDocuments(of: range) { documents in
      ordinals += documents.lazy.map { Int($0) }.filter { $0 < shape.count }
    }
    return ordinals
  }
}
