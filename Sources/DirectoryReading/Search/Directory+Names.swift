import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules

extension Directory {
  /// The nodes that a name means: one, or a person's and a department's of the same id, or all of
  /// that name; none where nothing is called so.
  ///
  /// An exact id comes first, then a name, then the path of a department.
  func named(_ name: DepartmentName) throws -> (nodes: [Int], areNamesakes: Bool) {
    if name.form == .any || name.form == .id {
      let found = try nodes(ofID: name.text)
      if !found.isEmpty { return (found, false) }
    }
    if name.form == .any || name.form == .name {
      let found = try nodes(named: name.text, .department) + nodes(named: name.text, .user)
      if !found.isEmpty { return (found, found.count > 1) }
    }
    let slash = UInt8(ascii: "/")
    if name.form == .path || name.form == .any && name.text.utf8.contains(slash) {
      let found = try nodes(atPath: DepartmentName.components(of: name.text))
      return (found, found.count > 1)
    }
    return ([], false)
  }

  private func nodes(ofID id: String) throws -> [Int] {
    let user = try state.userIndex.row(of: id)
    return try [position(of: DepartmentID(id)), user.flatMap { try leaf(ofUser: $0) }].compactMap {
      $0
    }
  }

  /// The nodes of the departments or people of exactly this name; where there are none, of those whose
  /// names fold to the same.
  ///
  /// - Complexity: As `SearchEngine.rows(named:_:)`; an index is not made for it.
  func nodes(named name: String, _ owner: RecordKind) throws -> [Int] {
    let names = owner == .department ? departments.names : users.names
    var same: [Int] = []
    var alike: [Int] = []
    for row in try rows(named: name, owner) {
      guard let node = try owner == .department ? departments.node(of: row) : leaf(ofUser: row)
      else { continue }
      if try names.withBytes(at: row, { $0.elementsEqual(name.utf8) }) {
        same.append(node)
      } else {
        alike.append(node)
      }
    }
    // What folds to nothing is like nothing.
    let found = same.isEmpty && !Folding.fold(name).isEmpty ? alike : same
    return owner == .department ? found.sorted() : found
  }

  /// Rows of those whose names fold to the same.
  func rows(named name: String, _ owner: RecordKind) throws -> [Int] {
    let ready = try state.search.engine(makesIndex: false)
    return try state.search.translated(ready) { (ready) throws(SearchError) in
      try ready.engine.rows(named: name, owner)
    }
  }
}
