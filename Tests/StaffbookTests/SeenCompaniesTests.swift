import DirectoryModel
import DirectoryReading
import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

@testable import VisibilityModel

/// Whole commands under `--as` for random companies, rules and pasts, beside those of a directory
/// that holds nothing but what the model shows.
@Suite("What a viewer is shown of a random company")
struct SeenCompaniesTests {
  private static let formats = [
    "csv", "tsv", "json", "jsonl", "plain", "xlsx", "vcard", "ldif", "text", "markdown", "html",
    "mermaid", "dot",
  ]

  private static let ofImport =
    "select min(number)::text from staffbook.transactions where counts ? 'user'"

  /// Commands that read a company, about records that are seen, hidden and unlisted.
  private func commands(
    _ company: MarkedCompany,
    _ model: SlowSight,
    using generator: inout SeededGenerator
  ) -> [[String]] {
    let users = company.users.shuffled(using: &generator)
    let departments = company.departments.shuffled(using: &generator)
    let people = [
      users.first { model.shows($0.id) }, users.first { model.isUnlisted($0.id) },
      users.first { !model.shows($0.id) && !model.isUnlisted($0.id) },
    ].compactMap { $0 }
    let groups = [SlowSight.Showing.whole, .stub, .nothing].compactMap { showing in
      departments.first { model.showing($0.id) == showing }
    }
    var commands: [[String]] = [
      ["tree"], ["tree", "--all", "--json"], ["staff", departments[0].name, "--json"],
      ["tree", "--all", "--columns", "id,name,title,email,phone,mobile,badge"],
      ["search", "is:lead"], ["search", "has:mobile"], ["search", "has:badge"],
      ["search", "-has:note"], ["show", "id:u-never"], ["staff", "id:d-never"],
      ["search", "in:d-never", "a"],
    ]
    for user in people {
      let values = user.fields.values ?? [:]
      commands += [
        ["show", "id:\(user.id)"], ["show", user.contacts[.email]],
        ["show", user.contacts[.phone]],
        ["show", user.name, "--json"], ["search", String(user.name.prefix(4))],
        ["search", values["note"]?.texts.first ?? "note"], ["search", "manager:\(user.id)"],
        ["tree", "--filter", user.name],
      ]
    }
    for group in groups {
      commands += [
        ["show", "id:\(group.id)", "--json"], ["staff", "id:\(group.id)"],
        ["tree", group.name, "--all"],
        ["search", "in:\(group.id)", "a"], ["search", group.name],
      ]
    }
    return commands + Self.formats.map { ["export", "--all", "--people", "--format", $0] }
  }

  private func compare(
    _ whole: Book,
    _ seen: Book,
    _ commands: [[String]],
    _ further: [String] = [],
    seed: UInt64
  ) async throws {
    for arguments in commands {
      let own = try await whole.run(arguments + further + ["--as", "device:lobby"])
      let other = try await seen.run(arguments + ["--as", "device:lobby"])
      let words = "seed \(seed): \(arguments + further): \(own) \(other)"
      let isSame =
        own.status == other.status && own.stdoutBytes == other.stdoutBytes
        && own.stderrBytes == other.stderrBytes
      #expect(isSame, "\(words)")
    }
  }

  /// A directory of what is shown holds stubs by the same kind of rule, and unlisted people in a
  /// department that is not shown.
  ///
  /// The past is compared without `show`, which does not find unlisted people as of a time.
  @Test(arguments: newSeeds(8))
  func `is byte by byte what a directory of only that shows, now and as of a time`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let past = try MarkedCompany(departments: 8, people: 16, using: &generator)
    let now = past.changed(using: &generator)
    let rules = try VisibilityRules(forDeviceOf: now, using: &generator)
    let model = SlowSight(rules, .device("lobby"), now)
    let former = model.of(past)
    try await withBook { whole in
      try await whole.fill([past, now], rules)
      let time = try whole.value(Self.ofImport)
      let commands = commands(now, model, using: &generator)
      try await withBook { seen in
        let reference = try model.reference()
        try await seen.fill([reference.company], reference.rules)
        try await compare(whole, seen, commands, seed: seed)
        for user in now.users.prefix(4) {
          let words = ["---complete", "fish", String(user.name.prefix(3)), "show"]
          try await compare(whole, seen, [words], seed: seed)
        }
      }
      guard try !former.visible().users.isEmpty else { return }
      try await withBook { seen in
        let reference = try former.reference()
        try await seen.fill([reference.company], reference.rules)
        let ofPast = commands.filter { $0[0] != "show" }
        try await compare(whole, seen, ofPast, ["--as-of", time], seed: seed)
      }
    }
  }
}
