import Administration
import DirectoryModel
import DirectoryStore
import DirectoryWriting
import HTTPTypes
import Seeds
import Serving
import TestSupport
import Testing

@testable import VisibilityModel

extension ServedCompany {
  /// Makes one of a random company, of which a device is shown what the rules say.
  fileprivate static func with(
    _ company: MarkedCompany,
    _ rules: VisibilityRules,
    _ body: (ServedCompany) async throws -> Void
  ) async throws {
    try await withTestDatabase(template: migrated) { conninfo in
      let served = ServedCompany(conninfo: conninfo, scratch: try ScratchFolder())
      try served.run(company.withoutMissingPeople().script)
      try await TokenAdministration(try served.administrator()).addDevice("lobby")
      let visibility = VisibilityAdministration(try served.administrator())
      try await visibility.write(rules, replacing: try await visibility.rules())
      try await body(served)
    }
  }

  /// What a device is answered to each of the paths.
  fileprivate func answers(_ paths: [(route: Route, path: String)]) async throws -> [Answer] {
    let tokens = TokenAdministration(try administrator())
    let token = try await tokens.addToken(
      for: "device:lobby",
      purpose: "test",
      scope: .copy,
      expires: "1d"
    )
    let headers = ["Authorization: Bearer \(token.text)"]
    var answers: [Answer] = []
    try await serve { server in
      let content = #"{"base":"all"}"#
      let set = try await server.openSet(content, headers)
      for (route, path) in paths {
        let answer = try await server.ask(
          path.replacing("SET", with: set),
          as: nil,
          method: route.method.rawValue,
          headers: headers,
          content: route.body.map { _ in content },
          // A stream does not end.
          readsContent: route.answer != .events
        )
        var masked = answer.masked
        // A tag is of what is shown; that of a history is of its times as well.
        if route.path.hasPrefix("/api/v1"), !route.path.hasSuffix("/history") {
          masked.headers += answer.headers.filter { $0.name == "etag" }
        }
        answers.append(masked)
      }
    }
    return answers
  }
}

extension MarkedCompany {
  /// SQL that inserts everything in one transaction.
  fileprivate var script: String {
    func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
    func insert(_ table: String, _ rows: [[String]]) -> String {
      if rows.isEmpty { return "" }
      let values = rows.map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ")
      return "insert into staffbook.\(table) values \(values);\n"
    }
    return "begin;\n"
      + insert(
        "fields (of, name, kind, label, is_multiple, visible, for_oneself)",
        fields.map { field in
          [
            quoted("\(field.owner.rawValue)"), quoted(field.name), quoted("\(field.kind.rawValue)"),
            quoted(field.label), "\(field.isMultiple)",
            field.isVisible ? "'everybody'" : "'nobody'", "\(field.isForOneself)",
          ]
        }
      )
      + insert(
        "departments (id, name, description, parent_id, sort_order)",
        departments.map { department in
          [
            quoted(department.id.rawValue), quoted(department.name), quoted(department.description),
            department.parent.map { quoted($0.rawValue) } ?? "null", "\(department.sortOrder)",
          ]
        }
      )
      + insert(
        "users (id, name, email, phone, primary_department_id, fields)",
        users.map { user in
          [
            quoted(user.id.rawValue), quoted(user.name), quoted(user.contacts[.email]),
            quoted(user.contacts[.phone]), quoted(user.primaryDepartment.rawValue),
            quoted(user.fields.json),
          ]
        }
      )
      + insert(
        "memberships (user_id, department_id, title, sort_order, leads)",
        memberships.map { membership in
          [
            quoted(membership.user.rawValue), quoted(membership.department.rawValue),
            quoted(membership.title), "\(membership.sortOrder)", "\(membership.leads)",
          ]
        }
      )
      // Values name people, who are there by now.
      + departments.map { department in
        "update staffbook.departments set fields = \(quoted(department.fields.json)) "
          + "where id = \(quoted(department.id.rawValue));\n"
      }.joined() + "commit"
  }
}

extension FieldValues {
  /// The text of no values is empty.
  fileprivate var json: String { text.isEmpty ? "{}" : text }
}

/// A text in a path or a query.
private func encoded(_ text: String) -> String {
  text.utf8.map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}

/// Requests of each route about records that are seen, half seen, hidden and never were.
private struct Walk {
  let departments: [DepartmentRecord]
  let users: [UserRecord]

  init(_ company: MarkedCompany, _ model: SlowSight) {
    users = [
      company.users.first { model.shows($0.id) }, company.users.first { model.isUnlisted($0.id) },
      company.users.first { !model.shows($0.id) && !model.isUnlisted($0.id) },
    ].compactMap { $0 }
    departments = [SlowSight.Showing.whole, .stub, .nothing].compactMap { showing in
      company.departments.first { model.showing($0.id) == showing }
    }
  }

  private var departmentIDs: [String] {
    (departments.map(\.id.rawValue) + ["d-never"]).map(encoded)
  }
  private var userIDs: [String] { (users.map(\.id.rawValue) + ["u-never"]).map(encoded) }

  private var queries: [String] {
    var texts = ["is:lead", "has:mobile", "has:badge", "-has:note", "a", "in:d-never a"]
    for user in users {
      texts += [user.name, String(user.name.prefix(3)), user.contacts[.email]]
      texts += [user.contacts[.phone], user.fields.values?["note"]?.texts.first ?? ""]
      texts += ["manager:\(user.id)", "name:\(user.name)"]
    }
    for department in departments {
      texts += [department.name, department.description, "in:\(department.id) a"]
    }
    return texts.filter { !$0.isEmpty }.map(encoded)
  }

  private var kinds: [String] {
    departmentIDs.map { "kind=department&id=\($0)" } + userIDs.map { "kind=user&id=\($0)" }
  }

  /// What follows the path of a route; `nil` where this walk does not know it.
  private func parameters(_ path: String) -> [String]? {
    switch path {
    case "/api/v1/departments", "/api/v1/roots", "/api/v1/people",
      "/api/v1/departments/{id}/children":
      ["", "?limit=2"]
    case "/api/v1/departments/{id}/staff": ["", "?recursive=true&limit=1000"]
    case "/api/v1/departments/{id}/history", "/api/v1/people/{id}/history": ["", "?limit=1"]
    case "/api/v1/search":
      queries.flatMap { ["?q=\($0)", "?explain=true&q=\($0)"] }
        + departmentIDs.map { "?q=a&in=\($0)" }
    case "/api/v1/suggestions": queries.map { "?q=\($0)" } + departmentIDs.map { "?q=a&in=\($0)" }
    case "/api/v1/places", "/api/v1/open-sets/{set}/row": kinds.map { "?\($0)" }
    case "/api/v1/open-sets/{set}/rows": ["", "?limit=3", "?from=2"]
    case "/api/v1/export":
      [
        "csv", "tsv", "json", "jsonl", "plain", "xlsx", "vcard", "ldif", "markdown", "html",
        "mermaid", "dot",
      ].flatMap { ["?format=\($0)", "?format=\($0)&kinds=people"] }
        + departmentIDs.map { "?format=json&root=\($0)" } + queries.map { "?format=csv&q=\($0)" }
    case "/", "/people/{id}", "/departments/{id}": [""] + queries.map { "?q=\($0)" }
    case "/api/v1", "/api/v1/departments/{id}", "/api/v1/people/{id}.vcf", "/api/v1/people/{id}",
      "/api/v1/people/{id}/qr.svg", "/api/v1/open-sets", "/api/v1/events", "/livez", "/readyz",
      "/openapi.json":
      [""]
    default: nil
    }
  }

  /// The requests of all routes.
  ///
  /// Metrics are about the process, and files of the page about nobody.
  func requests() throws -> [(route: Route, path: String)] {
    let others = ["/metrics", "/page/{version}/{file}"]
    return try Route.all.filter { !others.contains($0.path) }.flatMap { route in
      let further = try #require(parameters(route.path), "\(route.path) is not walked")
      let ids =
        !route.path.contains("{id}")
        ? [""] : route.path.contains("people") ? userIDs : departmentIDs
      return ids.flatMap { id in
        further.map { more in
          let path = route.path.replacing("{id}", with: id).replacing("{set}", with: "SET")
          return (route, path + more)
        }
      }
    }
  }
}

/// What a device is answered about random companies, beside a server on a directory that holds nothing but
/// what the model shows.
@Suite("What a server answers of a random company")
struct SeenRoutesTests {
  @Test(arguments: newSeeds(4))
  func `is on every route what one on only what is shown answers`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(departments: 8, people: 16, using: &generator)
      .withoutMissingPeople()
    let rules = try VisibilityRules(forDeviceOf: company, using: &generator)
    let model = SlowSight(rules, .device("lobby"), company)
    let requests = try Walk(company, model).requests()
    let reference = try model.reference()
    var (whole, seen): ([Answer], [Answer]) = ([], [])
    try await ServedCompany.with(company, rules) { whole = try await $0.answers(requests) }
    try await ServedCompany.with(reference.company, reference.rules) {
      seen = try await $0.answers(requests)
    }
    #expect(whole.contains { $0.status == 200 } && whole.contains { $0.status == 404 })
    for (request, (own, other)) in zip(requests, zip(whole, seen)) where own != other {
      Issue.record(
        """
        seed \(seed): \(request.route.method.rawValue) \(request.path): \(own.status) \(own.headers)
        \(own.text)
        \(other.status) \(other.headers)
        \(other.text)
        """
      )
    }
  }
}
