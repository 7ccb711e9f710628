import Seeds
import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

@Suite("Lists as JSON")
struct JSONReaderTests {
  @Test func `come as lines or as one array`() async throws {
    let objects = [
      #"{"kind":"department","id":"a","name":"A","level":0,"disclosure":"empty","description":"x"}"#,
      #"{"kind":"user","id":"u","name":"U","level":1,"parent":"a","title":"T","email":"e","phone":"p"}"#,
    ]
    let rows = ["d|a|<|A|x|0", "u|u|<a|U|T|e|p|0"]
    let array = objects.joined(separator: ",\n")
    let texts: [String] = [
      objects.joined(separator: "\n") + "\n", objects.joined(separator: "\r\n"),
      "\u{FEFF}[\n\(array)\n]\n", objects.joined(separator: " "), "[\(array)]",
    ]
    for text in texts {
      let seen = try await readList(text, as: .json)
      #expect(seen.rows == rows)
      #expect(seen.problems == [] && seen.warnings == [] && seen.isComplete)
      #expect(seen.absent.departments == [.title, .contact(.email), .contact(.phone), .sortOrder])
      #expect(seen.absent.people == [.description, .sortOrder, .leads])
    }
    #expect(try await readList("[]", as: .json).rows == [])
    #expect(try await readList("[ {} ]", as: .json).problems.count == 1)
  }

  @Test func `have values of every kind`() async throws {
    let seen = try await readList(
      #"""
      {"kind":"user","id":17,"parent_id":null,"department_id":"a\/b","name":"\u00dc \ud83d\ude00 \"\\\n\t","sort_order":-3,"primary":true,"more":{"a":[1,{"b":[]},"]"],"c":{}},"path":["x","y"],"phone":""}
      """#,
      as: .json
    )
    #expect(seen.rows == ["u|17|<a/b|Ü 😀 \"\\\n\t||||-3|true"])
    #expect(seen.warnings == ["1: the key \"more\" is unknown and is ignored"])
  }

  @Test func `are refused where they are no JSON, with the line`() async throws {
    let sound = #"{"kind":"department","id":"a","name":"A"}"#
    let cases: [(String, String)] = [
      (
        #"{"kind":"department","id":"a" "name":"A"}"#,
        "1: has \"\"name\":\"A\"}\" where a comma or } is expected (RFC 8259)"
      ),
      (#"{"id":01}"#, "1: has \"01}\" where a value is expected (RFC 8259)"),
      (#"{"id":.5}"#, "1: has \".5}\" where a value is expected (RFC 8259)"),
      (#"{"id":"\x"}"#, "1: has \"\\x\"}\" where a JSON escape is expected (RFC 8259)"),
      (
        #"{"id":"\ud800"}"#,
        "1: has \"\\ud800\"}\" where a whole character, not half of one, is expected (RFC 8259)"
      ),
      (
        #"{"id":"\ud800\u0041"}"#,
        "1: has \"\\ud800\\u0041\"}\" where a whole character, not half of one, is expected (RFC 8259)"
      ),
      (#"{"id":"a","id":"b"}"#, "1: names the key \"id\" twice"),
      (#"{"name":["A"]}"#, "1: the value of name is a list or an object, not text"),
      (#"{"id":"\u0000"}"#, "1: the value of id contains a NUL"),
      ("{\"id\":\n\"a\tb\"}", "2: has a control character in a string; write it as \\u00…"),
      (#"{"x":[1,]}"#, "1: has \"]}\" where a value is expected (RFC 8259)"),
      (#"{"x":[1}}"#, "1: has \"}}\" where a comma or a closing bracket is expected (RFC 8259)"),
      (
        #"{"kind":"robot","id":"r"}"#, "1: r: kind \"robot\" is neither \"department\" nor \"user\""
      ),
      (#"{"kind":"user","id":"r","name":"R"}"#, "1: r: has no department"),
    ]
    for (text, problem) in cases {
      let seen = try await readList(text + "\n" + sound, as: .json)
      #expect(seen.problems == [problem], "\(text)")
      #expect(seen.rows.last == "d|a|<|A||0", "goes on: \(text)")
    }
  }

  @Test func `end where their frame breaks`() async throws {
    let cases: [(String, String)] = [
      ("", "is empty; it contains no object"),
      ("[", "the array is not closed; the file may be truncated"),
      ("[1]", "has \"1\" where an object is expected (RFC 8259)"),
      ("{\"a\":\"", "the object that begins here is not closed; the file may be truncated"),
      ("[{}{}]", "has \"{\" where a comma or ] is expected (RFC 8259)"),
      ("[] x", "has \"x\" where the end of the file is expected (RFC 8259)"),
      ("hello", "has \"h\" where an object is expected (RFC 8259)"),
    ]
    for (text, problem) in cases {
      let seen = try await readList("\n" + text, as: .json)
      #expect(seen.problems.last?.hasSuffix(problem) == true, "\(text): \(seen.problems)")
      #expect(!seen.isComplete)
    }
  }

  @Test func `nest without end and without harm`() async throws {
    let deep = String(repeating: "[", count: 100_000)
    let seen = try await readList("{\"x\":\(deep)\(deep.replacing("[", with: "]"))}", as: .json)
    #expect(seen.problems == ["1: is nested more than 512 levels deep"])
  }

  @Test func `are told by Python the same`() async throws {
    var random = SeededGenerator(seed: .random(in: .min ... .max))
    let seed = random.state
    let alphabet = Array("aé灯😀\"\\/\u{8}\u{1F}\n\r\t \u{2028}\u{202E}'<".unicodeScalars)
    var names: [String] = []
    for _ in 0..<200 {
      var name = "n"
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        name.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
      }
      names.append(name)
    }
    let script = """
      import json, sys
      for name in sys.stdin.buffer.read().decode().split("\\0"):
          print(json.dumps({"kind": "department", "id": name, "name": name},
              ensure_ascii=len(name) % 2 == 0))
      """
    let outcome = try await runProgram(
      "python3",
      ["-c", script],
      environment: ["PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"],
      stdin: Array(names.joined(separator: "\0").utf8)
    )
    try #require(outcome.status == 0, "\(outcome)")
    let seen = try await readList(outcome.stdoutBytes, as: .json)
    #expect(seen.problems == [], "seed \(seed)")
    #expect(seen.rows == names.map { "d|\($0)|<|\($0)||0" }, "seed \(seed)")
  }
}
