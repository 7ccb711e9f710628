import DirectoryModel
import DirectorySnapshot
import TextRules

/// What may stand for a department or a person on a command line.
package struct NameCompletion: Sendable, Equatable {
  /// The name, where it means no one else, the path, where one was begun, or the id.
  package var text: String
  /// Which one that is, in one harmless line.
  package var note: String
}

extension Directory {
  /// Whom a command line names.
  package enum CompletionTarget: Sendable {
    case departments, people, everything
  }

  /// The departments and people whose name begins with what was typed; where there are none, those
  /// whose name has words that do, in Latin letters too, or else those whose id begins so.
  ///
  /// Case and accents do not matter. A person with a name that cannot be shown as it is, such as
  /// one with control characters, is offered by id.
  ///
  /// - Parameters:
  ///   - typed: What was typed of it, without quotes. After a slash it is a path of departments, and
  ///     after `id:`, `name:` or `path:` only that.
  ///   - records: Whom the place may name.
  ///   - limit: The most to give; more than there are people at most, 30.
  ///   - deadline: When to give up looking for names.
  /// - Returns: Departments first; none where the snapshot is damaged or the time is over.
  /// - Complexity: That of `SearchEngine.rows(withNamesBeginning:_:limit:deadline:)`; O(records), by no
  ///   more than the first bytes of their ids, where no name begins so.
  package func completions(
    of typed: String,
    _ records: CompletionTarget,
    limit: Int,
    deadline: ContinuousClock.Instant
  ) -> [NameCompletion] {
    let name = DepartmentName(typed)
    let form = String(typed.dropLast(name.text.count))
    var found: [Candidate] = []
    let mostPeople = records == .departments || name.form == .path ? 0 : Self.mostPeople
    if records != .people {
      found += (try? departments(beginning: name, limit - mostPeople, deadline)) ?? []
    }
    if mostPeople > 0 {
      found += (try? self.records(beginning: name, .user, mostPeople, deadline)) ?? []
    }
    var sameNames: [[UInt8]: Int] = [:]
    for candidate in found { sameNames[Array(candidate.name.utf8), default: 0] += 1 }
    // Shells put what all of them begin with on the line: who was found by a later word, or in
    // Latin letters, would keep the others from that.
    let beginnings = found.filter { $0.match != .word }
    return (beginnings.isEmpty ? found : beginnings).compactMap { candidate in
      let isUnique = sameNames[Array(candidate.name.utf8)] == 1
      return completion(candidate, isUnique: isUnique && name.form != .id, form: form)
    }
  }

  /// What was found, before it is known how it is written.
  private struct Candidate {
    var name: String
    var id: String
    var note: String
    var match = Match.name
    /// Where the name alone is not what is typed.
    var path: String?
  }

  /// What begins with what was typed.
  private enum Match {
    case name, id
    /// A word of the name, or what it reads like.
    case word
  }

  private func completion(
    _ candidate: Candidate,
    isUnique: Bool,
    form: String
  ) -> NameCompletion? {
    let isName =
      isUnique && candidate.path == nil && candidate.match != .id && means(candidate)
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

  /// Whether the name is not the id of another person, which comes first.
  private func means(_ candidate: Candidate) -> Bool {
    guard candidate.name != candidate.id else { return true }
    return (try? position(of: DepartmentID(candidate.name))) == .some(nil)
      && (try? state.userIndex.row(of: candidate.name)) == .some(nil)
  }

  // MARK: - Departments

  private func departments(
    beginning name: DepartmentName,
    _ limit: Int,
    _ deadline: ContinuousClock.Instant
  ) throws -> [Candidate] {
    if name.text.isEmpty, name.form != .path { return try topDepartments(limit) }
    if name.form == .path || name.form == .any && name.text.utf8.contains(UInt8(ascii: "/")) {
      let steps = try pathSteps(after: name.text, limit)
      if !steps.isEmpty || name.form == .path { return steps }
    }
    return try records(beginning: name, .department, limit, deadline)
  }

  /// The top of the tree, for a line on which nothing was typed.
  private func topDepartments(_ limit: Int) throws -> [Candidate] {
    let roots = try groups(among: tree.roots)
    let below = try roots.flatMap { try groups(among: tree.children(of: $0.node)) }
    return try (roots + below).prefix(limit).map { try department(at: $0.node) }
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
      var candidate = try department(at: $0.node)
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

  private func department(at node: Int) throws -> Candidate {
    let above = try tree.parent(of: node).map { try departmentName(of: $0) }
    return Candidate(
      name: try departmentName(of: node),
      id: try departmentID(of: node).rawValue,
      note: above.map { "department in \($0)" } ?? "department"
    )
  }

  // MARK: - Departments and people alike

  /// The most people to offer: each is read from other pages of the snapshot than the others.
  private static let mostPeople = 30
  /// So many names with words that begin so are read to find those that begin so themselves.
  private static let mostNames = 200

  private func records(
    beginning name: DepartmentName,
    _ owner: RecordKind,
    _ limit: Int,
    _ deadline: ContinuousClock.Instant
  ) throws -> [Candidate] {
    guard !name.text.isEmpty else { return [] }
    var found: [(row: Int, match: Match)] = []
    if name.form != .id {
      let rows = try searcher().rows(
        withNamesBeginning: name.text,
        owner,
        limit: Self.mostNames,
        deadline: deadline
      )
      let names = owner == .department ? departments.names : users.names
      let folded = Folding.fold(name.text)
      // No name that is found as it is read begins so.
      for row in rows.areLetters ? rows.rows : [] where found.count < limit {
        if Folding.fold(try names[row]).hasPrefix(folded) { found.append((row, .name)) }
      }
      if found.isEmpty { found = rows.rows.prefix(limit).map { ($0, .word) } }
    }
    // Who types a name is not offered ids.
    if name.form != .name, found.isEmpty {
      found = try rows(withIDBeginning: name.text, owner, limit).map { ($0, .id) }
    }
    return try found.compactMap { row, match in
      var candidate =
        try owner == .department ? department(at: departments.node(of: row)) : person(row)
      candidate?.match = match
      return candidate
    }
  }

  /// - Complexity: O(records), by no more than the first bytes of their ids.
  private func rows(
    withIDBeginning text: String,
    _ owner: RecordKind,
    _ limit: Int
  ) throws -> [Int] {
    let wanted = Array(text.utf8)
    let ids = owner == .department ? departments.ids : users.ids
    return try ids.verified().withAllBytes { bytes, ends in
      var rows: [Int] = []
      var start = 0
      for row in ends.indices where rows.count < limit {
        let end = Int(ends[row])
        if start < end, bytes[start] == wanted[0], bytes[start..<end].starts(with: wanted) {
          rows.append(row)
        }
        start = end
      }
      return rows
    }
  }

  /// `nil` for a person without a place.
  private func person(_ user: Int) throws -> Candidate? {
    guard let leaf = try leaf(ofUser: user) else { return nil }
    let membership = try tree.record(of: leaf)
    let place = try tree.parent(of: leaf).map { try departmentName(of: $0) } ?? ""
    return Candidate(
      name: try users.names[user],
      id: try users.ids[user],
      note: [try memberships.titles[membership], place].filter { !$0.isEmpty }
        .joined(separator: ", ")
    )
  }
}
