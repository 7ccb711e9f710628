import DirectoryModel
import LibPQ

/// Reads who may see whom, now and as history has it.
enum VisibilityQueries {
  /// The columns of a rule, from `VisibilityRule.init(id:columns:)`'s to its place.
  private static func columns(of row: String) -> String {
    """
    \(row).effect, array_to_string(\(row).fields, ' '), \(row).target, \(row).target_id,
    \(row).target_field, \(row).target_value, \(row).viewer, \(row).viewer_id,
    \(row).viewer_field, \(row).viewer_value, \(row).target_identity::text,
    \(row).viewer_identity::text, \(row).sort_order
    """
  }

  private static let ruleColumns = 12

  static func read(_ connection: inout PGConnection) throws(StoreFailure) -> VisibilityRules {
    VisibilityRules(try states(&connection))
  }

  static func states(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> VisibilityRules.States {
    var states: VisibilityRules.States = [:]
    let rules = try connection.query(
      "select r.id, \(columns(of: "r")) from staffbook.visibility_rules r"
    )
    for row in 0..<rules.rowCount {
      let id = Int64(rules.cell(0, row: row)) ?? 0
      states[.rule(id)] = state(ofRule: id, rules, row: row, from: 1)
    }
    let groups = try connection.query(
      "select name, user_id, identity::text from staffbook.visibility_groups"
    )
    for row in 0..<groups.rowCount {
      let subject = VisibilityChange.Subject.member(
        UserID(groups.cell(1, row: row)),
        group: groups.cell(0, row: row)
      )
      states[subject] = VisibilityChange.State(
        identity: groups.text(row: row, column: 2).map { RecordIdentity($0) }
      )
    }
    return states
  }

  private static func state(
    ofRule id: Int64,
    _ rows: borrowing PGResult,
    row: Int,
    from column: Int
  ) -> VisibilityChange.State {
    VisibilityChange.State(
      rule: VisibilityRule(
        id: id,
        columns: (0..<ruleColumns).map { rows.text(row: row, column: column + $0) }
      ),
      place: Int64(rows.cell(column + ruleColumns, row: row)) ?? 0
    )
  }

  /// What differs between two times, in microseconds since 1970, rules first.
  ///
  /// - Complexity: What was changed of rules and groups, and the number of transactions between.
  static func changes(
    from: Int64,
    to: Int64,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [VisibilityChange] {
    let found = try connection.query(
      """
      with c as (
        select c.* from staffbook.transactions t join staffbook.changes c on c.transaction = t.number
          where t.at > \(HistoryQueries.time("$1")) and t.at <= \(HistoryQueries.time("$2"))
            and t.counts ?| '{rule,group}' and c.kind in ('rule', 'group')
      ), d as (
        select c.kind, c.key1, c.key2, (array_agg(c.before order by c.place))[1] as before,
            (array_agg(c.after order by c.place desc))[1] as after
          from c group by c.kind, c.key1, c.key2
      )
      select d.kind, d.key1, d.key2, d.before is null, d.after is null,
          \(columns(of: "b")), \(columns(of: "a")),
          d.before ->> 'identity', d.after ->> 'identity'
        from d cross join jsonb_populate_record(null::staffbook.visibility_rules, d.before) b
          cross join jsonb_populate_record(null::staffbook.visibility_rules, d.after) a
        where d.before is distinct from d.after
      """,
      [.int64(from), .int64(to)]
    )
    return (0..<found.rowCount).map { row in
      let id = Int64(found.cell(1, row: row)) ?? 0
      let isRule = found.cell(0, row: row) == "rule"
      func side(_ isAbsent: Int, from column: Int, identity: Int) -> VisibilityChange.State? {
        if found.bool(row: row, column: isAbsent) == true { return nil }
        return isRule
          ? state(ofRule: id, found, row: row, from: column)
          : VisibilityChange.State(
            identity: found.text(row: row, column: identity).map { RecordIdentity($0) }
          )
      }
      return VisibilityChange(
        isRule
          ? .rule(id)
          : .member(UserID(found.cell(2, row: row)), group: found.cell(1, row: row)),
        from: side(3, from: 5, identity: 7 + 2 * ruleColumns),
        to: side(4, from: 6 + ruleColumns, identity: 8 + 2 * ruleColumns)
      )
    }.sorted { $0.subject < $1.subject }
  }
}

extension VisibilityRule {
  /// Reads the columns that `columns` gives.
  ///
  /// - Returns: `nil` for what this program does not know.
  fileprivate init?(id: Int64, columns: [String?]) {
    guard let effect = Effect(rawValue: columns[0] ?? ""),
      let targets = Targets(Array(columns[2..<6])), let viewers = Viewers(Array(columns[6..<10]))
    else { return nil }
    let fields = (columns[1] ?? "").split(separator: " ").map { String($0) }
    guard effect != .unlist || fields.isEmpty && targets.arePeople else { return nil }
    self.init(
      id: id,
      effect,
      fields: fields,
      targets,
      viewers,
      targetIdentity: columns[10].map { RecordIdentity($0) },
      viewerIdentity: columns[11].map { RecordIdentity($0) }
    )
  }

  /// Effect, the fields with spaces between, then kind, id, field and value of targets and viewers, and
  /// the identities of both.
  var columns: [String?] {
    [effect.rawValue, fields.joined(separator: " ")] + targets.columns + viewers.columns
      + [targetIdentity?.rawValue, viewerIdentity?.rawValue]
  }
}

extension VisibilityRule.Targets {
  fileprivate init?(_ columns: [String?]) {
    switch (columns[0], columns[1], columns[2], columns[3]) {
    case ("everything", nil, nil, nil): self = .everything
    case ("department", let id?, nil, nil): self = .department(DepartmentID(id))
    case ("person", let id?, nil, nil): self = .person(UserID(id))
    case ("own_departments", nil, nil, nil): self = .ownDepartments
    case ("led_departments", nil, nil, nil): self = .ledDepartments
    case ("colleagues", nil, nil, nil): self = .colleagues
    case ("people", nil, let field?, let value?): self = .people(field: field, value: value)
    default: return nil
    }
  }

  fileprivate var columns: [String?] {
    switch self {
    case .everything: ["everything", nil, nil, nil]
    case .department(let id): ["department", id.rawValue, nil, nil]
    case .person(let id): ["person", id.rawValue, nil, nil]
    case .ownDepartments: ["own_departments", nil, nil, nil]
    case .ledDepartments: ["led_departments", nil, nil, nil]
    case .colleagues: ["colleagues", nil, nil, nil]
    case .people(let field, let value): ["people", nil, field, value]
    }
  }
}

extension VisibilityRule.Viewers {
  fileprivate init?(_ columns: [String?]) {
    switch (columns[0], columns[1], columns[2], columns[3]) {
    case ("everybody", nil, nil, nil): self = .everybody
    case ("department", let id?, nil, nil): self = .department(DepartmentID(id))
    case ("person", let id?, nil, nil): self = .person(UserID(id))
    case ("group", let name?, nil, nil): self = .group(name)
    case ("leads", nil, nil, nil): self = .leads
    case ("people", nil, let field?, let value?): self = .people(field: field, value: value)
    case ("device", let name?, nil, nil): self = .device(name)
    default: return nil
    }
  }

  fileprivate var columns: [String?] {
    switch self {
    case .everybody: ["everybody", nil, nil, nil]
    case .department(let id): ["department", id.rawValue, nil, nil]
    case .person(let id): ["person", id.rawValue, nil, nil]
    case .group(let name): ["group", name, nil, nil]
    case .leads: ["leads", nil, nil, nil]
    case .people(let field, let value): ["people", nil, field, value]
    case .device(let name): ["device", name, nil, nil]
    }
  }
}
