import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules

/// What the user's words turned out to mean.
package enum LookUp: Sendable {
  /// The node of one person or department, or of one of each that have the same id.
  case found([Node])
  /// The card of a person who is in no list: the viewer, or who has exactly this address or number.
  case card(DirectoryRow)
  /// The first of several, best first, and how many there are.
  case several([SearchRow], SearchTotal)
  /// Nothing; other words that may have been meant, the likeliest first.
  case nothing(nearest: [String])
}

extension Directory {
  /// Finds the one person or department that is meant.
  ///
  /// An exact id comes first, then a name, then the path of a department; `id:`, `name:` and `path:`
  /// force one of them. Anything else is searched for: as it is typed and, where that finds nothing,
  /// with typing errors. Among several hits, the only one with exactly this address or number is
  /// meant,
  /// or the only one that is not found by its department alone.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - limit: The most rows where there are several.
  /// - Returns: Whom or what the text means.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func lookUp(_ text: String, limit: Int) throws -> LookUp {
    let name = DepartmentName(text)
    let named = try named(name)
    if named.areNamesakes {
      let rows = try named.nodes.prefix(limit).map { SearchRow(row: try listRow(at: $0)) }
      return .several(rows, .exactly(named.nodes.count))
    }
    if !named.nodes.isEmpty { return .found(named.nodes.map(node)) }
    if let card = try cardLaidOver(text) { return .card(card) }
    if name.form == .any, let hits = try hits(text, limit, searcher()) { return hits }
    return .nothing(nearest: try nearest(to: name, searcher()))
  }

  /// `nil` where nothing is found.
  private func hits(_ text: String, _ limit: Int, _ searcher: DirectorySearcher) throws -> LookUp? {
    // Of the hits the only one with exactly this address is meant, which is found sooner alone.
    if let holder = try searcher.holder(ofAddress: text) { return .found([holder]) }
    for allowsErrors in [false, true] {
      var options = SearchOptions(text)
      options.limit = limit
      options.allowsErrors = allowsErrors
      options.explains = true
      // A guess is not an answer to who a person is.
      options.allowsTiers = !allowsErrors
      var rows: [SearchRow] = []
      let total = try searcher.forEachHit(of: options) { rows.append($0) }
      if total == .exactly(1) { return .found(rows.compactMap(\.node)) }
      let address = Folding.fold(text)
      let holders = rows.filter {
        $0.row.contacts?.all.compactMap { $0.map(Folding.fold) }.contains(address) ?? false
      }
      if holders.count == 1 { return .found(holders.compactMap(\.node)) }
      let own = rows.filter(\.isFoundItself)
      if own.count == 1, try isOneMatch(text, searcher) { return .found(own.compactMap(\.node)) }
      for index in rows.indices { rows[index].reasons = [] }
      if !rows.isEmpty { return .several(rows, total) }
    }
    return nil
  }

  /// Whether only one person or department matches but for those who are merely below a department
  /// that does.
  private func isOneMatch(_ text: String, _ searcher: DirectorySearcher) throws -> Bool {
    let nodes = try searcher.matchingNodes(for: text, root: nil)
    let departments = try nodes.filter { try tree.isDepartment($0) }
    let users = try nodes.filter { try !tree.isDepartment($0) }.map { try user(at: $0) }
    return departments.count + Set(users).count == 1
  }

  private func nearest(to name: DepartmentName, _ searcher: DirectorySearcher) throws -> [String] {
    if name.form == .id { return [] }
    if name.form != .path, let near = try searcher.suggestion(for: name.text) { return [near] }
    return try nearestNames(to: name.text)
  }
}

extension SearchRow {
  /// Whether a word is found in more than the names of departments above; rows carry their reasons.
  fileprivate var isFoundItself: Bool {
    reasons.contains { $0.field != SearchField.department.rawValue }
  }
}

extension Directory {
  /// To look up more takes longer than a look at all people.
  private static let fewWords = 256

  /// The ids of the people whom words mean, be it an id or a name that only one of them has.
  ///
  /// What means a department, or no one without a search, is left out.
  ///
  /// - Complexity: A look-up for each of a few words where there is an index, otherwise O(people),
  ///   however many words there are.
  package func people(meantBy words: Set<ItemText>) throws -> [ItemText: UserID] {
    var meant: [ItemText: UserID] = [:]
    // The row of the only one who is called so; -1 for several.
    var rows: [[UInt8]: Int] = [:]
    let index = state.userIndex
    for word in words where try position(of: DepartmentID(word.text)) == nil {
      if let user = try index.row(of: word.text) {
        if try leaf(ofUser: user) != nil { meant[word] = UserID(word.text) }
      } else {
        rows[Array(word.text.utf8)] = .max
      }
    }
    guard !rows.isEmpty else { return meant }
    let names = try users.names.verified()
    func note(_ user: Int) {
      names.withBytes(at: user) { bytes in
        let name = Array(bytes)
        if let row = rows[name] { rows[name] = row == .max ? user : -1 }
      }
    }
    if rows.count <= Self.fewWords, try state.search.engine(makesIndex: false).hasIndex {
      var users: Set<Int> = []
      for name in rows.keys {
        users.formUnion(try self.rows(named: String(decoding: name, as: UTF8.self), .user))
      }
      users.forEach(note)
    } else {
      (0..<names.count).forEach(note)
    }
    for (name, row) in rows where row >= 0 && row < names.count {
      guard try leaf(ofUser: row) != nil else { continue }
      meant[ItemText(String(decoding: name, as: UTF8.self))] = UserID(try users.ids[row])
    }
    return meant
  }
}
