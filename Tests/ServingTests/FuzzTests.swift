import DirectoryModel
import FoundationEssentials
import HTTPTypes
import Seeds
import Serving
import SystemPackage
import TestSupport
import Testing

/// Requests that no client would send, of which a seed determines each.
private struct Fuzzer {
  var generator: SeededGenerator

  /// Pieces of which values are made.
  private static let pieces = [
    "", "a", "ada", "bo", "acme", "lamps", "a/b%", "..", "%", "%2F", "%00", "%FF", "\u{202E}", "李",
    "\"", "'", "name:", "id:", "*", "-", "(", ")", "or", " ", "+", "&", "=", "?", "#", "{}", "[[[[",
    "1", "-1", "99999999999999999999", "true", "null", ";", "\\", "e\u{301}", "\u{1F469}\u{200D}",
  ]

  private mutating func text(_ most: Int = 6) -> String {
    (0..<Int.random(in: 0...most, using: &generator)).reduce("") { text, _ in
      text + (Self.pieces.randomElement(using: &generator) ?? "")
    }
  }

  /// Percent-encoded, or left as it is where that is a request at all.
  private mutating func encoded(_ text: String) -> String {
    let isRaw = Int.random(in: 0..<4, using: &generator) == 0
    return text.utf8.reduce(into: "") { encoded, byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
      if isPlain || isRaw && (0x21...0x7E).contains(byte) && byte != 0x23 {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }

  mutating func request(_ route: Route, cursor: String) -> (
    path: String, headers: [String], content: String?
  ) {
    var path = route.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.contains("{")
        ? String(part).replacing(/\{\w+\}/, with: encoded(text(2) + "a")) : String(part)
    }.joined(separator: "/")
    var pairs: [String] = []
    for parameter in route.parameters where parameter.place == .query {
      guard Bool.random(using: &generator) else { continue }
      var value = text()
      if case .choice(let values, _) = parameter.kind, Bool.random(using: &generator) {
        value = values.randomElement(using: &generator) ?? value
      }
      if parameter.name == "cursor" { value = mutated(cursor) }
      pairs.append("\(parameter.name)=\(encoded(value))")
    }
    if !pairs.isEmpty { path += "?" + pairs.joined(separator: "&") }
    var headers = ["Remote-User: ada"]
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: headers.append("Authorization: Bearer \(encoded(text()))")
    case 1: headers.append("Authorization: Basic \(Data(text().utf8).base64EncodedString())")
    case 2: headers.append("Authorization: \(encoded(text()))")
    case 3: headers.append("Staffbook-State: \(mutated("0b9-1.2a.3b"))")
    case 4: headers.append("If-None-Match: \(encoded(text()))")
    case 5: headers.append("Last-Event-ID: \(encoded(text()))")
    default: break
    }
    let content = route.body.map { _ in
      mutated("{\"base\":\"none\",\"open\":[\"acme\",\"lamps\"],\"closed\":[]}")
    }
    return (path, headers, content)
  }

  private mutating func mutated(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes.remove(at: index)
      case 1: bytes[index] = UInt8.random(in: 0x21...0x7E, using: &generator)
      default: bytes.insert(bytes[index], at: index)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite("Nonsense")
struct FuzzTests {
  @Test(arguments: newSeeds(4))
  func `is answered by what the route says it answers`(seed: UInt64) async throws {
    var fuzzer = Fuzzer(generator: SeededGenerator(seed: seed))
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        struct Page: Decodable { var next: String }
        let page = try await server.ask("/api/v1/people?limit=1")
        let cursor = try JSONDecoder().decode(Page.self, from: Data(page.body)).next
        for _ in 0..<rounds(60, thorough: 500) {
          for route in Route.all where route.answer != .events {
            let request = fuzzer.request(route, cursor: cursor)
            let answer = try await server.client().ask(
              request.path,
              method: route.method.rawValue,
              headers: request.headers,
              content: request.content
            )
            // A value may make another path of it.
            let known = Set(route.allProblems.map(\.status.code)).union([200, 201, 303, 304, 404])
            #expect(
              known.contains(answer.status) && answer.status != 500,
              "\(request), seed \(seed): \(answer.status) \(answer.text)"
            )
            if answer.status >= 400 {
              let type = answer.header("content-type")
              // A page of a record that is not there still has the tree and the search.
              let isPage = answer.status == 404 && type == route.answer.rawValue
              #expect(isPage || type == "application/problem+json")
            }
          }
        }
      }
    }
  }
}
