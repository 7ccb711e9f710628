import DirectoryModel
import DirectoryStore
import LiveDirectory
import SiteSettings

extension Doctor {
  /// Says what of the schema is not as the migrations made it, and what was not examined.
  func examine(_ schema: SchemaInspection, _ report: inout DoctorReport) {
    let found = report.findings.count
    describeParts(schema, &report)
    describeOwners(schema, &report)
    describeRights(schema, &report)
    if schema.isNewer {
      report.add(
        "schema",
        .note,
        "functions, indexes and rights were not examined, since a later version of Staffbook "
          + "migrated the database",
        advice: "examine them with that version"
      )
    } else if !report.findings[found...].contains(where: { $0.state == .problem }) {
      report.add(
        "schema",
        .good,
        "functions, indexes, constraints, owners and rights match the migrations"
      )
    }
    describeRecords(schema, &report)
  }

  private static var repair: Advice { "have the owner of the schema run: \(.repair)" }

  private func describeParts(_ schema: SchemaInspection, _ report: inout DoctorReport) {
    func add(_ text: String, _ names: [String], advice: Advice) {
      guard !names.isEmpty else { return }
      report.add("schema", .problem, text + ": " + names.joined(separator: ", "), advice: advice)
    }
    add(
      "functions are missing or differ from the migrations",
      schema.functions,
      advice: Self.repair
    )
    add("indexes are missing or invalid", schema.indexes, advice: Self.repair)
    add(
      "triggers are missing or not enabled as required",
      schema.guards.map(\.name),
      advice: Self.repair
    )
    add(
      "constraints are missing or not validated",
      schema.constraints,
      advice: "have the owner of the tables add or validate them, as in a new database"
    )
    add(
      "foreign keys are not enforced, since their triggers are disabled, on",
      schema.unenforced,
      advice: """
        have a superuser run: \(schema.unenforced.map { "alter table \($0) enable trigger all;" }
          .joined(separator: " ")) and then: \(.repair)
        """
    )
    add(
      "tables lack the rows that the schema requires",
      schema.emptied,
      advice: schema.emptied == ["ledger"]
        ? "the next change adds one; until then every sync compares everything"
        : "have the owner of the tables run: \(Self.refilling(schema.emptied))"
    )
  }

  /// Statements that put the one row of tables back.
  private static func refilling(_ tables: [String]) -> String {
    tables.compactMap { table in
      switch table {
      case "tree_lock": "insert into staffbook.tree_lock (by_xact) values ('0');"
      case "ledger": nil
      default: "insert into staffbook.\(table) default values;"
      }
    }.joined(separator: " ")
  }

  private func describeOwners(_ schema: SchemaInspection, _ report: inout DoctorReport) {
    if !schema.strays.isEmpty {
      report.add(
        "owners",
        .problem,
        "tables or functions do not belong to \(schema.owner), who owns the schema: "
          + schema.strays.map(\.name).joined(separator: ", "),
        advice: Advice(
          "have a superuser run: " + schema.strays.map(\.remedy).joined(separator: " ")
        )
      )
    }
    // No other account can connect to the private server.
    if schema.isOwnerSuperuser, site.settings.source.server != .privateServer {
      report.add(
        "owners",
        .note,
        "the schema belongs to \(schema.owner), a superuser, with whose rights its triggers run",
        advice: "transfer it to a role that is not a superuser"
      )
    }
  }

  private func describeRights(_ schema: SchemaInspection, _ report: inout DoctorReport) {
    if !schema.missingRights.isEmpty {
      report.add(
        "rights",
        .problem,
        "the roles lack rights: " + schema.missingRights.joined(separator: ", "),
        advice: Self.repair
      )
    }
    if !schema.secured.isEmpty {
      let historians =
        schema.historians.isEmpty
        ? "has no members"
        : "has the members "
          + schema.historians.joined(separator: ", ")
      report.add(
        "rights",
        .note,
        "row-level security is enabled on \(schema.secured.joined(separator: ", ")), so that only the "
          + "owner and members of staffbook_historian read history, which shows every record; it "
          + historians
      )
    }
    if !schema.unsecured.isEmpty {
      report.add(
        "rights",
        .problem,
        "row-level security is enabled on \(schema.secured.joined(separator: ", ")), but not on "
          + "\(schema.unsecured.joined(separator: ", ")), which name hidden records",
        advice: "have the owner of the tables add policies there, as docs/first-steps.md shows"
      )
    }
    if !schema.forced.isEmpty {
      report.add(
        "rights",
        .problem,
        "row-level security binds the owner of \(schema.forced.joined(separator: ", ")), too, so that "
          + "triggers miss the records that it hides",
        advice: Advice(
          "have the owner of the tables run: "
            + schema.forced.map { "alter table staffbook.\($0) no force row level security;" }
            .joined(separator: " ")
        )
      )
    }
    if !schema.publicFunctions.isEmpty {
      report.add(
        "rights",
        .problem,
        "PUBLIC may execute: " + schema.publicFunctions.joined(separator: ", "),
        advice: Self.repair
      )
    }
  }

  private func describeRecords(_ schema: SchemaInspection, _ report: inout DoctorReport) {
    guard let references = schema.references else {
      report.add(
        "records",
        .note,
        "references between records in the database were not checked, since "
          + (schema.mayRead
            ? "row-level security may hide some of them from \(schema.user)"
            : "\(schema.user) may not read every table"),
        advice: schema.mayRead
          ? "have the owner of the tables check them"
          : "have a member of staffbook_reader check them"
      )
      return
    }
    for fault in references {
      let rest = fault.count - fault.ids.count
      report.add(
        "records",
        .problem,
        "in the database there are \(fault.reason): " + fault.ids.joined(separator: ", ")
          + (rest > 0 ? " and \(rest) more" : ""),
        advice: "correct them in the database"
      )
    }
    if references.isEmpty {
      report.add("records", .good, "all references between records in the database are valid")
    }
  }
}
