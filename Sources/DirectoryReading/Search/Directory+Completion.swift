import DirectoryModel
import DirectorySnapshot
import TextRules

/// What may stand for a department or a person on a command line.
package struct NameCompletion: Sendable, Equatable {
  /// The name, where it means nobody else, the path, where one was begun, or the id.
  package var text: String
  /// Which one that is, in one harmless line.
  package var note: String
}

extension Directory {
  /// Whom a command line names.
  package enum CompletedRecords: Sendable {
    case departments, people, everything
  }

  /// The departments and people whose name or id begins with what was typed; where there are none,
  /// the people whose name has a word that does, in Latin letters too.
  ///
  /// Case and accents do not matter. Whoever has a name that cannot be shown as it is, such as one
  /// with control characters, is offered by id.
  ///
  /// - Parameters:
  ///   - typed: What was typed of it, without quotes. After a slash it is a path of departments, and
  ///     after `id:`, `name:` or `path:` only that.
  ///   - records: Whom the place may name.
  ///   - limit: The most to give.
  ///   - deadline: When to give up looking for people.
  /// - Returns: Departments first; none where the snapshot is damaged or the time is over.
  /// - Complexity: O(departments), and a search for the people.
  package func completions(
    of typed: String,
    _ records: CompletedRecords,
    limit: Int,
    deadline: ContinuousClock.Instant
  ) -> [NameCompletion] {
    let name = DepartmentName(typed)
    let form = String(typed.dropLast(name.text.count))
    var found: [Candidate] = []
    if records != .people { found += (try? departments(beginning: name, limit)) ?? [] }
    if records != .departments, name.form != .path {
      found += (try? people(beginning: name, limit - found.count, deadline)) ?? []
    }
    var sameNames: [[UInt8]: Int] = [:]
    for candidate in found { sameNames[Array(candidate.name.utf8), default: 0] += 1 }
    // Shells put what all of them begin with on the line: who was found by a later word, or in
    // Latin letters, would keep the others from that.
    let folded = Folding.fold(name.text)
    let beginnings = found.filter {
      $0.path != nil || $0.isFoundByID || Folding.fold($0.name).hasPrefix(folded)
    }
    return (beginnings.isEmpty ? found : beginnings).prefix(limit).compactMap { candidate in
      let isUnique = sameNames[Array(candidate.name.utf8)] == 1
      return completion(candidate, isUnique: isUnique && name.form != .id, form: form)
    }
  }

  /// What was found, before it is known how it is written.
  private struct Candidate {
    var name: String
    var id: String
    /// Where the name alone is not what is typed.
    var path: String?
    /// Whether it is not the name that begins with what was typed.
    var isFoundByID = false
    var note: String
  }

  private func completion(
    _ candidate: Candidate,
    isUnique: Bool,
    form: String
  ) -> NameCompletion? {
    let isName =
      isUnique && candidate.path == nil && !candidate.isFoundByID && means(candidate)
      && VisibleText.visible(candidate.name) == candidate.name
    let text = candidate.path ?? (isName ? candidate.name : candidate.id)
    let note =
      isName || candidate.path != nil ? [candidate.note] : [candidate.name, candidate.note]
    // A hyphen begins an option, and what reads like another way of naming is none.
    let isPlain = form.isEmpty && DepartmentName(text).form == .any && !text.hasPrefix("-")
    let prefix = isPlain || !form.isEmpty ? form : isName ? "name:" : "id:"
    guard VisibleText.visible(text) == text, !text.isEmpty else { return nil }
    return NameCompletion(
      text: prefix + text,
      note: VisibleText.visible(note.filter { !$0.isEmpty }.joined(separator: ", "))
    )
  }

  /// Whether the name is not the id of somebody else, which comes first.
  private func means(_ candidate: Candidate) -> Bool {
    guard candidate.name != candidate.id else { return true }
    return (try? node(of: DepartmentID(candidate.name))) == .some(nil)
      && (try? snapshot.userIndex().row(of: candidate.name)) == .some(nil)
  }

  // MARK: - Departments

  private func departments(
    beginning name: DepartmentName,
    _ limit: Int
  ) throws -> [Candidate] {
    if name.text.isEmpty, name.form != .path { return try topDepartments(limit) }
    if name.form == .path || name.form == .any && name.text.utf8.contains(UInt8(ascii: "/")) {
      let steps = try pathSteps(after: name.text, limit)
      if !steps.isEmpty { return steps }
    }
    let wanted = Array(Folding.fold(name.text).utf8)
    let id = Array(name.text.utf8)
    let names = try departments.names.verified()
    let ids = try departments.ids.verified()
    var found: [Candidate] = []
    var folded: [UInt8] = []
    for row in 0..<names.count where found.count < limit {
      let isNamed = names.withBytes(at: row) { bytes in
        guard Self.mayBegin(bytes, with: wanted) else { return false }
        folded.removeAll(keepingCapacity: true)
        Folding.appendFolded(bytes, to: &folded)
        return folded.starts(with: wanted)
      }
      let isFoundByID =
        !(isNamed && name.form != .id) && name.form != .name
        && ids.withBytes(at: row) { $0.starts(with: id) }
      guard isFoundByID || isNamed && name.form != .id else { continue }
      var candidate = try candidate(at: departments.node(of: row))
      candidate.isFoundByID = isFoundByID
      found.append(candidate)
    }
    return found
  }

  /// Whether the folded form of a name may begin with what is wanted, by its first letter alone.
  @inline(__always)
  private static func mayBegin(_ name: UnsafeRawBufferPointer, with wanted: [UInt8]) -> Bool {
    guard let first = name.first, let sought = wanted.first else { return false }
    let lower = first | 0x20
    return !(0x61...0x7A).contains(lower) || lower == sought
  }

  /// The top of the tree, for somebody who has typed nothing.
  private func topDepartments(_ limit: Int) throws -> [Candidate] {
    let roots = try groups(among: tree.roots)
    let below = try roots.flatMap { try groups(among: tree.children(of: $0.node)) }
    return try (roots + below).prefix(limit).map { try candidate(at: $0.node) }
  }

  /// The departments that continue a path.
  private func pathSteps(after path: String, _ limit: Int) throws -> [Candidate] {
    let components = DepartmentName.components(of: path)
    let wanted = Folding.fold(components.last ?? "")
    // The path as it was typed, up to its last slash.
    let typed = components.dropLast().isEmpty ? "" : Self.beginning(of: path)
    let above = try nodes(atPath: components.dropLast())
    let siblings =
      components.count == 1
      ? try groups(among: tree.roots)
      : try above.flatMap { try groups(among: tree.children(of: $0)) }
    return try siblings.filter { Folding.fold($0.name).hasPrefix(wanted) }.prefix(limit).map {
      var candidate = try candidate(at: $0.node)
      candidate.path = typed + DepartmentName.path([candidate.name])
      return candidate
    }
  }

  /// A path up to its last slash that is not within a name.
  private static func beginning(of path: String) -> String {
    var end = path.startIndex
    var isEscaped = false
    for index in path.unicodeScalars.indices {
      let scalar = path.unicodeScalars[index]
      if scalar == "/", !isEscaped { end = path.unicodeScalars.index(after: index) }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return String(path[..<end])
  }

  private func candidate(at node: Int) throws -> Candidate {
    let above = try tree.parent(of: node).map { try departmentName(of: $0) }
    return Candidate(
      name: try departmentName(of: node),
      id: try departmentID(of: node).rawValue,
      note: above.map { "department in \($0)" } ?? "department"
    )
  }

  // MARK: - People

  private func people(
    beginning name: DepartmentName,
    _ limit: Int,
    _ deadline: ContinuousClock.Instant
  ) throws -> [Candidate] {
    guard limit > 0 else { return [] }
    let named = name.form == .id ? [] : try people(called: name.text, limit, deadline)
    let folded = Folding.fold(name.text)
    // Who types the beginning of a name is not offered ids.
    guard name.form != .name, !named.contains(where: { Folding.fold($0.name).hasPrefix(folded) })
    else { return named }
    return named + (try people(withIDBeginning: name.text, limit))
  }

  /// The most people to offer: each is read from other pages of the snapshot than the others.
  private static let mostPeople = 30

  private func people(
    called text: String,
    _ limit: Int,
    _ deadline: ContinuousClock.Instant
  ) throws -> [Candidate] {
    let words = text.split { $0.isWhitespace || $0 == "\"" }
    guard !words.isEmpty else { return [] }
    var options = SearchOptions(words.map { "name:\($0)" }.joined(separator: " "))
    options.limit = min(limit, Self.mostPeople)
    options.allowsErrors = false
    options.allowsTiers = false
    options.deadline = deadline
    // What cannot be searched for is nobody's name.
    let nodes = (try? searcher().nodes(of: options)) ?? []
    return try nodes.filter { !$0.isDepartment }.map { try person(at: $0.node) }
  }

  /// - Complexity: O(people), by no more than the first bytes of their ids.
  private func people(withIDBeginning text: String, _ limit: Int) throws -> [Candidate] {
    let wanted = Array(text.utf8)
    guard let first = wanted.first else { return [] }
    let rows = try users.ids.verified().withAllBytes { bytes, ends in
      var rows: [Int] = []
      var start = 0
      for row in ends.indices {
        let end = Int(ends[row])
        if start < end, bytes[start] == first, rows.count < min(limit, Self.mostPeople),
          bytes[start..<end].starts(with: wanted)
        {
          rows.append(row)
        }
        start = end
      }
      return rows
    }
    return try rows.compactMap { try leaf(ofUser: $0) }.map {
      var candidate = try person(at: $0)
      candidate.isFoundByID = true
      return candidate
    }
  }

  private func person(at leaf: Int) throws -> Candidate {
    let membership = try tree.record(of: leaf)
    let user = try memberships.user(of: membership)
    let place = try tree.parent(of: leaf).map { try departmentName(of: $0) } ?? ""
    return Candidate(
      name: try users.names[user],
      id: try users.ids[user],
      note: [try memberships.titles[membership], place].filter { !$0.isEmpty }
        .joined(separator: ", ")
    )
  }
}
