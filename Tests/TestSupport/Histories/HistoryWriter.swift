import Seeds
import LibPQ

/// One of many who write at the same time: transactions of random steps on few ids, so that they
/// meet, with rollbacks and savepoints among them.
///
/// What the server refuses (a ring, a key that is there, a lock that takes too long) rolls back to
/// the last savepoint or to the beginning, as it does in real life.
package struct HistoryWriter {
  /// The tables before anybody writes: ten departments, a user in each.
  package static let beginning = """
    begin;
    insert into staffbook.departments (id, parent_id, name)
      select 'd' || i, case when i > 1 then 'd' || i / 2 end, 'Department ' || i
        from generate_series(1, 10) i;
    insert into staffbook.users (id, name, primary_department_id)
      select 'u' || i, 'User ' || i, 'd' || i from generate_series(1, 10) i;
    insert into staffbook.memberships (user_id, department_id)
      select 'u' || i, 'd' || i from generate_series(1, 10) i;
    insert into staffbook.departments (id, name) values
      ('open', 'No writer writes here'), ('prepared', 'Nor here');
    insert into staffbook.fields (of, name, kind, label, is_multiple) values
      ('user', 'mobile', 'phone', 'Mobile', false), ('user', 'tags', 'text', 'Tags', true),
      ('user', 'manager', 'person', 'Manager', false), ('user', 'badge', 'text', 'Badge', false),
      ('department', 'site', 'text', 'Site', false);
    commit;
    """

  private static let departments = 24
  private static let users = 80

  private var random: SeededGenerator
  /// Others who change the tree wait for the end of the transaction.
  private var mayTouchTree = true
  private let session: PGSession
  package private(set) var commits = 0
  package private(set) var rollbacks = 0

  package init(_ conninfo: String, seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    session = try await PGSession.connect(conninfo: conninfo)
    try await run("set lock_timeout = '100ms'")
  }

  /// Runs one transaction, whatever becomes of it.
  package mutating func writeOnce() async throws {
    let isLong = chance(0.06)
    let steps = isLong ? number(in: 3...12) : number(in: 1...4)
    let replica = chance(0.08)
    mayTouchTree = !isLong
    do {
      try await run(beginning(replica: replica))
      for step in 0..<steps {
        if chance(0.25) {
          try await runInSavepoint(replica: replica)
        } else {
          try await run(replica ? replicaStatement() : statement())
        }
        if isLong, step > 0 { try await Task.sleep(for: .milliseconds(number(in: 5...60))) }
      }
      guard chance(0.87) else {
        try await run("rollback")
        rollbacks += 1
        return
      }
      try await run("commit")
      commits += 1
    } catch let error as PostgresError where !error.isConnectionGone {
      try await run("rollback")
      rollbacks += 1
    }
  }

  private mutating func beginning(replica: Bool) -> String {
    let isolation = chance(0.1) ? " isolation level repeatable read" : ""
    return "begin" + isolation + (replica ? "; set local session_replication_role = replica" : "")
  }

  private mutating func runInSavepoint(replica: Bool) async throws {
    try await run("savepoint s")
    do {
      try await run(replica ? replicaStatement() : statement())
      try await run(chance(0.3) ? "rollback to s" : "release s")
    } catch let error as PostgresError where !error.isConnectionGone {
      try await run("rollback to s")
    }
  }

  private func run(_ sql: String) async throws {
    try await session.withConnection { (connection) throws(PostgresError) in
      try connection.executeScript(sql)
    }
  }

  private mutating func chance(_ share: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < share
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func department() -> String { "d\(number(in: 1...Self.departments))" }
  private mutating func user() -> String { "u\(number(in: 1...Self.users))" }

  private mutating func word() -> String {
    ["lamp", "Linse", "灯", "мост", "tab\t", "line\n", "\\", "e\u{301}", "🛠", ""]
      .randomElement(using: &random) ?? ""
  }

  /// What keeps its integrity even where no foreign key is checked.
  private mutating func replicaStatement() -> String {
    switch number(in: 0...4) {
    case 4: valueOfUser()
    case 0: "update staffbook.users set email = '\(number(in: 0...9))' where id = '\(user())'"
    case 1:
      "update staffbook.memberships set title = '\(word())' where user_id = '\(user())'"
    case 2: deletionOfMembership()
    default:
      "update staffbook.departments set description = '\(word())' where id = '\(department())'"
    }
  }

  private mutating func statement() -> String {
    switch number(in: mayTouchTree ? 0...20 : 4...20) {
    case 16, 17: valueOfUser()
    case 18:
      """
      update staffbook.departments set fields = jsonb_build_object('site', 's\(word())')
        where id = '\(department())'
      """
    case 19:
      "update staffbook.memberships set leads = not leads where user_id = '\(user())'"
    case 20: declaration()
    case 0:
      """
      insert into staffbook.departments (id, parent_id, name)
        values ('\(department())', (select id from staffbook.departments where id = '\(department())'),
          'n\(word())')
      """
    case 1: "delete from staffbook.departments where id = '\(department())'"
    case 2:
      """
      update staffbook.departments set parent_id = (select id from staffbook.departments
        where id = '\(department())') where id = '\(department())'
      """
    case 3:
      "update staffbook.departments set id = '\(department())' where id = '\(department())'"
    case 4:
      """
      update staffbook.departments set name = 'n\(word())', sort_order = \(number(in: -2...2))
        where id = '\(department())'
      """
    case 5, 6, 7: insertion(of: user())
    case 8: "delete from staffbook.users where id = '\(user())'"
    case 9: reinsertion(of: user())
    case 10: "update staffbook.users set id = '\(user())' where id = '\(user())'"
    case 11:
      "update staffbook.users set name = 'n\(word())', phone = '\(word())' where id = '\(user())'"
    case 12:
      """
      insert into staffbook.memberships (user_id, department_id, title, sort_order)
        values ('\(user())', '\(department())', '\(word())', \(number(in: 0...3)))
      """
    case 13: deletionOfMembership()
    case 14:
      """
      update staffbook.users u set primary_department_id = (select m.department_id
          from staffbook.memberships m where m.user_id = u.id order by random() limit 1)
        where id = '\(user())'
      """
    default:
      """
      update staffbook.memberships set department_id = '\(department())'
        where user_id = '\(user())' and department_id = '\(department())'
      """
    }
  }

  private mutating func valueOfUser() -> String {
    let value =
      switch number(in: 0...4) {
      case 0: "fields || jsonb_build_object('mobile', '+49 \(number(in: 0...9))')"
      case 1: "fields || jsonb_build_object('tags', jsonb_build_array('t\(word())', '\u{1}\"'))"
      case 2: "fields || jsonb_build_object('manager', '\(user())')"
      case 3: "fields || jsonb_build_object('badge', 'b\(word())')"
      default: "'{}'"
      }
    return "update staffbook.users set fields = \(value) where id = '\(user())'"
  }

  /// Takes a declaration back, with its values, or makes it again, perhaps with another label.
  private mutating func declaration() -> String {
    chance(0.5)
      ? "delete from staffbook.fields where of = 'user' and name = 'badge'"
      : """
      insert into staffbook.fields (of, name, label) values ('user', 'badge', 'B\(number(in: 0...9))')
        on conflict (of, name) do update set label = excluded.label
      """
  }

  private mutating func insertion(of user: String) -> String {
    let department = department()
    return """
      insert into staffbook.users (id, name, primary_department_id)
        values ('\(user)', 'n\(word())', '\(department)');
      insert into staffbook.memberships (user_id, department_id)
        values ('\(user)', '\(department)')
      """
  }

  private mutating func reinsertion(of user: String) -> String {
    "delete from staffbook.users where id = '\(user)';" + insertion(of: user)
  }

  /// The lock waits for anyone who makes another membership the primary one, which no foreign key
  /// does for a replica.
  private mutating func deletionOfMembership() -> String {
    let user = user()
    return """
      select from staffbook.users where id = '\(user)' for share;
      delete from staffbook.memberships m where m.user_id = '\(user)' and not exists (
        select from staffbook.users u
          where u.id = m.user_id and u.primary_department_id = m.department_id)
      """
  }
}
