import DirectoryModel
import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

@Suite("The clocks of a zone")
struct ZoneTests {
  private static let names = [
    "Europe/Berlin", "Europe/Dublin", "Europe/London", "America/New_York", "America/St_Johns",
    "America/Sao_Paulo", "America/Nuuk", "Africa/Casablanca", "Africa/Cairo", "Asia/Kolkata",
    "Asia/Kathmandu", "Asia/Tehran", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Apia",
    "Pacific/Chatham", "Pacific/Auckland", "Asia/Jerusalem", "UTC", "Etc/GMT+5",
  ]

  /// What date(1) says in a zone.
  private func date(_ zone: String, _ format: String, _ moments: [String]) async throws -> [String]
  {
    let outcome = try await runProgram(
      "date",
      ["-f", "-", "+\(format)"],
      environment: ["TZ": zone, "LC_ALL": "C", "PATH": "/usr/bin:/bin"],
      stdin: Array((moments.joined(separator: "\n") + "\n").utf8)
    )
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.stdout.split(separator: "\n").map(String.init)
  }

  private func seconds(_ offset: String) throws -> Int64 {
    let parts = offset.split(separator: ":").compactMap { Int64($0.drop { !$0.isNumber }) }
    try #require(parts.count == 3, "\(offset)")
    return (offset.hasPrefix("-") ? -1 : 1) * (parts[0] * 3_600 + parts[1] * 60 + parts[2])
  }

  @Test(arguments: names)
  func `are ahead of UTC as date says, whatever the process's zone is`(name: String) async throws {
    let zone = try #require(Zone(name))
    var generator = SeededGenerator(seed: 7)
    // From 1850 to 2150: before the first change, among them, and by the rule behind the last.
    let moments = (0..<2_000).map { _ in
      Int64.random(in: -3_786_000_000...5_680_000_000, using: &generator)
    }
    let said = try await date(name, "%::z", moments.map { "@\($0)" })
    try #require(said.count == moments.count)
    for (moment, offset) in zip(moments, said) {
      #expect(zone.offset(at: moment) == (try seconds(offset)), "\(name) at \(moment)")
    }
  }

  @Test(arguments: names)
  func `show a time where date says they do`(name: String) async throws {
    let zone = try #require(Zone(name))
    var generator = SeededGenerator(seed: 8)
    let clocks = (0..<500).map { _ in
      Int64.random(in: -2_000_000_000...4_000_000_000, using: &generator)
    }
    let texts = try await date("UTC", "%Y-%m-%d %H:%M:%S", clocks.map { "@\($0)" })
    for (clock, text) in zip(clocks, texts) {
      let time = zone.time(of: clock)
      #expect(time + zone.offset(at: time) == clock, "\(name) at \(text)")
    }
    let kept = zip(clocks, texts).filter { clock, _ in
      // Neither shown twice nor skipped.
      zone.offset(at: clock - 90_000) == zone.offset(at: clock + 90_000)
    }
    let said = try await date(name, "%s", kept.map(\.1))
    for ((clock, text), second) in zip(kept, said) {
      #expect(String(zone.time(of: clock)) == second, "\(name) at \(text)")
    }
  }

  @Test func `a time that is shown twice is the first, and one that is skipped comes after`() throws
  {
    let berlin = try #require(Zone("Europe/Berlin"))
    // 2026-10-25 02:30 and 2026-03-29 02:30.
    #expect(berlin.time(of: 1_792_895_400) == 1_792_895_400 - 7_200)
    #expect(berlin.time(of: 1_774_751_400) == 1_774_751_400 - 3_600)
  }

  @Test func `names that are no zone are none`() {
    for name in ["", "Europe/Nowhere", "../../etc/passwd", "/etc/localtime", "Europe", ".", "a\0b"]
    {
      #expect(Zone(name) == nil, "\(name)")
    }
  }

  @Test func `zones are equal by what they say, and callers can be keys`() throws {
    let berlin = try #require(Zone("Europe/Berlin"))
    #expect(berlin == Zone("Europe/Berlin"))
    #expect(berlin != Zone("Europe/Paris"))
    var caller = Caller(
      viewer: .device("lobby"),
      me: "u1",
      actor: "Ada",
      zone: berlin
    )
    let known = [caller: 1]
    #expect(known[caller] == 1)
    #expect(caller.authorship(reason: " why ") == Authorship(actor: "Ada", reason: "why"))
    caller.viewer = .everything
    #expect(known[caller] == nil)
  }
}
