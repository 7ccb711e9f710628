import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import Seeds
import TestSupport
import Testing

@testable import ChangeHistory
@testable import VisibilityModel

/// What a model shows of each transaction of a random past, which is what a history would hold in which
/// nothing else had ever been done.
private struct SeenHistory {
  let model: SlowSight
  /// One after the other; the last one is today's.
  let states: [MarkedCompany]
  /// The transactions that led to them.
  let transactions: [RecordedTransaction]
  /// Today's departments that are shown, as their own people stand one after the other.
  let order: [DepartmentID]

  init(_ model: SlowSight, _ states: [MarkedCompany], _ transactions: [RecordedTransaction]) throws
  {
    (self.model, self.states, self.transactions) = (model, states, transactions)
    var rows: [(id: String, level: Int)] = []
    try Directory(model.visible().snapshot(), for: .everything)
      .forEachRow(of: TreeRequest(opening: .all)) { row in
        let id = row.kind == .department ? String(decoding: row.id, as: UTF8.self) : ""
        rows.append((id, row.place.depth))
      }
    var ends: [(index: Int, end: Int)] = []
    for index in rows.indices where !rows[index].id.isEmpty {
      let next = rows[(index + 1)...].firstIndex { $0.level <= rows[index].level }
      ends.append((index, next ?? rows.count))
    }
    ends.sort { $0.end != $1.end ? $0.end < $1.end : $0.index > $1.index }
    order = ends.map { DepartmentID(rows[$0.index].id) }
  }

  /// What decides about a state; `nil` for the emptiness before the first.
  private func model(of state: Int) -> SlowSight? {
    guard state >= 0 else { return nil }
    return model.of(states[state], before: states[(state + 1)...].dropLast().reversed())
  }

  /// What is shown of what differs between two states.
  func changes(from: Int, to: Int) -> [Change] { changes(from: from, to: to, seen: true) }

  /// All that differs.
  func allChanges(from: Int, to: Int) -> [Change] { changes(from: from, to: to, seen: false) }

  private func changes(from: Int, to: Int, seen: Bool) -> [Change] {
    let sides = [from, to].map { state in (state < 0 ? nil : states[state], model(of: state)) }
    let departments = Set(sides.flatMap { $0.0?.departments.map(\.id) ?? [] }).sorted()
    let users = Set(sides.flatMap { $0.0?.users.map(\.id) ?? [] })
      .sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    let ofDepartments = departments.compactMap { id -> Change? in
      let all = sides.map { $0.0?.state(of: id) }
      guard Change(.department, id.rawValue, from: all[0], to: all[1]) != nil else { return nil }
      let shown = seen ? sides.map { $0.1?.side(of: id) ?? nil } : all
      return Change(.department, id.rawValue, from: shown[0], to: shown[1])
    }
    let ofUsers = users.compactMap { id -> Change? in
      let all = sides.map { $0.0?.state(of: id) }
      guard Change(.user, id.rawValue, from: all[0], to: all[1]) != nil else { return nil }
      let shown = seen ? sides.map { $0.1?.side(of: id, order) ?? nil } : all
      return Change(.user, id.rawValue, from: shown[0], to: shown[1])
    }
    return ofDepartments + ofUsers
  }

  /// A transaction as it is seen; `nil` where nothing of it is.
  func transaction(_ index: Int) -> (transaction: RecordedTransaction, changes: [Change])? {
    let seen = changes(from: index - 1, to: index)
    guard !seen.isEmpty else { return nil }
    var transaction = transactions[index]
    transaction.rows = ChangeTotals(of: seen)
    let all = allChanges(from: index - 1, to: index)
    if seen.map(\.itemsOnBothSides) != all.map(\.itemsOnBothSides) { transaction.reason = "" }
    return (transaction, seen)
  }

  /// Who set which value of a record, walking the transactions that are seen from the newest on.
  func blame(_ kind: RecordKind, _ id: String) -> [String: Int64] {
    guard let today = model(of: states.count - 1) else { return [:] }
    let state = kind == .user ? today.side(of: UserID(id), order) : today.side(of: DepartmentID(id))
    var items = state?.items(of: kind) ?? [:]
    var blamed: [String: Int64] = [:]
    for index in states.indices.reversed() {
      let change = changes(from: index - 1, to: index).first { $0.kind == kind && $0.id == id }
      guard let new = change?.after?.items(of: kind) else { continue }
      let old = change?.before?.items(of: kind) ?? [:]
      for item in items.keys where new[item] != old[item] {
        let text = items.removeValue(forKey: item)?.text
        // A value that is empty has no line; a membership has no value.
        guard text != "" || item.isMembership else { continue }
        blamed["\(item)"] = transactions[index].number
      }
    }
    return blamed
  }
}

extension Change.Item {
  fileprivate var isMembership: Bool {
    if case .membership = self { true } else { false }
  }
}

extension SlowSight {
  /// A department as it is shown; `nil` where it is not, or only as a stub.
  fileprivate func side(of id: DepartmentID) -> Change.State? {
    guard showing(id) == .whole, var state = company.state(of: id) else { return nil }
    state.values = zip(state.values, ["name", "description", "sort_order"]).map {
      shows($1, of: id) || $1 == "name" ? $0 : nil
    }
    state.fields = left(of: state.fields) { shows($0, of: id) }
    return state
  }

  /// A person as they are shown.
  fileprivate func side(of id: UserID, _ order: [DepartmentID]) -> Change.State? {
    guard shows(id), var state = company.state(of: id) else { return nil }
    let hidden = hidden(of: id)
    state.values = zip(state.values, ["name", "email", "phone"]).map {
      hidden.contains($1) ? nil : $0
    }
    state.fields = left(of: state.fields) { !hidden.contains($0) }
    state.memberships = state.memberships.filter { membership in
      company.places(of: id).contains { $0.department == membership.place.id && shows($0) }
    }
    for index in state.memberships.indices {
      let values = zip(state.memberships[index].values, ["title", "sort_order", "leads"])
      state.memberships[index].values = values.map { hidden.contains($1) ? nil : $0 }
    }
    let places = state.memberships.map(\.place)
    if !places.contains(where: { $0.id == state.primary?.id }) {
      state.primary = places.min { left, right in
        let places = [left, right].map { order.firstIndex(of: $0.id) ?? .max }
        return places[0] != places[1] ? places[0] < places[1] : left.id < right.id
      }
    }
    return state
  }
}

extension MarkedCompany {
  fileprivate func place(_ id: DepartmentID) -> Change.Place {
    Change.Place(id: id, name: departments.first { $0.id == id }?.name ?? id.rawValue)
  }

  fileprivate func state(of id: DepartmentID) -> Change.State? {
    departments.first { $0.id == id }.map { department in
      Change.State(
        name: department.name,
        values: [department.name, department.description, String(department.sortOrder)],
        fields: department.fields,
        primary: department.parent.map(place)
      )
    }
  }

  fileprivate func state(of id: UserID) -> Change.State? {
    users.first { $0.id == id }.map { user in
      let own = places(of: id).sorted { $0.department < $1.department }
      let places =
        own.filter { $0.department == user.primaryDepartment }
        + own.filter { $0.department != user.primaryDepartment }
      return Change.State(
        name: user.name,
        values: [user.name] + user.contacts.all,
        fields: user.fields,
        primary: place(user.primaryDepartment),
        memberships: places.map {
          Change.Membership(
            place: place($0.department),
            values: [$0.title, String($0.sortOrder), String($0.leads)]
          )
        }
      )
    }
  }
}

/// `log`, `diff`, `blame`, `search --left` and `--as-of` under `--as` for random pasts, beside what the
/// model shows of each transaction.
@Suite("What a viewer is shown of a random past")
struct SeenHistoriesTests {
  private static let viewer = ["--as", "device:lobby"]

  /// The imports of a book, the first one first.
  private func transactions(_ book: Book) throws -> [RecordedTransaction] {
    let rows = try book.query(
      """
      select number, (extract(epoch from at) * 1000000)::int8, by_role, coalesce(actor, ''), reason
        from staffbook.transactions where reason like 'reason %' order by at, number
      """
    )
    return try rows.map { row in
      RecordedTransaction(
        number: try #require(Int64(row[0])),
        at: try #require(Int64(row[1])),
        role: row[2],
        actor: row[3],
        reason: row[4]
      )
    }
  }

  private func lines(_ book: Book, _ arguments: [String]) async throws -> [String] {
    let outcome = try await book.run(arguments + Self.viewer)
    return outcome.stdout.split(separator: "\n").map(String.init)
  }

  private func compareLog(_ book: Book, _ seen: SeenHistory, seed: UInt64) async throws {
    let entries = seen.states.indices.reversed().compactMap { index in
      seen.transaction(index).map { LogEntry(transaction: $0.transaction, changes: $0.changes) }
    }
    let wanted = entries.flatMap(\.jsonLines)
    let log = ["log", "--patch", "--json"]
    let told = try await lines(book, log + ["-n", "0"])
    #expect(told == wanted, "seed \(seed): \(Self.difference(told, wanted))")
    let newest = try await lines(book, log + ["-n", "1"])
    #expect(newest == entries.first?.jsonLines ?? [], "seed \(seed)")
    for (index, transaction) in seen.transactions.enumerated() {
      let number = "\(transaction.number)"
      let own = try await book.run(log + ["--transaction", number] + Self.viewer)
      guard let entry = entries.first(where: { $0.transaction.number == transaction.number }) else {
        let never = try await book.run(log + ["--transaction", "987654"] + Self.viewer)
        #expect(own.status == never.status, "seed \(seed): \(index)")
        #expect(own.stdout.isEmpty && own.stderr == never.stderr.replacing("987654", with: number))
        continue
      }
      #expect(own.stdout.split(separator: "\n").map(String.init) == entry.jsonLines, "seed \(seed)")
    }
    let texts = try await lines(book, ["log", "--patch", "-n", "0"])
    let changes = entries.flatMap { $0.changes.map { "  \($0.text)" } }
    let missing = changes.filter { !texts.contains($0) }
    #expect(missing.isEmpty, "seed \(seed): \(missing) is not in \(texts)")
  }

  private func compareDifferences(_ book: Book, _ seen: SeenHistory, seed: UInt64) async throws {
    let shown = seen.states.indices.filter { seen.transaction($0) != nil }
    for from in shown {
      for to in shown.filter({ $0 >= from }) + [nil] {
        let changes = seen.changes(from: from, to: to ?? seen.states.count - 1)
        let records = changes.map { Difference($0) }.sorted(by: Difference.precedes)
        let times = [from, to].compactMap { $0.map { "\(seen.transactions[$0].number)" } }
        let title = "\(times[0]) to \(times.count > 1 ? times[1] : "now")"
        let report = DifferenceReport(Differences(records: records, rules: []), title: title)
        for (option, wanted) in [
          ("--json", report.jsonLines.map { "\($0)\n" }.joined()),
          ("--csv", String(decoding: report.csv, as: UTF8.self)),
          ("--html", String(decoding: report.html, as: UTF8.self)),
        ] {
          let told = try await book.run(["diff", option] + times + Self.viewer)
          #expect(told.stdout == wanted, "seed \(seed): diff \(times) \(told)")
        }
      }
    }
  }

  private func compareBlame(_ book: Book, _ seen: SeenHistory, seed: UInt64) async throws {
    let today = seen.states[seen.states.count - 1]
    let records =
      today.departments.prefix(6).map { (RecordKind.department, $0.id.rawValue) }
      + today.users.prefix(8).map { (RecordKind.user, $0.id.rawValue) }
    for (kind, id) in records {
      let told = try await lines(book, ["blame", "id:\(id)", "--json"])
      let blamed = seen.blame(kind, id)
      let wanted = Set(blamed.values)
      let numbers = Set(
        told.compactMap { $0.split(separator: "\"transaction\":").last?.prefix { $0.isNumber } }
          .compactMap { Int64($0) }
      )
      #expect(numbers == wanted, "seed \(seed): blame \(id): \(told), not \(blamed)")
    }
  }

  /// An id also finds those who left and whose fields named it, as far as those are shown.
  private func compareLeavers(_ book: Book, _ seen: SeenHistory, seed: UInt64) async throws {
    var (left, removals) = (Set<UserID>(), [(change: Change, json: String)]())
    for index in seen.states.indices.dropFirst() {
      let gone = Set(seen.states[index - 1].users.map(\.id))
        .subtracting(seen.states[index].users.map(\.id))
      left.formUnion(gone)
      for change in seen.changes(from: index - 1, to: index)
      where change.kind == .user && gone.contains(UserID(change.id)) {
        removals.append((change, change.json(transaction: seen.transactions[index].number)))
      }
    }
    for id in left.map(\.rawValue) {
      let told = try await lines(book, ["search", "--left", id, "--json"])
      let wanted = removals.filter { change, _ in
        let values = change.before?.fields.values ?? [:]
        return change.id == id || values.values.contains { $0.texts.contains(id) }
      }
      #expect(told.sorted() == wanted.map(\.json).sorted(), "seed \(seed): \(id)")
    }
  }

  private static func difference(_ told: [String], _ wanted: [String]) -> String {
    let same = zip(told, wanted).prefix { $0 == $1 }
    let place = same.count { _ in true }
    return "\(told.dropFirst(place).first ?? "") is not \(wanted.dropFirst(place).first ?? "")"
  }

  @Test(arguments: newSeeds(8) + [8_847_143_380_625_694_962])
  func `is byte by byte what the sentences show of each transaction`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var states = [try MarkedCompany(departments: 8, people: 16, using: &generator)]
    for _ in 0..<4 { states.append(states[states.count - 1].changed(using: &generator)) }
    states = states.map { $0.withoutMissingPeople() }
    let now = states[states.count - 1]
    let rules = try VisibilityRules(forDeviceOf: now, using: &generator)
    let model = SlowSight(rules, .device("lobby"), now)
    try await withBook { book in
      try await book.fill(states, rules)
      let transactions = try transactions(book)
      // What is the same as before makes no transaction.
      let own = try transactions.map { states[try #require(Int($0.reason.dropFirst(7)))] }
      let seen = try SeenHistory(model, own, transactions)
      try await compareLog(book, seen, seed: seed)
      try await compareDifferences(book, seen, seed: seed)
      try await compareBlame(book, seen, seed: seed)
      try await compareLeavers(book, seen, seed: seed)
    }
  }
}
