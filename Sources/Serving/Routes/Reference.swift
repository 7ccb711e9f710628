import HTTPTypes

/// The interface as docs/api.md describes it, made of the routes.
package enum Reference {
  /// Markdown: a section for each route.
  package static var markdown: String {
    let common = Set(Route.interface[0].allProblems)
    return Route.interface.map { section($0, common) }.joined(separator: "\n")
  }

  private static func section(_ route: Route, _ common: Set<Problem.Kind>) -> String {
    var lines = ["### \(route.method.rawValue) \(route.path)", "", route.summary]
    switch route.access {
    case .anybody: lines[2] += " No sign-in is required."
    case .callers: break
    case .copiers: lines[2] += " A token must permit `copy`."
    }
    if !route.parameters.isEmpty {
      lines += ["", "| parameter | value | meaning |", "| --- | --- | --- |"]
      lines += route.parameters.map { parameter in
        let required = parameter.isRequired && parameter.place == .query ? " (required)" : ""
        return
          "| `\(parameter.name)` | \(value(parameter.kind)) | \(parameter.summary)\(required) |"
      }
    }
    if let body = route.body { lines += ["", "| content |", "| --- |", "| JSON: \(body) |"] }
    if route.access != .anybody {
      let own = route.allProblems.filter { !common.contains($0) }
      var answer = "Answers `\(route.answer.rawValue)`"
      if route.answer == .file { answer = "Answers a file in the format" }
      let problems = own.map { "\($0.status.code) `\($0.rawValue)`" }.joined(separator: ", ")
      lines += ["", answer + (own.isEmpty ? "." : "; also \(problems).")]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func value(_ kind: Route.Parameter.Kind) -> String {
    switch kind {
    case .text(let most): "text, up to \(most) bytes"
    case .number(let range, let usual):
      "\(range.lowerBound) to \(range.upperBound) (default: \(usual))"
    case .flag: "`true` or `false` (default: `false`)"
    case .choice(let values, let usual):
      values.map { "`\($0)`" }.joined(separator: ", ") + (usual.map { " (default: `\($0)`)" } ?? "")
    }
  }
}
