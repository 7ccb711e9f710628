import DirectoryModel
import DirectorySnapshot
import TextRules

extension Directory {
  private static let shownCards = 10

  /// The person or department that a name means, as rows with path and departments: one, or two
  /// where a person and a department have the same id.
  ///
  /// An exact id comes first, then a name that only one has, then the path of a department.
  ///
  /// - Throws: `.notFound`, with the candidates where there are several.
  package func cards(of name: DepartmentName) throws -> [DirectoryRow] {
    if name.form == .any || name.form == .id {
      let found = try nodes(ofID: name.text)
      if !found.isEmpty { return try found.map(card) }
    }
    if name.form == .any || name.form == .name {
      let found = try nodes(named: name.text) + leaves(named: name.text)
      if found.count == 1 { return try found.map(card) }
      if found.count > 1 { throw try ambiguousCards(name.text, found) }
    }
    let slash = UInt8(ascii: "/")
    if name.form == .path || name.form == .any && name.text.utf8.contains(slash) {
      return [try card(at: node(of: DepartmentName("path:" + name.text)))]
    }
    throw DirectoryError(
      .notFound,
      "there is nobody and no department \(name.text)",
      advice: "look for it with: staffbook search"
    )
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

  private func ambiguousCards(_ name: String, _ nodes: [Int]) throws -> DirectoryError {
    var lines = try nodes.prefix(Self.shownCards).map { node in
      let row = try card(at: node)
      let own = row.kind == .department ? [row.name] : []
      return "id:\(row.id) (\(DepartmentName.path((row.path ?? []) + own)))"
    }
    if nodes.count > lines.count { lines.append("and \(nodes.count - lines.count) more") }
    return DirectoryError(
      .notFound,
      "\(nodes.count) people or departments are called \(name)",
      advice: "name one by its id: " + lines.joined(separator: ", ")
    )
  }
}
