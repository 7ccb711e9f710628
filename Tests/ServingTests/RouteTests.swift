import Administration
import DirectoryModel
import DirectoryWriting
import FoundationEssentials
import HTTPTypes
import Page
import Platform
import Serving
import SiteSettings
import SystemPackage
import TestSupport
import Testing

/// A request of each route that succeeds: a route that is not here fails the test.
private let samples: [String: (path: String, content: String?)] = [
  "GET /api/v1": ("/api/v1", nil),
  "GET /api/v1/departments": ("/api/v1/departments?limit=2", nil),
  "GET /api/v1/roots": ("/api/v1/roots", nil),
  "GET /api/v1/departments/{id}/children": ("/api/v1/departments/acme/children", nil),
  "GET /api/v1/departments/{id}/staff": ("/api/v1/departments/acme/staff?recursive=true", nil),
  "GET /api/v1/people": ("/api/v1/people?limit=1000", nil),
  "GET /api/v1/departments/{id}": ("/api/v1/departments/a%2Fb%25", nil),
  "GET /api/v1/people/{id}.vcf": ("/api/v1/people/bo.vcf", nil),
  "GET /api/v1/people/{id}/qr.svg": ("/api/v1/people/bo/qr.svg", nil),
  "GET /api/v1/people/{id}": ("/api/v1/people/bo", nil),
  "GET /api/v1/places": ("/api/v1/places?kind=user&id=bo", nil),
  "GET /api/v1/search": ("/api/v1/search?q=lund&explain=true", nil),
  "GET /api/v1/suggestions": ("/api/v1/suggestions?q=l", nil),
  "POST /api/v1/open-sets": ("/api/v1/open-sets", "{\"base\":\"all\"}"),
  "GET /api/v1/open-sets/{set}/rows": ("/api/v1/open-sets/SET/rows", nil),
  "GET /api/v1/open-sets/{set}/row": ("/api/v1/open-sets/SET/row?kind=department&id=lamps", nil),
  "GET /api/v1/export": ("/api/v1/export?format=csv", nil),
  "GET /api/v1/people/{id}/history": ("/api/v1/people/bo/history", nil),
  "GET /api/v1/departments/{id}/history": ("/api/v1/departments/lamps/history", nil),
  "GET /api/v1/events": ("/api/v1/events", nil),
  "GET /livez": ("/livez", nil), "GET /readyz": ("/readyz", nil),
  "GET /metrics": ("/metrics", nil), "GET /openapi.json": ("/openapi.json", nil),
  "GET /": ("/?q=lund", nil), "GET /people/{id}": ("/people/bo", nil),
  "GET /departments/{id}": ("/departments/a%2Fb%25", nil),
  "GET /page/{version}/{file}": ("/page/\(PageFile.version)/page.css", nil),
]

extension TestServer {
  /// Asks a route by its sample.
  fileprivate func ask(
    _ route: Route,
    as user: String? = "ada",
    headers: [String] = []
  ) async throws -> Answer {
    let name = "\(route.method.rawValue) \(route.path)"
    let sample = try #require(samples[name], "\(name) has no sample")
    var path = sample.path
    if path.contains("SET") {
      path = path.replacing("SET", with: try await openSet("{\"base\":\"all\"}"))
    }
    // A stream does not end.
    return try await ask(
      path,
      as: user,
      method: route.method.rawValue,
      headers: headers,
      content: sample.content,
      readsContent: route.answer != .events
    )
  }

  /// Posts a set.
  func openSet(_ json: String, _ headers: [String] = ["Remote-User: ada"]) async throws -> String {
    struct Posted: Decodable { var set: String }
    let answer = try await ask(
      "/api/v1/open-sets",
      as: nil,
      method: "POST",
      headers: headers,
      content: json
    )
    return try JSONDecoder().decode(Posted.self, from: Data(answer.body)).set
  }
}

@Suite("The interface")
struct RouteTests {
  @Test func `answers each route only to those who may call it`() async throws {
    try await ServedCompany.with { company in
      let tokens = TokenAdministration(try company.administrator())
      func token(_ scope: TokenScope) async throws -> String {
        try await tokens.addToken(for: "bo", purpose: "test", scope: scope, expires: "1d").text
      }
      let (reader, copier) = (try await token(.read), try await token(.copy))
      try await company.serve { (server) async throws in
        for route in Route.all {
          let isOpen = route.access == .anybody
          let good = route.method == .post ? 201 : 200
          #expect(try await server.ask(route).status == good, "\(route.path) to a person")
          #expect(
            try await server.ask(route, as: nil).status == (isOpen ? good : 401),
            "\(route.path)"
          )
          #expect(
            try await server.ask(route, as: "nobody").status == (isOpen ? good : 403),
            "\(route.path) to a name that no person has"
          )
          let wrong = try await server.ask(route, as: nil, headers: ["Authorization: Bearer no"])
          // Of many wrong ones the later ones are slowed down.
          #expect(
            (isOpen ? [good] : [401, 429]).contains(wrong.status),
            "\(route.path), wrong token"
          )
          let basic = Data("x:\(copier)".utf8).base64EncodedString()
          #expect(
            try await server.ask(route, as: nil, headers: ["Authorization: Basic \(basic)"]).status
              == good,
            "\(route.path) with a token that may copy"
          )
          #expect(
            try await server.ask(route, as: nil, headers: ["Authorization: Bearer \(reader)"])
              .status
              == (route.access == .copiers ? 403 : good),
            "\(route.path) with a token that may read"
          )
        }
      }
    }
  }

  @Test func `answers as if what is hidden had never been`() async throws {
    func answers(hidden: Bool) async throws -> [String: Answer] {
      var answers: [String: Answer] = [:]
      try await ServedCompany.with(hidden: hidden) { company in
        try await company.serve { (server) async throws in
          let mark = ServedCompany.mark
          for route in Route.all where route.access != .anybody {
            answers[route.path] = try await server.ask(route)
          }
          for path in [
            "/api/v1/people/cy\(mark)", "/api/v1/people/cy\(mark).vcf",
            "/api/v1/people/cy\(mark)/qr.svg",
            "/api/v1/departments/d\(mark)",
            "/api/v1/departments/d\(mark)/children", "/api/v1/departments/d\(mark)/staff",
            "/api/v1/people/cy\(mark)/history", "/api/v1/departments/d\(mark)/history",
            "/api/v1/places?kind=user&id=cy\(mark)", "/api/v1/search?q=\(mark)",
            "/api/v1/search?q=ada&in=d\(mark)", "/api/v1/search?q=cy\(mark)@lumen.example",
            "/api/v1/suggestions?q=cy", "/api/v1/export?format=json&root=d\(mark)", "/",
            "/people/cy\(mark)", "/departments/d\(mark)", "/?q=cy\(mark)", "/people/bo?q=ada",
          ] {
            answers[path] = try await server.ask(path)
          }
          for format in [
            "tsv", "json", "jsonl", "vcard", "ldif", "markdown", "html", "mermaid", "dot",
          ] {
            let path = "/api/v1/export?format=\(format)"
            answers[path] = try await server.ask(path)
          }
          // The administrator's key is for callers who see everything: the mark is there to be hidden.
          let seen = try await company.seenByAdministrator("/api/v1/export?format=csv")
          #expect(seen.text.contains(mark) == hidden)
        }
      }
      return answers
    }
    let (with, without) = (try await answers(hidden: true), try await answers(hidden: false))
    for (path, answer) in with {
      let never = try #require(without[path])
      #expect(answer.masked == never.masked, "\(path)")
    }
  }

  @Test func `does not let names of people write headers or markup`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for route in Route.all {
          let answer = try await server.ask(route)
          #expect(answer.header("set-cookie") == nil, "\(route.path)")
          #expect(answer.header("x-content-type-options") == "nosniff", "\(route.path)")
        }
        let card = try await server.ask("/api/v1/people/eve")
        struct Card: Decodable { var name: String }
        #expect(
          try JSONDecoder().decode(Card.self, from: Data(card.body)).name == ServedCompany.hostile
        )
        let page = try await server.ask("/api/v1/export?format=html")
        #expect(!page.text.contains("<b>\"Eve"))
        #expect(page.header("content-disposition") == #"attachment; filename="directory.html""#)
      }
    }
  }

  @Test func `exports CSV that a spreadsheet does not run, where it is asked for`() async throws {
    try await ServedCompany.with { company in
      try company.run("update staffbook.users set name = '=HYPERLINK(1)' where id = 'bo'")
      try await company.serve { (server) async throws in
        let exact = try await server.ask("/api/v1/export?format=csv")
        #expect(exact.text.contains(",=HYPERLINK(1),"))
        let file = try await server.ask("/api/v1/export?format=csv&excel=true")
        #expect(file.body.starts(with: [0xEF, 0xBB, 0xBF]))
        #expect(file.text.contains(",'=HYPERLINK(1),") && !file.text.contains(",=HYPERLINK"))
        let other = try await server.ask("/api/v1/export?format=xlsx&excel=true")
        #expect(other.status == 400)
      }
    }
  }

  @Test func `names what it has by tags`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for path in ["/api/v1/people/bo", "/api/v1/people", "/api/v1/search?q=bo"] {
          let tag = try #require(try await server.ask(path).header("etag"))
          let again = try await server.ask(path, headers: ["If-None-Match: \"x\", W/\(tag)"])
          #expect((again.status, again.body.count) == (304, 0), "\(path)")
        }
        let before = try await server.ask("/api/v1/people/bo").header("etag")
        let list = try await server.ask("/api/v1/people").header("etag")
        try company.run("update staffbook.users set name = 'Ada Lind' where id = 'ada'")
        try await wait(until: "the change is there") {
          try await server.ask("/api/v1/people/ada").text.contains("Lind")
        }
        #expect(try await server.ask("/api/v1/people/bo").header("etag") == before)
        #expect(try await server.ask("/api/v1/people").header("etag") != list)
      }
    }
  }

  @Test func `says what is wrong with a request`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for (path, kind, detail, remedy): (String, Problem.Kind, String?, String?) in [
          ("/api/v1/search", .badRequest, #"the parameter "q" is missing"#, nil),
          ("/api/v1/search?q=a&q=b", .badRequest, #"the parameter "q" is given twice"#, nil),
          (
            "/api/v1/search?q=a&x=1", .badRequest, #"unknown parameter "x""#,
            "the parameters are q, in, limit, offset, explain"
          ),
          (
            "/api/v1/search?q=%FF", .badRequest, "the query is not percent-encoded UTF-8", nil
          ),
          ("/api/v1/search?q=%00", .badRequest, #"the parameter "q" has a NUL"#, nil),
          (
            "/api/v1/people?limit=0", .badRequest,
            #"the parameter "limit" is not a number from 1 to 1000"#, nil
          ),
          (
            "/api/v1/people?cursor=%7B", .badRequest,
            #"the parameter "cursor" is not a cursor of a page"#,
            "omit it to start with the first page"
          ),
          (
            "/api/v1/departments/acme/staff?recursive=1", .badRequest,
            #"the parameter "recursive" is neither true nor false"#, nil
          ),
          (
            "/api/v1/export?format=exe", .badRequest,
            #"the parameter "format" is none of csv, tsv, json, jsonl, plain, xlsx, vcard, ldif, markdown, html, mermaid, dot"#,
            nil
          ),
          ("/api/v1/people/nobody", .notFound, nil, nil),
          (
            "/api/v1/people/" + String(repeating: "x", count: 256), .badRequest,
            #"the parameter "id" has more than 255 bytes"#, nil
          ),
          ("/api/v1/open-sets/0/rows", .notFound, "there is no open set 0", "post it again"),
          (
            "/api/v1/people/bo?as_of=yesterdayish", .badRequest,
            #""yesterdayish" is not a valid time"#,
            "give it as 2026-10-01, 2026-10-01 14:00, yesterday, 2 weeks ago, or as the number of a transaction"
          ),
          (
            "/nothing", .notFound, "this path does not exist", "GET /openapi.json lists all"
          ),
        ] {
          let answer = try await server.ask(path)
          #expect(answer.status == kind.status.code, "\(path): \(answer.text)")
          let expected = ProblemContent(
            type: "/problems/\(kind.rawValue)",
            title: kind.title,
            status: kind.status.code,
            detail: detail,
            remedy: remedy
          )
          let found = try JSONDecoder().decode(ProblemContent.self, from: Data(answer.body))
          #expect(found == expected, "\(path): \(answer.text)")
          #expect(answer.header("content-type") == "application/problem+json")
        }
        let other = try await server.ask("/api/v1/people", method: "DELETE")
        #expect((other.status, other.header("allow")) == (405, "GET, HEAD"))
        for content in [
          "[]", #"{"base":"all","open":null}"#, #"{"base":"all","levels":null}"#,
          #"{"base":"all","steps":[{}]}"#, #"{"base":"all","steps":[{"open":null}]}"#,
          #"{"base":"all","steps":[{"open":"lamps","close":"lamps"}]}"#,
        ] {
          let answer = try await server.ask("/api/v1/open-sets", method: "POST", content: content)
          #expect(answer.status == 400, "\(content)")
        }
        let long = "{\"base\":\"none\",\"open\":[\"\(String(repeating: "x", count: 1 << 20))\"]}"
        #expect(
          try await server.ask("/api/v1/open-sets", method: "POST", content: long).status == 413
        )
      }
    }
  }

  @Test func `carries out the steps of an open set in their order`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for (steps, count) in [
          ("", 1),
          (#"{"open":"lamps"}"#, 5),
          (#"{"below":"acme"}"#, 6),
          (#"{"below":"acme"},{"close":"acme"}"#, 1),
          (#"{"open":"lamps"},{"close":"acme"},{"open":"acme"}"#, 5),
          (#"{"open":"lamps"},{"close":"lamps"}"#, 3),
        ] {
          let set = try await server.openSet(#"{"base":"none","steps":[\#(steps)]}"#)
          let text = try await server.ask("/api/v1/open-sets/\(set)/rows").text
          #expect(
            text.hasPrefix(#"{"count":\#(count),"from":0,"rows":["#),
            "\(steps): \(text)"
          )
        }
      }
    }
  }

  @Test func `knows an open set to those who posted it and see all that it names`() async throws {
    try await ServedCompany.with { company in
      let hidden = "d\(ServedCompany.mark)"
      let visibility = VisibilityAdministration(try company.administrator())
      let rules = try await visibility.rules()
      let toBo = VisibilityRule(.show, .department(DepartmentID(hidden)), .person(UserID("bo")))
      try await visibility.write(VisibilityRules([toBo] + rules.rules), replacing: rules)
      try await company.serve { (server) async throws in
        func post(_ open: [String], as user: String) async throws -> String {
          let ids = open.map { "\"\($0)\"" }.joined(separator: ",")
          return try await server.openSet(
            "{\"base\":\"none\",\"open\":[\(ids)]}",
            ["Remote-User: \(user)"]
          )
        }
        func status(_ set: String, as user: String) async throws -> Int {
          try await server.ask("/api/v1/open-sets/\(set)/rows", as: user).status
        }
        // Bo alone sees the department: nobody else can find out that it was opened.
        let ofBo = try await post(["acme", hidden], as: "bo")
        #expect(try await status(ofBo, as: "bo") == 200)
        #expect(try await status(ofBo, as: "ada") == 404)
        let ofAda = try await post(["acme", hidden], as: "ada")
        #expect(try await status(ofBo, as: "ada") == 404)
        #expect(try await ofAda == post(["acme"], as: "ada"))
        #expect(try await status(ofAda, as: "ada") == 200)
        // Those who see the same know the same sets, and others do not.
        let lamps = try await post(["acme", "lamps"], as: "ada")
        #expect(try await status(lamps, as: "eve") == 200)
        #expect(try await status(lamps, as: "bo") == 404)
        try company.run(
          "update staffbook.departments set parent_id = '\(hidden)' where id = 'lamps'"
        )
        try await wait(until: "the department is hidden") {
          try await server.ask("/api/v1/departments/lamps", as: "eve").status == 404
        }
        #expect(try await status(lamps, as: "eve") == 404)
      }
    }
  }

  @Test func `is described by docs/api.md as it is`() throws {
    let file = FilePath(#filePath).removingLastComponent().removingLastComponent()
      .removingLastComponent().appending("docs/api.md")
    let text = try MappedFile(path: file).withBytes { String(decoding: $0, as: UTF8.self) }
    let routes = try #require(text.firstRange(of: "### GET /api/v1\n"))
    #expect(
      text[routes.lowerBound...] == Reference.markdown,
      "write what staffbookd --routes prints to the end of docs/api.md"
    )
  }
}

/// What RFC 9457 has a server say of what it cannot answer.
private struct ProblemContent: Decodable, Equatable {
  var type: String
  var title: String
  var status: Int
  var detail: String?
  var remedy: String?
}

extension Answer {
  /// Without what names a state, and when something was written.
  var masked: Answer {
    var masked = self
    masked.headers.removeAll {
      ["date", "staffbook-state", "etag", "content-length"].contains($0.name)
    }
    let text = text.replacing(/"next":"[^"]*"/, with: "next")
      .replacing(/"(takenAt|at|time)":"[^"]*"/, with: "time")
      .replacing(/"(secondsBehind|number|transaction)":\d+/, with: "number")
      .replacing(/\d{4}-?\d\d-?\d\d[T ]\d\d:?\d\d(:?\d\d)?(Z| UTC)?/, with: "time")
    masked.body = Array(text.utf8)
    return masked
  }
}

extension ServedCompany {
  /// What the account that started a server is answered.
  fileprivate func seenByAdministrator(_ path: String) async throws -> Answer {
    var answer: Answer?
    try await serve(home: ScratchFolder(), { $0.signIn = nil }) { (server) async throws in
      let key = try #require(server.service.entrance).dropFirst("?key=".count)
      answer = try await server.ask(path, as: nil, headers: ["Cookie: a=b; staffbook=\(key)"])
    }
    return try #require(answer)
  }
}
