import DirectoryModel
import DirectoryReading
import HTTPTypes
import Page

extension Route {
  /// What browsers open, which asks the interface for everything else.
  static let pages: [Route] = [
    Route(
      path: "/",
      summary: "The page: the top of the tree, or what a query finds.",
      parameters: [query],
      answer: .page
    ) { try await $0.page(of: nil) },
    Route(
      path: "/people/{id}",
      summary: "The page of a person.",
      parameters: [.id("The person."), query],
      answer: .page
    ) { try await $0.page(of: .person(UserID($0.required("id")))) },
    Route(
      path: "/departments/{id}",
      summary: "The page of a department.",
      parameters: [.id("The department."), query, .cursor],
      answer: .page
    ) { try await $0.page(of: .department(DepartmentID($0.required("id")))) },
    Route(
      path: "/page/{version}/{file}",
      access: .anybody,
      summary: "A file of the page.",
      parameters: [
        .word("version", "Of all files; another's are not found."), .word("file", "Its name."),
      ],
      answer: .file,
      // Behind a proxy everybody has one address, and a page has some twenty files.
      isLimited: false,
      problems: [.notFound]
    ) { request in
      guard request.required("version") == PageFile.version,
        let file = PageFile.all[request.required("file")]
      else { throw Problem(.notFound) }
      let isCompressed = request.headers[.acceptEncoding]?.contains("gzip") ?? false
      var reply = Reply(isCompressed ? file.compressed : file.bytes, file.type)
      if isCompressed { reply.headers[.contentEncoding] = "gzip" }
      reply.headers[.vary] = "Accept-Encoding"
      reply.headers[.cacheControl] = "public, max-age=31536000, immutable"
      return reply
    },
  ]

  private static let query = Parameter(
    name: "q",
    kind: .text(most: 1_000),
    summary: "What is searched for."
  )
}

extension Route.Parameter {
  fileprivate static func word(_ name: String, _ summary: String) -> Self {
    Self(name: name, place: .path, kind: .text(most: 32), isRequired: true, summary: summary)
  }
}

extension RouteRequest {
  fileprivate func page(of record: DirectoryTarget?) async throws -> Reply {
    let document = PageDocument(
      PageTexts.preferred(headers[.acceptLanguage]),
      query: text("q") ?? "",
      record: record
    )
    let place: PagePlace? = try Cursor.value(text("cursor"))
    return try await reply { directory in
      let page = try document.html(
        of: directory,
        after: place,
        service: (serviceObject(directory).line, directory.takenAtText),
        cursor: Cursor.text
      )
      return .page(page.html, status: page.isFound ? .ok : .notFound)
    }
  }
}

extension Reply {
  /// HTML, of which the browser keeps nothing: it is of the directory, or of who asks.
  fileprivate static func page(_ html: [UInt8], status: HTTPResponse.Status) -> Reply {
    var reply = Reply(html, Route.Answer.page.rawValue, status: status)
    reply.headers[.cacheControl] = "no-store"
    reply.headers[.vary] = "Accept-Language, Authorization, Cookie"
    reply.headers[.contentSecurityPolicy] = PageDocument.policy
    return reply
  }
}

extension Problem {
  /// For people, where they opened the address in a browser.
  func reply(to headers: HTTPFields) -> Reply {
    let json = reply
    guard headers[.accept]?.contains("text/html") ?? false else { return json }
    let document = PageDocument(PageTexts.preferred(headers[.acceptLanguage]))
    let words = [detail, remedy].compactMap(\.self).joined(separator: "; ")
    var page = Reply.page(
      document.html(problem: kind.rawValue, remedy: words.isEmpty ? nil : words),
      status: json.status
    )
    for field in json.headers where field.name != .contentType { page.headers.append(field) }
    return page
  }
}
