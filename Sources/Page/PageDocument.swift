import DirectoryModel
import DirectoryReading
import Platform

/// A page as the server makes it: it shows, searches and leads on without a script, and is what the script
/// takes over.
package struct PageDocument {
  /// Keeps a page from loading, running or sending anything that is not the server's own (Content
  /// Security Policy Level 3), whatever a name of the directory holds.
  package static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  private let texts: PageTexts
  private let query: String
  private let record: DirectoryTarget?

  /// - Parameters:
  ///   - texts: Of the language to use.
  ///   - query: What is searched for; the top of the tree is shown where it is empty.
  ///   - record: Whose card is shown.
  package init(_ texts: PageTexts, query: String = "", record: DirectoryTarget? = nil) {
    (self.texts, self.query, self.record) = (texts, query, record)
  }

  /// What a page says of the service: JSON of `GET /api/v1`, and since when the directory is as it is, in
  /// the form of RFC 3339.
  package typealias Service = (json: String, takenAt: String)

  /// The page.
  ///
  /// - Parameters:
  ///   - directory: As the caller sees it.
  ///   - place: Where the list of a department goes on.
  ///   - service: What the script needs to know.
  ///   - cursor: The place of a list as it stands in an address.
  /// - Returns: HTML, and whether there is such a record.
  /// - Throws: `SnapshotError.damaged`, and what a search throws.
  /// - Complexity: O(rows shown), besides the search.
  package func html(
    of directory: Directory,
    after place: PagePlace? = nil,
    service: Service,
    cursor: (PagePlace) -> String
  ) throws -> (html: [UInt8], isFound: Bool) {
    let card = try card(in: directory)
    let roots = try directory.children(of: nil, after: nil, limit: Self.mostRows).rows
    let name = roots.count == 1 ? roots[0].name : texts("directory")
    let html = try document(
      title: [card?.name, name].compactMap(\.self).joined(separator: " · "),
      name: name
    ) { html in
      try html.element("main") { html in
        try html.element("section", ["id": "directory", "aria-label": texts("directory")]) {
          html in
          html.element("h1", ["class": "unseen"], text: texts("directory"))
          if query.isEmpty {
            let only = roots.count == 1 ? DepartmentID(roots[0].id) : nil
            let below = try only.flatMap { try directory.node(of: $0) }.map {
              try directory.children(of: $0, after: nil, limit: Self.mostRows).rows
            }
            list(roots + (below ?? []), in: &html)
          } else {
            try results(in: directory, &html)
          }
        }
        try html.element("article", ["id": "record", "aria-label": texts("record")]) { html in
          if let card {
            try write(card, in: directory, after: place, cursor, to: &html)
          } else if record != nil {
            html.element("h1", text: texts("notThere"))
            html.element("p", text: texts("notThereWhy"))
          } else {
            html.element("p", ["class": "hint"], text: texts("hint"))
          }
        }
      }
      html.element("footer") { html in
        let date = "\(service.takenAt.prefix(16).replacing("T", with: " ")) UTC"
        html.element("p", ["id": "status", "role": "status"], text: texts("state", ["date": date]))
      }
      html.data("texts", texts.json)
      html.data(
        "setup",
        """
        {"version":"\(PageFile.version)","language":"\(texts.language)","service":\(service.json)}
        """
      )
    }
    return (html, record == nil || card != nil)
  }

  /// A page that says why there is none.
  ///
  /// - Parameters:
  ///   - problem: The last part of the problem's type, by which `texts.json` names it.
  ///   - remedy: What to do about it, in English.
  /// - Returns: HTML.
  package func html(problem: String, remedy: String?) -> [UInt8] {
    document(title: texts("problem." + problem), name: texts("directory"), withScript: false) {
      html in
      html.element("main") { html in
        html.element("article", ["id": "record"]) { html in
          html.element("h1", text: texts("problem." + problem))
          if let remedy { html.element("p", ["lang": "en"], text: remedy) }
          html.element("p") { $0.element("a", ["href": "/"], text: texts("again")) }
        }
      }
    }
  }

  private static let mostRows = 200

  private func card(in directory: Directory) throws -> DirectoryRow? {
    switch record {
    case .person(let id): try directory.card(of: id)
    case .department(let id): try directory.node(of: id).map { try directory.card(at: $0) }
    case nil: nil
    }
  }

  // MARK: The frame

  private func document(
    title: String,
    name: String,
    withScript: Bool = true,
    _ body: (inout HTML) throws -> Void
  ) rethrows -> [UInt8] {
    let files = "/page/\(PageFile.version)/"
    var html = HTML()
    try html.element("html", ["lang": texts.language, "dir": "ltr"]) { html in
      html.element("head") { html in
        html.empty("meta", ["charset": "utf-8"])
        html.empty(
          "meta",
          ["name": "viewport", "content": "width=device-width, initial-scale=1"]
        )
        html.element("title", text: title)
        html.empty("link", ["rel": "stylesheet", "href": files + "page.css"])
        html.empty("link", ["rel": "icon", "href": files + "icon.svg"])
        guard withScript else { return }
        for module in PageFile.modules {
          html.empty("link", ["rel": "modulepreload", "href": files + module])
        }
        html.element("script", ["type": "module", "src": files + "page.js"], text: "")
      }
      try html.element("body", ["class": record == nil ? nil : "has-record"]) { html in
        html.element("a", ["class": "skip", "href": "#record"], text: texts("skip"))
        html.element("header") { html in
          html.element("a", ["class": "home", "href": "/"]) { $0.name(name) }
          if withScript { search(in: &html) }
        }
        try body(&html)
      }
    }
    return html.bytes
  }

  private func search(in html: inout HTML) {
    html.element("form", ["id": "find", "role": "search", "action": "/", "method": "get"]) {
      html in
      html.empty(
        "input",
        [
          "id": "q", "name": "q", "type": "search", "autocomplete": "off", "autofocus": "",
          "maxlength": "250", "aria-label": texts("search"), "placeholder": texts("search"),
          "value": query,
        ]
      )
    }
  }

  // MARK: Lists

  private func results(in directory: Directory, _ html: inout HTML) throws {
    var options = SearchOptions(query)
    options.limit = Self.mostRows
    options.deadline = .now + .seconds(5)
    var hits: [SearchRow] = []
    do {
      _ = try directory.searcher().forEachHit(of: options) { hits.append($0) }
    } catch let error as DirectoryError where error.kind == .usage {
      html.element("p", ["class": "note", "lang": "en"], text: error.message)
      return
    }
    if hits.isEmpty {
      html.element("p", ["class": "note"], text: texts("nothing", ["query": query]))
    }
    list(hits.map(\.row), marking: hits.map(\.highlights), in: &html)
  }

  /// Records, each a link to its card, with marks on parts of the names' UTF-8.
  private func list(
    _ rows: [DirectoryRow],
    marking marks: [[Range<Int>]] = [],
    in html: inout HTML
  ) {
    html.element("div", ["class": "hits"]) { html in
      html.element("ul") { html in
        for (index, row) in rows.enumerated() {
          html.element("li") { html in
            let address = address(of: row)
            html.element("a", ["class": "hit", "href": address]) { html in
              html.element("span", ["class": "who"]) { html in
                html.element("bdi", ["class": "name"]) { html in
                  write(row.name, marking: index < marks.count ? marks[index] : [], to: &html)
                }
                if let title = row.title, !title.isEmpty {
                  html.element("bdi", ["class": "title"], text: title)
                }
                if row.leads == true { html.element("span", ["class": "badge"], text: "★") }
                if let people = row.people {
                  html.element("span", ["class": "badge"], text: texts.people(people))
                }
              }
              if !marks.isEmpty, let department = row.departments?.first {
                html.element("span", ["class": "where"]) { $0.name(department.name) }
              }
            }
          }
        }
      }
    }
  }

  private func write(_ name: String, marking ranges: [Range<Int>], to html: inout HTML) {
    let utf8 = Array(name.utf8)
    var end = 0
    for range in ranges {
      html.text(String(decoding: utf8[end..<range.lowerBound], as: UTF8.self))
      html.element("mark", text: String(decoding: utf8[range], as: UTF8.self))
      end = range.upperBound
    }
    html.text(String(decoding: utf8[end...], as: UTF8.self))
  }

  private func address(of row: DirectoryRow) -> String {
    let target: DirectoryTarget =
      row.kind == .user ? .person(UserID(row.id)) : .department(DepartmentID(row.id))
    return target.address + (query.isEmpty ? "" : "?q=" + PercentEncoding.encoded(query))
  }

  // MARK: Cards

  private func write(
    _ card: DirectoryRow,
    in directory: Directory,
    after place: PagePlace?,
    _ cursor: (PagePlace) -> String,
    to html: inout HTML
  ) throws {
    html.element("header", ["class": "head"]) { html in
      html.element("h1") { $0.name(card.name) }
    }
    if card.kind == .user {
      html.element("p", ["class": "actions"]) { html in
        let file = "/api/v1/people/\(PercentEncoding.encoded(card.id)).vcf"
        html.element("a", ["class": "button", "href": file, "download": ""], text: texts("vcard"))
      }
    }
    let kinds = Dictionary(directory.shownFields.map { ($0.name, $0.kind) }) { first, _ in first }
    try html.element("dl", ["class": "values"]) { html in
      for field in try directory.cardFields(of: card) {
        html.element("dt", text: texts.label(field.label))
        html.element("dd") { html in
          for value in field.values {
            html.element("div", ["class": "value"]) { html in
              let address = value.target?.address ?? value.externalAddress(kinds)
              guard let address else { return html.name(value.text) }
              html.element("a", ["href": address, "rel": "noreferrer"]) { $0.name(value.text) }
            }
          }
        }
      }
    }
    guard card.kind == .department, let node = try directory.node(of: DepartmentID(card.id)) else {
      return
    }
    let page = try directory.children(of: node, after: place, limit: Self.mostRows)
    list(page.rows, in: &html)
    if let next = page.next {
      let address = DirectoryTarget.department(DepartmentID(card.id)).address
      html.element("p") { html in
        html.element("a", ["href": "\(address)?cursor=\(cursor(next))"], text: texts("more"))
      }
    }
  }
}

extension DirectoryTarget {
  /// Where its page is.
  fileprivate var address: String {
    switch self {
    case .department(let id): "/departments/\(PercentEncoding.encoded(id.rawValue))"
    case .person(let id): "/people/\(PercentEncoding.encoded(id.rawValue))"
    }
  }
}

extension CardField.Value {
  /// What opens another program for a value of a kind that has one; the declared fields have `kinds`.
  fileprivate func externalAddress(_ kinds: [String: FieldKind]) -> String? {
    let kind: FieldKind? =
      switch items.first {
      case .value(.contact(let field)): field.kind
      case .field(let name): kinds[name]
      default: nil
      }
    switch kind {
    case .phone: return phoneLink
    // RFC 6068 §2.
    case .email: return "mailto:" + PercentEncoding.encoded(text).replacing("%40", with: "@")
    case .url: return text.hasPrefix("https://") || text.hasPrefix("http://") ? text : nil
    default: return nil
    }
  }
}
