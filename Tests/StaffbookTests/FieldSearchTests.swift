import SystemPackage
import TestSupport
import Testing

@Suite("Searching declared fields")
struct FieldSearchTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      for field in ["mobile", "office", "manager", "cost_centre"] {
        try await book.lines("field", "add", field, "--no-sync")
      }
      try await book.lines("field", "add", "site", "--of", "departments", "--no-sync")
      try book.script(
        #"""
        update staffbook.users set fields = '{"mobile": "0172 555 0199", "office": "B12 Nord",
          "manager": "u1", "cost_centre": "4711"}' where id = 'u2';
        update staffbook.users set fields = '{"office": "C7", "manager": "u1"}' where id = 'u3';
        update staffbook.departments set fields = '{"site": "Pier 4"}' where id = 'mir';
        update staffbook.memberships set leads = true where user_id = 'u2' and department_id = 'mir';
        """#
      )
      try await book.lines("sync")
      try await body(book)
    }
  }

  @Test(arguments: [
    ("mobile:0172", ["u2"]), ("mobile:172", ["u2"]), ("mobile:5550199", ["u2"]),
    ("office:b12", ["u2"]), ("office:nord", ["u2"]), ("office:c7", ["u3"]),
    (
      "-office:c7",
      [
        "lum",
        "u1", "u2", "mir", "opt", "vac",
      ]
    ), ("manager:lund", ["u2", "u3"]), ("manager:u1", ["u2", "u3"]),
    ("reports:ada", ["u2", "u3"]), ("reports:ada office:c7", ["u3"]), ("has:mobile", ["u2"]),
    ("has:office -has:mobile", ["u3"]), ("has:phone", ["u1", "u2"]), ("noe -has:phone", ["u3"]),
    ("is:lead", ["u2"]), ("emile is:lead", []), ("cost_centre:4711", ["u2"]),
    ("site:pier", ["mir"]), ("has:site", ["mir"]), (#"office:"b12 nord""#, ["u2"]),
    ("in:Mirrors has:office", ["u2", "u3"]), ("has:nothing", []), ("is:it", []),
    ("nord", ["u2"]), ("b12 polisher", ["u2"]), ("01725550199", ["u2"]), ("pier", ["mir"]),
    ("zak -nord", []), ("noe -nord", ["u3"]), ("title:nord", []), ("c7 mirrors", ["u3"]),
    ("4711 OPTICS", ["u2"]), ("\"b12 nord\"", ["u2"]),
  ])
  func `finds them in lists and in the tree`(
    _ query: String,
    _ expected: [String]
  ) async throws {
    try await withCompany { (book: Book) async throws -> Void in
      var found: [[String]] = []
      for _ in 0..<2 {
        let outcome = try await book.run("search", query, "--json", "--limit", "100")
        #expect(outcome.status == (expected.isEmpty ? 1 : 0), "\(outcome)")
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        found.append(values(of: "id", in: lines))
        #expect(Set(found[found.count - 1]) == Set(expected), "\(outcome)")
      }
      let tree = try await book.run("search", query, "--json", "--tree")
      let shown = values(of: "id", in: tree.stdout.split(separator: "\n").map(String.init))
      #expect(Set(shown).isSuperset(of: expected), "\(tree)")
    }
  }
}
