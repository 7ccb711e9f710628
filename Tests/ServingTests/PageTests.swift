import FoundationEssentials
import Page
import Platform
import Serving
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("The page")
struct PageTests {
  private static let root = FilePath(#filePath).removingLastComponent().removingLastComponent()
    .removingLastComponent()

  /// The sources of a folder whose names end so, as one text.
  private func text(of folder: String, _ ending: String) throws -> String {
    let folder = Self.root.appending(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    return try names.filter { $0.hasSuffix(ending) }.sorted().map { name in
      try MappedFile(path: folder.appending(name)).withBytes { String(decoding: $0, as: UTF8.self) }
    }.joined()
  }

  private static let takesGzip = "Accept-Encoding: gzip"

  private let pages = ["/", "/?q=lund", "/people/bo", "/people/eve", "/departments/a%2Fb%25"]

  @Test func `loads nothing but its own files, and runs nothing that a name says`() async throws {
    try await ServedCompany.with { company in
      try company.run(
        """
        update staffbook.departments set name = '</script><img src=x onerror=alert(1)>"''&' where id = 'lamps';
        update staffbook.memberships set title = '<!--<script>' where user_id = 'bo';
        """
      )
      try await company.serve { (server) async throws in
        try await wait(until: "the change is there") {
          try await server.ask("/api/v1/departments/lamps").text.contains("onerror")
        }
        for path in pages + ["/departments/lamps", "/?q=%3C/script%3E%22%3E%3Cimg%20src=x%3E"] {
          let answer = try await server.ask(path)
          #expect(answer.status == 200, "\(path)")
          #expect(answer.header("content-type") == "text/html; charset=utf-8")
          #expect(answer.header("cache-control") == "no-store")
          #expect(
            answer.header("content-security-policy")
              == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
              + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
          )
          let html = answer.text
          for markup in ["<img", "<b>", "<!--", " onerror=alert(1)>\"", "style=\"", "\u{202E}<"] {
            #expect(!html.contains(markup), "\(path): \(markup)")
          }
          // Two blocks of data and the module.
          #expect(html.split(separator: "</script>", omittingEmptySubsequences: false).count == 4)
          for attribute in ["href", "src", "action"] {
            for part in html.split(separator: " \(attribute)=\"").dropFirst() {
              let address = part.prefix { $0 != "\"" }
              let isOwn =
                address.hasPrefix("/") && !address.hasPrefix("//") || address.hasPrefix("#")
              #expect(
                isOwn || address.hasPrefix("mailto:") || address.hasPrefix("tel:"),
                "\(address)"
              )
            }
          }
        }
      }
    }
  }

  @Test func `shows, searches and leads on without a script`() async throws {
    try await ServedCompany.with { company in
      try company.run(
        """
        insert into staffbook.users (id, name, email, primary_department_id)
          select 'u' || n, 'Person ' || lpad(n::text, 3, '0'), 'u' || n || '@lumen.example', 'lamps'
          from generate_series(1, 250) n;
        insert into staffbook.memberships (user_id, department_id)
          select 'u' || n, 'lamps' from generate_series(1, 250) n;
        """
      )
      try await company.serve { (server) async throws in
        try await wait(until: "the change is there") {
          try await server.ask("/api/v1/people/u250").status == 200
        }
        let top = try await server.ask("/").text
        #expect(top.contains("<a class=\"home\" href=\"/\"><bdi>Acme</bdi></a>"))
        #expect(top.contains("<a class=\"hit\" href=\"/departments/lamps\">"))
        let hits = try await server.ask("/?q=person+007").text
        #expect(hits.contains("<a class=\"hit\" href=\"/people/u7?q=person%20007\">"))
        #expect(hits.contains("<mark>Person</mark>"))
        #expect(hits.contains("value=\"person 007\""))
        let card = try await server.ask("/people/u7?q=person").text
        #expect(card.contains("<h1><bdi>Person 007</bdi></h1>"))
        #expect(card.contains("<a href=\"mailto:u7@lumen.example\" rel=\"noreferrer\">"))
        #expect(card.contains("<a href=\"/departments/lamps\" rel=\"noreferrer\">"))
        #expect(card.contains("<title>Person 007 · Acme</title>"))
        // A list goes on where its page ended, and each person is on one of them.
        var path = "/departments/lamps"
        var people: [String] = []
        for _ in 0..<2 {
          let list = try await server.ask(path).text
          people += list.split(separator: "<a class=\"hit\" href=\"/people/").dropFirst().map {
            String($0.prefix { $0 != "\"" })
          }
          let next = list.split(separator: "href=\"/departments/lamps?cursor=").dropFirst().first
          path = "/departments/lamps?cursor=" + (next.map { $0.prefix { $0 != "\"" } } ?? "")
        }
        #expect(people.count == 252 && Set(people).count == 252)
        #expect(path.hasSuffix("cursor="))
        let wrong = try await server.ask("/?q=name:%22")
        #expect(wrong.status == 200, "\(wrong.text)")
      }
    }
  }

  @Test func `says what is wrong to a browser in its language, and to a program in JSON`()
    async throws
  {
    try await ServedCompany.with { company in
      try await company.serve({ $0.signIn = nil }) { (server) async throws in
        let browser = ["Accept: text/html,*/*;q=0.8", "Accept-Language: de-AT,en;q=0.5"]
        let answer = try await server.ask("/people/bo", as: nil, headers: browser)
        #expect(answer.status == 401)
        #expect(answer.text.contains("<html lang=\"de\" dir=\"ltr\">"))
        #expect(answer.text.contains("Bitte melden Sie sich an"))
        #expect(answer.text.contains("open the address that the server printed"))
        #expect(answer.header("www-authenticate") == "Bearer realm=\"staffbook\"")
        #expect(!answer.text.contains("Acme"))
        let program = try await server.ask("/people/bo", as: nil)
        #expect(program.header("content-type") == "application/problem+json")
      }
      try await company.serve { (server) async throws in
        let missing = try await server.ask("/people/no-one")
        #expect(missing.status == 404)
        #expect(missing.text.contains("<h1>Not found</h1>"))
        for (asked, chosen) in [
          ("", "en"), ("fr", "en"), ("zh-Hans-CN", "zh"), ("en;q=0.3, de;q=0.7", "de"),
          ("fr, zh;q=0.1", "zh"), (";;q=x,,", "en"),
        ] {
          let page = try await server.ask("/", headers: ["Accept-Language: \(asked)"]).text
          #expect(page.contains("<html lang=\"\(chosen)\""), "\(asked)")
          #expect(page.contains("\"language\":\"\(chosen)\""))
        }
      }
    }
  }

  @Test func `has files that a browser keeps, and that are light`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        var (size, compressed) = (0, 0)
        let folder = "/page/\(PageFile.version)/"
        for (name, file) in PageFile.all {
          let plain = try await server.ask(folder + name, as: nil)
          #expect(plain.body == file.bytes && plain.header("content-encoding") == nil, "\(name)")
          let packed = try await server.ask(
            folder + name,
            as: nil,
            headers: ["Accept-Encoding: br, gzip"]
          )
          #expect(packed.header("content-encoding") == "gzip")
          #expect(packed.body == file.compressed && packed.header("content-type") == file.type)
          #expect(packed.header("cache-control") == "public, max-age=31536000, immutable")
          size += plain.body.count
          compressed += packed.body.count
        }
        for path in [folder + "texts.json", folder + "no.js", "/page/0/page.js"] {
          #expect(try await server.ask(path, as: nil).status == 404)
        }
        let own = ["Accept-Language: de", Self.takesGzip, "Sec-Fetch-Site: none"]
        let page = try await server.ask("/", headers: [own[0]])
        let packed = try await server.ask("/", headers: own)
        #expect(size + page.body.count < 102_400)
        #expect(compressed + packed.body.count < 40_000)
      }
    }
  }

  @Test func `compresses what no other site makes a browser ask for`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for path in ["/?q=e", "/api/v1/search?q=e"] {
          let plain = try await server.ask(path)
          for (site, isCompressed) in [
            ("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false),
          ] {
            let headers = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate", Self.takesGzip]
            let answer = try await server.ask(path, headers: headers)
            let encoding = isCompressed ? "gzip" : nil
            #expect(answer.status == 200, "\(path) from \(site)")
            #expect(answer.header("content-encoding") == encoding, "\(path) from \(site)")
            let isWeak = answer.header("etag")?.hasPrefix("W/") ?? isCompressed
            #expect(isWeak == isCompressed)
            var body = answer.body
            if isCompressed {
              #expect(answer.header("vary")?.contains("Accept-Encoding") == true)
              body = try await withTemporaryDirectory { folder in
                let file = folder.appending("answer.gz")
                try Data(body).write(to: URL(filePath: file.string))
                return Array(try await runProgram("gzip", ["-dc", file.string]).stdoutBytes)
              }
            }
            // A page also says how many seconds the server is behind.
            let isSame =
              path.hasPrefix("/api")
              ? body == plain.body : body.starts(with: "<!DOCTYPE html>\n".utf8)
            #expect(isSame, "\(path) from \(site)")
          }
        }
        let tag = try #require(try await server.ask("/api/v1/search?q=e").header("etag"))
        let kept = try await server.ask(
          "/api/v1/search?q=e",
          headers: [Self.takesGzip, "Sec-Fetch-Site: same-origin", "If-None-Match: W/\(tag)"]
        )
        #expect(kept.status == 304 && kept.header("content-encoding") == nil)
      }
    }
  }

  @Test func `has the same texts in each language, each of which is used`() throws {
    let english = try #require(PageTexts.all["en"])
    let scripts = try text(of: "Sources/Page/Files", ".js")
    let used = scripts + (try text(of: "Sources/Page", ".swift"))
    #expect(Set(PageTexts.all.keys) == ["de", "en", "zh"])
    func values(_ text: String) -> Set<Substring> {
      Set(
        text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map {
          $0.prefix { $0 != "}" }
        }
      )
    }
    for (language, texts) in PageTexts.all {
      // A language without a plural has no form for one.
      #expect(
        english.keys.subtracting(texts.keys).allSatisfy { $0.hasSuffix(".one") },
        "\(language)"
      )
      #expect(texts.keys.isSubset(of: english.keys), "\(language)")
      for key in texts.keys {
        #expect(values(texts(key)) == values(english(key)), "\(language): \(key)")
      }
    }
    for key in english.keys {
      let name = key.hasSuffix(".one") ? String(key.dropLast(4)) : key
      let family = name.split(separator: ".").first.map { "\"\($0).\"" } ?? ""
      #expect(used.contains("\"\(name)\"") || used.contains(family), "\(key) is not used")
    }
    for call in scripts.split(separator: " t(\"").dropFirst() {
      let key = String(call.prefix { $0 != "\"" })
      #expect(key.hasSuffix(".") || english.keys.contains(key), "\(key) has no text")
    }
  }
}
