import DirectoryModel
import DirectorySnapshot
import TextRules

/// A department as the user named it: by id, by name or by path.
///
/// Without a prefix the exact id comes first, then a name that is unique, then the path
/// `Company/Engineering/Storage`, in which `\/` is a slash within a name and `\\` a backslash.
/// The prefixes `id:`, `name:` and `path:` force one.
package struct DepartmentName: Sendable {
  package enum Form: Sendable, Equatable {
    case any, id, name, path
  }

  package let text: String
  package let form: Form

  package init(_ argument: String) {
    (form, text) = Self.split(argument)
  }

  private static func split(_ argument: String) -> (Form, String) {
    for (prefix, form) in [("id:", Form.id), ("name:", .name), ("path:", .path)]
    where argument.utf8.starts(with: prefix.utf8) {
      // By bytes: the colon and a combining mark that an id begins with are one Character.
      return (form, String(decoding: argument.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
    return (.any, argument)
  }

  /// The names in a path.
  static func components(of path: String) -> [String] {
    var components: [String] = []
    var current = ""
    var isEscaped = false
    for scalar in path.unicodeScalars {
      if isEscaped {
        if scalar != "/" && scalar != "\\" { current.unicodeScalars.append("\\") }
        current.unicodeScalars.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "/" {
        components.append(current)
        current = ""
      } else {
        current.unicodeScalars.append(scalar)
      }
    }
    if isEscaped { current.unicodeScalars.append("\\") }
    components.append(current)
    return components
  }

  /// A path that `components(of:)` takes apart again.
  package static func path(_ names: [String]) -> String {
    names.map(escaped).joined(separator: "/")
  }

  private static func escaped(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      if scalar == "/" || scalar == "\\" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

extension DepartmentName {
  /// Whether this is a record's id, its whole name, its path or a person's email address.
  ///
  /// Names and addresses may be in any case and in any normal form. Whatever else a look-up finds,
  /// such as the beginning of a name, a name without its accents, or a reading, is a guess.
  package func isExact(for row: DirectoryRow) -> Bool {
    func isSame(_ left: String, _ right: String) -> Bool { left.lowercased() == right.lowercased() }
    if form == .any || form == .id, row.id.utf8.elementsEqual(text.utf8) { return true }
    if form == .any || form == .name, isSame(row.name, text) { return true }
    if form == .any, let address = row.contacts?[.email], !address.isEmpty, isSame(address, text) {
      return true
    }
    guard form == .any || form == .path, row.kind == .department, let path = row.path else {
      return false
    }
    let components = Self.components(of: text)
    return components.count == path.count + 1
      && zip(components, path + [row.name]).allSatisfy(isSame)
  }
}

extension Directory {
  private static let shownCandidates = 10

  /// The node of the department that a name means.
  ///
  /// - Throws: `.notFound` with the nearest names, or with the candidates where there are several.
  /// - Complexity: O(1) for an id, `nodes(named:_:)` for names.
  package func node(of name: DepartmentName) throws -> Node { node(try position(of: name)) }

  func position(of name: DepartmentName) throws -> Int {
    if name.form == .any || name.form == .id, let node = try position(of: DepartmentID(name.text)) {
      return node
    }
    if name.form == .any || name.form == .name {
      let found = try nodes(named: name.text, .department)
      if found.count == 1 { return found[0] }
      if found.count > 1 { throw try ambiguous(name.text, found) }
    }
    if name.form == .path || name.form == .any && name.text.utf8.contains(UInt8(ascii: "/")) {
      let found = try nodes(atPath: DepartmentName.components(of: name.text))
      if found.count == 1 { return found[0] }
      if found.count > 1 { throw try ambiguous(name.text, found) }
    }
    throw try unknown(name)
  }

  func nodes(atPath components: [String]) throws(SnapshotError) -> [Int] {
    var nodes: [Int] = []
    for (depth, component) in components.enumerated() {
      let groups = try depth == 0 ? groups(among: tree.roots) : groups(below: nodes)
      nodes = groups.filter { $0.name.utf8.elementsEqual(component.utf8) }.map(\.node)
      if nodes.isEmpty {
        let folded = Folding.fold(component)
        // As with names: what folds to nothing is like nothing.
        guard !folded.isEmpty else { return [] }
        nodes = groups.filter { Folding.fold($0.name) == folded }.map(\.node)
      }
    }
    return nodes
  }

  private func groups(
    below nodes: [Int]
  ) throws(SnapshotError) -> [(node: Int, name: String)] {
    var groups: [(node: Int, name: String)] = []
    for node in nodes { groups += try self.groups(among: tree.children(of: node)) }
    return groups
  }

  /// The departments among siblings, which come before the people.
  func groups(
    among siblings: TreePart.Siblings
  ) throws(SnapshotError) -> [(node: Int, name: String)] {
    var siblings = siblings
    var groups: [(node: Int, name: String)] = []
    while let node = try siblings.next(), try tree.isDepartment(node) {
      groups.append((node, try departmentName(of: node)))
    }
    return groups
  }

  /// Names from the root down to a department, itself included.
  package func path(through department: Node) throws(SnapshotError) -> [String] {
    try path(through: position(of: department))
  }

  func path(through department: Int) throws(SnapshotError) -> [String] {
    try path(to: department) + [departmentName(of: department)]
  }

  private func ambiguous(
    _ name: String,
    _ nodes: [Int]
  ) throws(SnapshotError) -> DirectoryError {
    var lines: [String] = []
    for node in nodes.prefix(Self.shownCandidates) {
      let path = try path(through: node)
      lines.append("id:\(try departmentID(of: node)) (\(DepartmentName.path(path)))")
    }
    if nodes.count > lines.count { lines.append("and \(nodes.count - lines.count) more") }
    return DirectoryError(
      .notFound,
      "\(nodes.count) departments are called \(name)",
      advice: "name one by its id or path: " + lines.joined(separator: ", ")
    )
  }

  private func unknown(_ name: DepartmentName) throws(SnapshotError) -> DirectoryError {
    let nearest = try nearestNames(to: name.text)
    return DirectoryError(
      .notFound,
      "there is no department \(name.text)",
      advice: nearest.isEmpty
        ? "list the departments with: \(.listDepartments)"
        : "did you mean \(nearest.joined(separator: ", "))?"
    )
  }

  private static let shownNearest = 3

  /// The departments that a text may have meant, the likeliest first.
  ///
  /// Those whose name begins with it, then those that contain it, then those that are spelled
  /// nearly so. After a slash only the last name counts.
  ///
  /// - Complexity: O(bytes of all department names).
  func nearestNames(to text: String) throws(SnapshotError) -> [String] {
    let last = DepartmentName.components(of: text).last ?? text
    let wanted = Array(Folding.fold(last).unicodeScalars.prefix(64))
    guard !wanted.isEmpty else { return [] }
    var found: [(distance: Int, name: String)] = []
    let names = try departments.names.verified()
    for row in 0..<names.count {
      let name = names[row]
      let folded = Array(Folding.fold(name).unicodeScalars.prefix(64))
      if let distance = Self.distance(from: wanted, to: folded) { found.append((distance, name)) }
    }
    var seen: Set<String> = []
    return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .map(\.name).filter { seen.insert($0).inserted }.prefix(Self.shownNearest).map { $0 }
  }

  /// How far a name is from what was typed; `nil` when it is another name altogether.
  private static func distance(
    from wanted: [Unicode.Scalar],
    to name: [Unicode.Scalar]
  ) -> Int? {
    if name.starts(with: wanted) { return 0 }
    if wanted.count >= 3, name.contains(wanted) { return 1 }
    let limit = max(1, wanted.count / 4)
    return EditDistance.between(wanted, name, atMost: limit).map { $0 + 1 }
  }
}
