import ChangeHistory
import DirectoryModel
import DirectoryReading
import HTTPTypes
import LiveDirectory
import SiteSettings

extension Route {
  /// Every route of the server.
  package static let all = interface + pages

  /// Every route of the interface, in the order of docs/api.md.
  package static let interface: [Route] =
    [service] + lists + records + searches + openSets + [export] + history + [events] + health
    + [openAPI]

  private static let service = Route(
    path: "/api/v1",
    summary: "Who asks, and which state of the directory answers."
  ) { request in
    try await request.reply { directory in
      Reply(request.serviceObject(directory).line.utf8, Answer.json.rawValue)
    }
  }

  // MARK: Lists

  private static let page = [Parameter.limit(1_000, usual: 100), .cursor]

  private static let lists: [Route] = [
    Route(
      path: "/api/v1/departments",
      summary: "All departments in the order of the tree.",
      parameters: page
    ) { request in
      try await request.page { directory, place, limit in
        try directory.departments(after: place, limit: limit)
      }
    },
    Route(
      path: "/api/v1/roots",
      summary: "The departments at the top level.",
      parameters: page
    ) { request in
      try await request.page { directory, place, limit in
        try directory.children(of: nil, after: place, limit: limit)
      }
    },
    Route(
      path: "/api/v1/departments/{id}/children",
      summary: "The departments and people directly in a department, in order.",
      parameters: [.id("The department.")] + page,
      problems: [.notFound]
    ) { request in
      let id = DepartmentID(request.required("id"))
      return try await request.page { directory, place, limit in
        try directory.children(of: directory.shown(id), after: place, limit: limit)
      }
    },
    Route(
      path: "/api/v1/departments/{id}/staff",
      summary: "The people of a department, each once.",
      parameters: [
        .id("The department."),
        Parameter(name: "recursive", kind: .flag, summary: "Also those of all departments below."),
      ] + page,
      problems: [.notFound]
    ) { request in
      let id = DepartmentID(request.required("id"))
      let recursive = request.flag("recursive")
      return try await request.page { directory, place, limit in
        try directory.people(
          in: directory.shown(id),
          recursive: recursive,
          after: place,
          limit: limit
        )
      }
    },
    Route(
      path: "/api/v1/people",
      summary: "All people in the order of the tree, each once.",
      parameters: page
    ) { request in
      try await request.page { directory, place, limit in
        try directory.people(in: nil, recursive: true, after: place, limit: limit)
      }
    },
  ]

  // MARK: Records

  private static let records: [Route] = [
    Route(
      path: "/api/v1/departments/{id}",
      summary: "A department, with everything about it.",
      parameters: [.id("The department."), asOf],
      problems: [.notFound]
    ) { request in
      let id = DepartmentID(request.required("id"))
      return try await request.card { directory in try directory.card(at: directory.shown(id)) }
    },
    Route(
      path: "/api/v1/people/{id}.vcf",
      summary: "A person as a vCard 4.0.",
      parameters: [.id("The person.")],
      answer: .vCard,
      problems: [.notFound]
    ) { request in
      let id = UserID(request.required("id"))
      return try await request.reply { directory in
        guard let card = try directory.vCard(of: id) else { throw Problem(.notFound) }
        return .tagged(Array(card.utf8), Answer.vCard.rawValue)
      }
    },
    Route(
      path: "/api/v1/people/{id}/qr.svg",
      summary: "A person's vCard as a QR code; of a large one only name, numbers and addresses.",
      parameters: [.id("The person.")],
      answer: .svg,
      problems: [.notFound, .tooLarge]
    ) { request in
      let id = UserID(request.required("id"))
      return try await request.reply { directory in
        guard let card = try directory.vCard(of: id) else { throw Problem(.notFound) }
        guard let code = QRCode.svg(ofCard: card) else {
          throw Problem(.tooLarge, "name, numbers and addresses do not fit into a QR code")
        }
        return .tagged(code, Answer.svg.rawValue)
      }
    },
    Route(
      path: "/api/v1/people/{id}",
      summary: "A person, with everything about them.",
      parameters: [.id("The person."), asOf],
      problems: [.notFound]
    ) { request in
      let id = UserID(request.required("id"))
      return try await request.card { directory in
        guard let card = try directory.card(of: id) else { throw Problem(.notFound) }
        return card
      }
    },
    Route(
      path: "/api/v1/places",
      summary:
        "The places of a record in the tree, each with the departments above it, the primary one "
        + "first.",
      parameters: record,
      problems: [.notFound]
    ) { request in
      let target = request.target
      return try await request.reply { directory in
        guard let node = try directory.node(of: target) else { throw Problem(.notFound) }
        let others = try directory.places(of: node).filter { $0 != node }
        let places = try ([node] + others).map { node in
          try directory.departments(above: node).json()
        }
        return .tagged(([:] as JSONObject).line(with: "places", json: places.joinedArray()))
      }
    },
  ]

  /// A record, by kind and id.
  private static let record = [
    Parameter(
      name: "kind",
      kind: .choice(["department", "user"], usual: nil),
      isRequired: true,
      summary: "The kind of the record."
    ),
    Parameter(name: "id", kind: .text(most: 255), isRequired: true, summary: "Its id."),
  ]

  // MARK: Searches

  private static let query = Parameter(
    name: "q",
    kind: .text(most: 1_000),
    isRequired: true,
    summary: "The query, as docs/queries.md describes it."
  )
  private static let within = Parameter(
    name: "in",
    kind: .text(most: 255),
    summary: "The id of a department: only it and what is below it is searched."
  )

  private static let searches: [Route] = [
    Route(
      path: "/api/v1/search",
      summary: "People and departments that match a query, best first.",
      parameters: [
        query, within, .limit(200, usual: 20),
        Parameter(
          name: "offset",
          kind: .number(0...10_000, usual: 0),
          summary: "How many results to leave out at the beginning."
        ),
        Parameter(name: "explain", kind: .flag, summary: "Whether results say why they match."),
      ],
      problems: [.notFound]
    ) { request in
      var options = SearchOptions(request.required("q"))
      options.offset = request.number("offset")
      options.explains = request.flag("explain")
      return try await request.search(options, for: RouteRequest.longestSearch)
    },
    Route(
      path: "/api/v1/suggestions",
      summary: "The best few results while a query is being typed.",
      parameters: [query, within, .limit(20, usual: 8)],
      problems: [.notFound]
    ) { request in
      try await request.search(SearchOptions(request.required("q")), for: .seconds(1))
    },
  ]

  // MARK: The tree as it is open

  private static let setName = Parameter(
    name: "set",
    place: .path,
    kind: .text(most: 32),
    isRequired: true,
    summary: "The name of an open set. If it is not found, post the set again."
  )

  private static let openSets: [Route] = [
    Route(
      method: .post,
      path: "/api/v1/open-sets",
      summary: "Names a set of open departments, for the rows of the tree that are visible then.",
      body: "an object: `base`, which is `all` or `none`, or `levels`, a number; `open` and "
        + "`closed`, the ids of departments that are not as it says; and `steps`, which are carried "
        + "out in their order: `{\"open\": ID}`, which opens those above it as well, "
        + "`{\"close\": ID}`, and `{\"below\": ID}`, which opens everything below it; up to "
        + "\(OpenSet.mostExceptions) ids in all"
    ) { request in
      try await request.reply { directory in
        // Decoded here, on a thread that may take long.
        let set: OpenSet = try request.decoded()
        guard set.count <= OpenSet.mostExceptions else {
          throw Problem(.tooLarge, "a set has at most \(OpenSet.mostExceptions) exceptions")
        }
        let name = try request.service.openSets.keep(set, for: directory)
        let count = try request.service.openSets.outline(name, of: directory)?.rowCount ?? 0
        let object: JSONObject = ["set": name, "count": count]
        return Reply(object.line.utf8, Answer.json.rawValue, status: .created)
      }
    },
    Route(
      path: "/api/v1/open-sets/{set}/rows",
      summary: "Visible rows of the tree, by their numbers.",
      parameters: [
        setName, .limit(500, usual: 100),
        Parameter(
          name: "from",
          kind: .number(0...1_000_000_000, usual: 0),
          summary: "The number of the first row, from 0."
        ),
      ],
      problems: [.notFound]
    ) { request in
      let (from, limit) = (request.number("from"), request.number("limit"))
      return try await request.reply { directory in
        let outline = try request.outline(request.required("set"), of: directory)
        var rows: [UInt8] = []
        try outline.write(from..<from + limit, as: .json, to: &rows)
        let counts: JSONObject = [
          "count": outline.rowCount, "from": min(from, outline.rowCount),
        ]
        return .tagged(counts.line(with: "rows", json: rows))
      }
    },
    Route(
      path: "/api/v1/open-sets/{set}/row",
      summary: "The number of the row that shows a record, or the innermost visible department "
        + "around it.",
      parameters: [setName] + record,
      problems: [.notFound]
    ) { request in
      let target = request.target
      return try await request.reply { directory in
        let outline = try request.outline(request.required("set"), of: directory)
        guard let node = try directory.node(of: target), let row = outline.nearestRow(of: node)
        else { throw Problem(.notFound) }
        let object: JSONObject = ["row": row, "isExact": outline.row(of: node) == row]
        return .tagged(Array(object.line.utf8))
      }
    },
  ]
}

extension Directory {
  /// When it was as it is, as RFC 3339 has it.
  var takenAtText: String { UTCTime.text(takenAt * 1_000_000) }

  /// The node of a department that the caller sees, be it by name only.
  func shown(_ id: DepartmentID) throws -> Node {
    guard let node = try node(of: id) else { throw Problem(.notFound) }
    return node
  }
}

extension RouteRequest {
  /// What `GET /api/v1` answers.
  func serviceObject(_ directory: Directory) -> JSONObject {
    let viewer =
      switch caller.viewer {
      case .everything: "administrator"
      case .person(let id): "person:\(id.rawValue)"
      case .device(let name): "device:\(name)"
      }
    return [
      "caller": viewer,
      "may": caller.scope?.rawValue,
      "takenAt": directory.takenAtText,
      "secondsBehind": service.freshness.lag,
      "departments": directory.departmentCount,
      "people": directory.userCount,
      "fields": directory.shownFields.map { field -> JSONObject in
        [
          "name": field.name,
          "label": field.label,
          "kind": field.kind.rawValue,
          "of": field.owner == .user ? "people" : "departments",
          "several": field.isMultiple,
        ]
      },
      "reports": service.settings.server.reports,
    ]
  }

  /// The record that the parameters `kind` and `id` name.
  fileprivate var target: DirectoryTarget {
    let id = required("id")
    return required("kind") == "user" ? .person(UserID(id)) : .department(DepartmentID(id))
  }

  /// How long a search may take.
  static let longestSearch = Duration.seconds(5)

  /// The tree of an open set.
  ///
  /// - Throws: `.notFound`, and as `OpenSet.outline(of:before:)`.
  func outline(_ set: String, of directory: Directory) throws -> DirectoryOutline {
    guard let outline = try service.openSets.outline(set, of: directory) else {
      throw Problem(.notFound, "there is no open set \(set)", remedy: "post it again")
    }
    return outline
  }

  /// A page of a list.
  fileprivate func page(
    _ read: @escaping @Sendable (Directory, PagePlace?, Int) throws -> DirectoryPage
  ) async throws -> Reply {
    let limit = number("limit")
    let place: PagePlace? = try Cursor.value(text("cursor").flatMap { $0.isEmpty ? nil : $0 })
    return try await reply { directory in
      let page = try read(directory, place, limit)
      let next = page.next.map { place in
        let next = Cursor.text(place)
        let isShort = next.utf8.count <= Route.Parameter.longestCursor
        return isShort ? next : Cursor.text(place.shortened)
      }
      let object: JSONObject = ["next": next]
      return .tagged(object.line(with: "rows", json: try page.rows.json()))
    }
  }

  /// A card, of now or of another time.
  fileprivate func card(
    _ read: @escaping @Sendable (Directory) throws -> DirectoryRow
  ) async throws -> Reply {
    let reply: @Sendable (Directory) throws -> Reply = {
      .tagged(try [read($0)].json(isArray: false))
    }
    guard let time = text("as_of") else { return try await self.reply(reply) }
    return try await past(time, reply)
  }

  /// The results of a search, which ends without any after a time.
  fileprivate func search(_ options: SearchOptions, for patience: Duration) async throws -> Reply {
    let (limit, within) = (number("limit"), text("in").map { DepartmentID($0) })
    return try await reply { directory in
      var options = options
      options.limit = limit
      options.deadline = .now + patience
      options.root = try within.map(directory.shown)
      var results: [UInt8] = []
      let total = try directory.searcher().forEachHit(of: options) { hit in
        results.append(UInt8(ascii: results.isEmpty ? "[" : ","))
        try hit.appendJSON(explains: options.explains, to: &results)
      }
      results += (results.isEmpty ? "[]" : "]").utf8
      let count: JSONObject =
        switch total {
        case .exactly(let count): ["count": count]
        case .moreThan(let count): ["moreThan": count]
        }
      return .tagged(count.line(with: "results", json: results))
    }
  }
}

extension SearchRow {
  /// Appends an object.
  ///
  /// Written by hand, as an encoder takes longer for it than the search takes.
  fileprivate func appendJSON(explains: Bool, to bytes: inout [UInt8]) throws {
    bytes += "{\"highlights\":[".utf8
    for (index, range) in highlights.enumerated() {
      bytes += "\(index > 0 ? "," : "")[\(range.lowerBound),\(range.upperBound)]".utf8
    }
    bytes += "]".utf8
    if let reading { bytes += ",\"reading\":\(JSONLine.encode(reading))".utf8 }
    if explains { bytes += ",\"reasons\":\(JSONLine.encode(reasons))".utf8 }
    bytes += ",\"row\":".utf8
    bytes += try [row].json(isArray: false)
    bytes.append(UInt8(ascii: "}"))
  }
}

extension [DirectoryRow] {
  /// An array of objects, or the object of the only row.
  func json(isArray: Bool = true) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var stream = RowStream(isArray ? .json : .jsonl)
    for row in self { try stream.append(row, to: &bytes) }
    try stream.finish(to: &bytes)
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes
  }
}

extension [[UInt8]] {
  /// An array of values that are JSON already.
  func joinedArray() -> [UInt8] {
    [UInt8(ascii: "[")] + joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
  }
}
