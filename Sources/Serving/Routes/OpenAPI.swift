import DirectoryModel
import HTTPTypes

/// The interface as OpenAPI 3.1 describes it, made of the routes.
enum OpenAPI {
  private struct Document: Encodable {
    struct Info: Encodable {
      var title = "Staffbook"
      var version: String
    }

    var openapi = "3.1.0"
    var info: Info
    var paths: [String: [String: Operation]]
    var components: Components
  }

  private struct Components: Encodable {
    struct Scheme: Encodable {
      var type: String
      var scheme: String?
      var `in`: String?
      var name: String?
    }

    var schemas: [String: Schema]
    var securitySchemes: [String: Scheme]
  }

  private struct Operation: Encodable {
    struct Body: Encodable {
      var required = true
      var description: String
      var content: [String: Content]
    }

    var summary: String
    var operationId: String
    var parameters: [Parameter]?
    var requestBody: Body?
    var responses: [String: Response]
    var security: [[String: [String]]]
  }

  private struct Parameter: Encodable {
    var name: String
    var `in`: String
    var required: Bool
    var description: String
    var schema: Schema
  }

  private struct Response: Encodable {
    struct Header: Encodable {
      var description: String
      var schema: Schema
    }

    var description: String
    var content: [String: Content]?
    var headers: [String: Header]?
  }

  private struct Content: Encodable { var schema: Schema }

  private struct Schema: Encodable {
    var type: String?
    var minimum: Int?
    var maximum: Int?
    var minLength: Int?
    var maxLength: Int?
    var pattern: String?
    var `default`: String?
    var `enum`: [String]?
    var properties: [String: Schema]?
    var required: [String]?
    var items: [String: String]?
    var maxItems: Int?
    var oneOf: [[String: [String]]]?
    var ref: String?

    enum CodingKeys: String, CodingKey {
      case type, minimum, maximum, minLength, maxLength, pattern, `default`, `enum`, properties,
        required
      case items, maxItems, oneOf
      case ref = "$ref"
    }
  }

  static func document(_ routes: [Route], version: String) -> String {
    var paths: [String: [String: Operation]] = [:]
    for route in routes {
      paths[route.path, default: [:]][route.method.rawValue.lowercased()] = operation(route)
    }
    let problem = Schema(
      type: "object",
      properties: [
        "type": Schema(type: "string"), "title": Schema(type: "string"),
        "status": Schema(type: "integer"), "detail": Schema(type: "string"),
        "remedy": Schema(type: "string"),
      ],
      required: ["type", "title", "status"]
    )
    let steps = OpenSet.Step.Kind.allCases.map(\.rawValue)
    let step = Schema(
      type: "object",
      properties: Dictionary(uniqueKeysWithValues: steps.map { ($0, Schema(type: "string")) }),
      oneOf: steps.map { ["required": [$0]] }
    )
    let document = Document(
      info: Document.Info(version: version),
      paths: paths,
      components: Components(
        schemas: ["Problem": problem, "Step": step],
        securitySchemes: [
          "cookie": Components.Scheme(type: "apiKey", in: "cookie", name: SignIn.cookie),
          "password": Components.Scheme(type: "http", scheme: "basic"),
          "token": Components.Scheme(type: "http", scheme: "bearer"),
        ]
      )
    )
    return JSONLine.encode(document)
  }

  private static func operation(_ route: Route) -> Operation {
    let words = route.path.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    var responses = [
      route.method == .post ? "201" : "200": Response(
        description: "Done.",
        content: [route.answer.rawValue: Content(schema: Schema())]
      )
    ]
    if route.answer == .json, route.method == .get {
      responses["304"] = Response(description: "Not modified.")
    }
    for kind in route.allProblems {
      responses[String(kind.status.code)] = Response(
        description: kind.title,
        content: [
          "application/problem+json": Content(schema: Schema(ref: "#/components/schemas/Problem"))
        ]
      )
    }
    return Operation(
      summary: route.summary,
      operationId: ([route.method.rawValue.lowercased()] + words).joined(separator: "_"),
      parameters: route.parameters.isEmpty ? nil : route.parameters.map(parameter),
      requestBody: route.body.map {
        Operation.Body(
          description: $0,
          content: ["application/json": Content(schema: openSet)]
        )
      },
      responses: responses,
      security: route.access == .anybody ? [] : [["cookie": []], ["token": []], ["password": []]]
    )
  }

  /// The only content that a route takes.
  private static var openSet: Schema {
    func array(_ items: [String: String]) -> Schema {
      Schema(type: "array", items: items, maxItems: OpenSet.mostExceptions / 3)
    }
    let ids = array(["type": "string"])
    return Schema(
      type: "object",
      properties: [
        "base": Schema(type: "string", enum: ["all", "none"]),
        "levels": Schema(type: "integer", minimum: 0, maximum: 64), "open": ids, "closed": ids,
        "steps": array(["$ref": "#/components/schemas/Step"]),
      ],
      oneOf: [["required": ["base"]], ["required": ["levels"]]]
    )
  }

  private static func parameter(_ parameter: Route.Parameter) -> Parameter {
    var schema = Schema()
    switch parameter.kind {
    case .text(let most):
      schema.type = "string"
      (schema.maxLength, schema.pattern) = (most, "^[^\\x00]*$")
      if parameter.place == .path { schema.minLength = 1 }
      if parameter.name == Route.Parameter.cursor.name { schema.pattern = "^[A-Za-z0-9_-]*$" }
    case .number(let range, let usual):
      schema.type = "integer"
      (schema.minimum, schema.maximum) = (range.lowerBound, range.upperBound)
      _ = usual
    case .flag: schema.type = "boolean"
    case .choice(let values, let usual):
      (schema.type, schema.enum, schema.default) = ("string", values, usual)
    }
    return Parameter(
      name: parameter.name,
      in: parameter.place.rawValue,
      required: parameter.isRequired,
      description: parameter.summary,
      schema: schema
    )
  }
}
