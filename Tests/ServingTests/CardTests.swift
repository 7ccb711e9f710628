import FoundationEssentials
import Platform
import Serving
import SiteSettings
import SystemPackage
import TestSupport
import Testing

/// What a page shows of the service and of a record.
@Suite("What cards are made of")
struct CardTests {
  private struct Service: Decodable {
    struct Field: Decodable, Equatable {
      var name, label, kind, of: String
      var several: Bool
    }

    var fields: [Field]
    var reports: String?
  }

  private struct Person: Decodable, Equatable { var id, name: String }

  private struct Card: Decodable {
    struct Department: Decodable {
      var id: String
      var path: [String]
      var title: String?
      var leads: Bool?
    }

    var departments: [Department]?
    var named, reports, leaders: [Person]?
    var people, direct_people: Int?
  }

  private func decoded<Value: Decodable>(_ answer: Answer) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(answer.body))
  }

  /// Fields of departments and people, one of which is shown only in one's own card.
  private func addFields(to company: ServedCompany) throws {
    try company.run(
      """
      insert into staffbook.fields (name, of, kind, label, is_multiple, visible) values
        ('manager', 'user', 'person', 'Manager', false, 'everybody'),
        ('badge', 'user', 'text', 'Badge', true, 'nobody'),
        ('host', 'department', 'person', 'Host', false, 'everybody');
      update staffbook.users set fields = '{"manager": "ada"}' where id = 'bo';
      update staffbook.departments set fields = '{"host": "bo"}' where id = 'lamps';
      update staffbook.memberships set leads = true where user_id = 'ada';
      """
    )
  }

  @Test func `names the fields that the caller is shown`() async throws {
    try await ServedCompany.with { company in
      try addFields(to: company)
      try await company.serve({ $0.reports = "hr@lumen.example" }) { (server) async throws in
        let service: Service = try decoded(try await server.ask("/api/v1"))
        #expect(service.reports == "hr@lumen.example")
        #expect(
          service.fields == [
            .init(name: "email", label: "Email", kind: "email", of: "people", several: false),
            // Hidden of others, and there on one's own card.
            .init(name: "phone", label: "Phone", kind: "phone", of: "people", several: false),
            .init(name: "host", label: "Host", kind: "person", of: "departments", several: false),
            .init(name: "badge", label: "Badge", kind: "text", of: "people", several: true),
            .init(name: "manager", label: "Manager", kind: "person", of: "people", several: false),
          ]
        )
      }
    }
  }

  @Test func `has names, places and counts of a record`() async throws {
    try await ServedCompany.with { company in
      try addFields(to: company)
      try company.run(
        "insert into staffbook.memberships (user_id, department_id, title) values ('bo', 'acme', 'Clerk')"
      )
      try await company.serve { (server) async throws in
        let bo: Card = try decoded(try await server.ask("/api/v1/people/bo"))
        #expect(bo.named == [Person(id: "ada", name: "Ada Lund")])
        #expect(bo.departments?.map(\.path) == [["Acme"], []])
        #expect(bo.departments?.map(\.title) == [nil, "Clerk"])
        let ada: Card = try decoded(try await server.ask("/api/v1/people/ada", as: "bo"))
        #expect(ada.reports == [Person(id: "bo", name: "Bo Lund")])
        #expect(ada.departments?.map(\.leads) == [true])
        let lamps: Card = try decoded(try await server.ask("/api/v1/departments/lamps"))
        #expect(lamps.named == [Person(id: "bo", name: "Bo Lund")])
        #expect(lamps.leaders == [Person(id: "ada", name: "Ada Lund")])
        let acme: Card = try decoded(try await server.ask("/api/v1/departments/acme"))
        #expect((acme.people, acme.direct_people) == (3, 1))
        struct Places: Decodable { var places: [[Person]] }
        let places: Places = try decoded(try await server.ask("/api/v1/places?kind=user&id=bo"))
        #expect(places.places.map { $0.map(\.id) } == [["acme", "lamps"], ["acme"]])
      }
    }
  }

  // MARK: QR codes

  /// What a reader of QR codes finds in a picture.
  private func read(_ svg: String, in folder: ScratchFolder) async throws -> String {
    let size = try #require(svg.firstMatch(of: #/viewBox="0 0 (\d+) /#).flatMap { Int($0.1) })
    let path = try #require(svg.firstMatch(of: /crispEdges" d="([^"]*)"/)).1
    var pixels = Array(repeating: [UInt8](repeating: 255, count: size), count: size)
    var (x, y) = (0, 0)
    for part in path.matches(of: /M4 (\d+)\.5|([hm])(\d+)/) {
      if let row = part.1 {
        (x, y) = (4, Int(row) ?? 0)
      } else if let letter = part.2, let run = part.3.flatMap({ Int($0) }) {
        if letter == "h" { for at in x..<x + run { pixels[y][at] = 0 } }
        x += run
      }
    }
    let scale = 4
    var picture = Array("P5 \(size * scale) \(size * scale) 255\n".utf8)
    for row in pixels {
      let line = row.flatMap { [UInt8](repeating: $0, count: scale) }
      for _ in 0..<scale { picture += line }
    }
    let file = folder.path.appending("code.pgm")
    let descriptor = try FileDescriptor.open(
      file,
      .writeOnly,
      options: [.create, .truncate],
      permissions: .ownerReadWrite
    )
    try descriptor.closeAfter { _ = try descriptor.writeAll(picture) }
    let outcome = try await runProgram("zbarimg", ["--quiet", "--raw", "--oneshot", file.string])
    #expect(outcome.status == 0, "\(outcome)")
    return outcome.stdout
  }

  @Test func `is read from a QR code, and of a large card what a telephone keeps`() async throws {
    try await ServedCompany.with { company in
      let long = String(repeating: "x", count: 900)
      try company.run(
        """
        insert into staffbook.fields (name, of, kind, label, is_multiple) values
          ('note', 'user', 'text', 'Note', false), ('mobile', 'user', 'phone', 'Mobile', false),
          ('other_emails', 'user', 'email', 'Further emails', true);
        update staffbook.users set fields = '{"mobile": "+49 30 77", "note": "\(long)"}' where id = 'bo';
        update staffbook.users set email = 'a@' || repeat('b', 300),
          fields = jsonb_build_object('other_emails', (select jsonb_agg(n || '@' || repeat('c', 290))
            from generate_series(1, 10) as n)) where id = 'eve'
        """
      )
      try await company.serve { (server) async throws in
        let whole = try await server.ask("/api/v1/people/ada/qr.svg", as: "bo")
        #expect(whole.header("content-type") == "image/svg+xml")
        let card = try await server.ask("/api/v1/people/ada.vcf", as: "bo").text
        let text = try await read(whole.text, in: company.scratch)
        #expect(text.lines == card.replacing("\r\n ", with: "").lines)
        let cut = try await read(
          try await server.ask("/api/v1/people/bo/qr.svg").text,
          in: company.scratch
        )
        #expect(
          cut.lines == [
            "BEGIN:VCARD", "VERSION:4.0", "FN:Bo Lund", "N:Lund;Bo;;;", "TEL;TYPE=cell:+49 30 77",
            "END:VCARD",
          ]
        )
        #expect(try await server.ask("/api/v1/people/eve/qr.svg").status == 413)
        #expect(try await server.ask("/api/v1/people/nobody/qr.svg").status == 404)
      }
    }
  }
}

extension String {
  fileprivate var lines: [String] { split(whereSeparator: \.isNewline).map(String.init) }
}
