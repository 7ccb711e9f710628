import DirectoryModel
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
      let found = try nodes(named: name.text) + leaves(named: name.text)
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
    let user = try snapshot.userIndex().row(of: id)
    return try [node(of: DepartmentID(id)), user.flatMap { try leaf(ofUser: $0) }].compactMap { $0 }
  }

  /// The people of exactly this name; where there are none, those whose name folds to the same.
  private func leaves(named name: String) throws -> [Int] {
    let exact = Array(name.utf8)
    let folded = Array(Folding.fold(name).utf8)
    var same: [Int] = []
    var alike: [Int] = []
    var buffer: [UInt8] = []
    let names = try users.names.verified()
    for user in 0..<names.count {
      names.withBytes(at: user) { bytes in
        if bytes.elementsEqual(exact) { same.append(user) }
        buffer.removeAll(keepingCapacity: true)
        Folding.appendFolded(bytes, to: &buffer)
        if !folded.isEmpty, buffer == folded { alike.append(user) }
      }
    }
    return try (same.isEmpty ? alike : same).compactMap { try leaf(ofUser: $0) }
  }
}
