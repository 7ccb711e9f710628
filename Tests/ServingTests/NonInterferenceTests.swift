import HTTPTypes
import Seeds
import Serving
import TestSupport
import Testing

/// Changes of what the rules of `ServedCompany` hide: of people and departments below the hidden one, of
/// places there, and of everybody's phones.
private struct HiddenChanges {
  private var people: [String] = ["cy\(ServedCompany.mark)"]
  private var departments: [String] = ["d\(ServedCompany.mark)"]
  /// Ids that were somebody's.
  private var free: [String] = []
  private var count = 0

  private mutating func newID(using generator: inout SeededGenerator) -> String {
    if let index = free.indices.randomElement(using: &generator), Bool.random(using: &generator) {
      return free.remove(at: index)
    }
    count += 1
    return "h\(ServedCompany.mark)\(count)"
  }

  /// SQL that changes something.
  mutating func next(using generator: inout SeededGenerator) -> String {
    count += 1
    let department = departments.randomElement(using: &generator) ?? ""
    let person = people.indices.randomElement(using: &generator)
    switch (Int.random(in: 0..<9, using: &generator), person) {
    case (0, _), (_, nil):
      let id = newID(using: &generator)
      people.append(id)
      return """
        begin;
        insert into staffbook.users (id, name, email, primary_department_id)
          values ('\(id)', 'Ada \(count)', 'ada\(count)@lumen.example', '\(department)');
        insert into staffbook.memberships (user_id, department_id, title, leads)
          values ('\(id)', '\(department)', 'Head', \(Bool.random(using: &generator)));
        commit
        """
    case (1, let place?):
      let id = people.remove(at: place)
      free.append(id)
      return "delete from staffbook.users where id = '\(id)'"
    case (2, let place?):
      let id = newID(using: &generator)
      defer { people[place] = id }
      free.append(people[place])
      return "update staffbook.users set id = '\(id)' where id = '\(people[place])'"
    case (3, let place?):
      return """
        update staffbook.users set name = 'Bo \(count)', email = 'bo\(count)@lumen.example'
          where id = '\(people[place])'
        """
    case (4, _):
      // Ada, who asks, sees her own.
      let who = ["bo", "eve"].randomElement(using: &generator) ?? ""
      return "update staffbook.users set phone = '+49 30 \(count)' where id = '\(who)'"
    case (5, _):
      return """
        update staffbook.memberships set title = 'T\(count)', sort_order = \(count), leads = not leads
          where department_id = 'd\(ServedCompany.mark)'
        """
    case (6, _):
      let id = newID(using: &generator)
      departments.append(id)
      return """
        insert into staffbook.departments (id, name, parent_id)
          values ('\(id)', 'Lamps', '\(department)')
        """
    case (7, _):
      guard let last = departments.last, departments.count > 1 else { break }
      let id = newID(using: &generator)
      departments[departments.count - 1] = id
      free.append(last)
      return "update staffbook.departments set id = '\(id)', name = 'Acme' where id = '\(last)'"
    default: break
    }
    return "update staffbook.departments set description = 'of \(count)' where id = '\(department)'"
  }
}

/// What a viewer is answered while nothing changes but what is hidden.
@Suite("Hidden changes")
struct NonInterferenceTests {
  /// Of every route that reads, some paths; `nil` for those whose answers are of the process or have no end.
  private func paths(of route: Route) throws -> [String]? {
    let mark = ServedCompany.mark
    let people = ["ada", "bo", "cy\(mark)", "h\(mark)1", "never"]
    let departments = ["acme", "lamps", "d\(mark)", "never"]
    func all(_ ids: [String], _ more: [String] = [""]) -> [String] {
      ids.flatMap { id in more.map { route.path.replacing("{id}", with: id) + $0 } }
    }
    switch route.path {
    case "/metrics", "/page/{version}/{file}", "/api/v1/events", "/livez", "/readyz",
      "/openapi.json":
      return nil
    case _ where route.path.contains("{set}"): return nil
    case "/api/v1/search", "/api/v1/suggestions", "/":
      return all([""], ["ada", "lamps", "bo", mark, "49301"].map { "?q=\($0)" })
    case "/api/v1/places": return all([""], ["?kind=user&id=bo", "?kind=user&id=cy\(mark)"])
    case "/api/v1/export": return all([""], ["?format=json", "?format=csv"])
    case _ where route.path.hasSuffix("/history"):
      return all(route.path.contains("people") ? people : departments, ["", "?limit=1"])
    case _ where route.path.contains("/people/"): return all(people)
    case _ where route.path.contains("/departments/"): return all(departments)
    case "/api/v1", "/api/v1/departments", "/api/v1/roots", "/api/v1/people": return all([""])
    default:
      Issue.record("no path of \(route.path) is asked for")
      return nil
    }
  }

  @Test(arguments: newSeeds(1))
  func `change no answer but the state and the times that it names`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await ServedCompany.with { company in
      try await company.serve { server in
        let paths = try Route.all.filter { $0.method == .get }.compactMap(paths).joined()
        func answers() async throws -> [String: Answer] {
          var answers: [String: Answer] = [:]
          for path in paths {
            let answer = try await server.ask(path, as: "ada")
            var masked = answer.masked
            if !path.contains("/history") {
              masked.headers += answer.headers.filter { $0.name == "etag" }
            }
            answers[path] = masked
          }
          return answers
        }
        func state() async throws -> String? {
          try await server.ask("/api/v1", as: "ada").header("staffbook-state")
        }
        var changes = HiddenChanges()
        var before = try await answers()
        #expect(before.values.contains { $0.status == 200 })
        for _ in 0..<rounds(3, thorough: 250) {
          let former = try await state()
          var made: [String] = []
          for _ in 0..<20 {
            made.append(changes.next(using: &generator))
            try company.run(made[made.count - 1])
          }
          try await wait(until: "the server has the changes") { try await state() != former }
          let after = try await answers()
          for path in paths where before[path] != after[path] {
            let (old, new) = (before[path], after[path])
            Issue.record(
              """
              seed \(seed): \(path): \(old?.headers ?? [])
              \(old?.text ?? "")
              \(new?.headers ?? [])
              \(new?.text ?? "")
              after \(made.joined(separator: ";\n"))
              """
            )
          }
          before = after
        }
      }
    }
  }
}
