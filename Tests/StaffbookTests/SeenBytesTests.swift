import DirectoryModel
import DirectoryReading
import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

@testable import VisibilityModel

/// The commands under `--as`, beside those of a directory that holds nothing but what is shown.
@Suite("What a viewer is shown")
struct SeenBytesTests {
  private static let formats = [
    "csv", "tsv", "json", "jsonl", "plain", "xlsx", "vcard", "ldif", "text", "markdown", "html",
    "mermaid", "dot",
  ]

  private static let reading =
    [
      ["tree"], ["tree", "--all"], ["tree", "--all", "--json"], ["tree", "--all", "--plain"],
      ["tree", "--all", "--columns", "id,name,title,email,phone,salary"],
      ["tree", "Optics", "--all"],
      ["tree", "Mirrors"], ["tree", "--filter", "zak"], ["tree", "--filter", "noe"],
      ["staff", "Optics"], ["staff", "Optics", "--json"], ["staff", "Lumen"], ["staff", "Mirrors"],
      ["staff", "id:mir"], ["show", "id:u2"], ["show", "id:u2", "--json"], ["show", "id:u3"],
      ["show", "Émile Noé"], ["show", "emil"], ["show", "Optics"], ["show", "id:mir"],
      ["show", "Mirors"], ["show", "lukasz@lumen.example"], ["search", "u"], ["search", "zak"],
      ["search", "noe"], ["search", "noee"], ["search", "mirrors"], ["search", "grinder"],
      ["search", "polisher"], ["search", "4711"], ["search", "in:mir", "u"],
      ["search", "in:Optics", "lukasz", "--json"], ["search", "has:salary"],
      ["search", "salary:4711"],
      ["search", "title:Polisher"], ["search", "manager:u3"], ["search", "reports:u3"],
      ["export", "--all", "--people", "--format", "csv"],
      ["export", "Mirrors", "--all", "--format", "csv"],
      ["export", "--filter", "noe", "--format", "csv"],
    ] + formats.map { ["export", "--all", "--format", $0] }

  /// A company of which the lobby does not see the mirrors.
  private func fill(_ book: Book) async throws {
    try await withTemporaryDirectory { folder in
      try writeCompany(
        departments: "lum,,Lumen,Makers of light,0\nopt,lum,Optics,,1\nmir,opt,Mirrors,,0\n"
          + "vac,lum,Vacant,,2\n",
        users: "u1,lum,Ada Lund,Head,ada@lumen.example,+1 555 0100,0\n"
          + "u2,mir,Łukasz Żak,Polisher,lukasz@lumen.example,+1 555 0101,0\n"
          + "u3,mir,Émile Noé,Grinder,,,0\n",
        memberships: "u2,opt,Adviser,0\n",
        to: folder
      )
      try await book.lines("field", "add", "manager")
      try await book.lines("field", "add", "salary", "--visible", "nobody")
      try await book.lines("import", folder.string)
    }
    try await book.lines("set", "u1", "salary=4711", "manager=u3", "-m", "as Émile wants")
    try await book.lines("set", "u3", "title=Grinder of 4711")
    for rule in ["show everything to device lobby", "hide department mir from device lobby"] {
      try await book.lines("visibility", "add", rule)
    }
  }

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
      ["search", "-has:note"],
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

  /// Gives a book a company and rules.
  private func fill(_ book: Book, _ company: MarkedCompany, _ rules: VisibilityRules) async throws {
    for field in company.fields {
      var words = ["field", "add", field.name, "--kind", "\(field.kind.rawValue)"]
      words += ["--label", field.label]
      if field.owner == .department { words += ["--of", "departments"] }
      if field.isMultiple { words.append("--several") }
      if !field.isVisible { words += ["--visible", "nobody"] }
      if !field.isForOneself { words.append("--not-for-oneself") }
      _ = try await book.lines(words + ["--no-sync"])
    }
    try await put(company, into: book)
    try await withTemporaryDirectory { folder in
      let file = folder.appending("rules")
      try write(rules.text { _ in "" }, to: file)
      try await book.lines("visibility", "edit", "--from", file.string)
    }
  }

  /// Makes a company of what is in a book.
  private func put(_ company: MarkedCompany, into book: Book) async throws {
    var files: [[UInt8]] = [[], [], []]
    _ = try Directory(company.withoutMissingPeople().snapshot(), for: .everything)
      .writeFiles(TreeRequest(opening: .all)) { departments, users, memberships in
        files[0] += departments
        files[1] += users
        files[2] += memberships
        (departments, users, memberships) = ([], [], [])
      }
    try await withTemporaryDirectory { folder in
      for (name, bytes) in zip(["departments", "users", "memberships"], files) where !bytes.isEmpty
      {
        try write(bytes: bytes, to: folder.appending("\(name).csv"))
      }
      try await book.lines("import", folder.string, "--replace", "--accept-deletions")
    }
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
      #expect(own.status == other.status, "\(words)")
      #expect(own.stdoutBytes == other.stdoutBytes, "\(words)")
      #expect(own.stderrBytes == other.stderrBytes, "\(words)")
    }
  }

  /// A directory of what is shown holds stubs by the same kind of rule, and unlisted people in a
  /// department that is not shown.
  @Test(arguments: newSeeds(3))
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
      try await fill(whole, past, rules)
      let time = try whole.value(
        "select max(number)::text from staffbook.transactions where counts ? 'user'"
      )
      try await put(now, into: whole)
      let commands = commands(now, model, using: &generator)
      try await withBook { seen in
        let reference = try model.reference()
        try await fill(seen, reference.company, reference.rules)
        try await compare(whole, seen, commands, seed: seed)
        for user in now.users.prefix(4) {
          let words = ["---complete", "fish", String(user.name.prefix(3)), "show"]
          try await compare(whole, seen, [words], seed: seed)
        }
      }
      guard try !former.visible().users.isEmpty else { return }
      try await withBook { seen in
        let reference = try former.reference()
        try await fill(seen, reference.company, reference.rules)
        let ofPast = commands.filter { $0.last != "xlsx" && $0[0] != "show" }.prefix(24)
        try await compare(whole, seen, Array(ofPast), ["--as-of", time], seed: seed)
      }
    }
  }

  @Test func `is nothing else in history either`() async throws {
    try await withBook { book in
      try await fill(book)
      try await book.lines("remove", "u3", "--yes", "-m", "Émile left")
      let first = try book.value("select min(number)::text from staffbook.transactions")
      var commands = [
        ["log"], ["log", "-p"], ["log", "-p", "--json"], ["log", "id:u3"], ["log", "id:u2", "-p"],
        ["log", "id:mir"], ["log", "id:opt", "-p"], ["blame", "id:u3"], ["blame", "id:u2"],
        ["blame", "id:u1"], ["blame", "id:mir"], ["diff", first], ["diff", first, "--json"],
        ["diff", first, "--csv"], ["diff", first, "--html"], ["search", "--left", "noe"],
        ["search", "--left", "u3", "--json"],
      ]
      commands += Self.reading.map { $0 + ["--as-of", first] }
      for arguments in commands {
        let outcome = try await book.run(arguments + ["--as", "device:lobby"])
        // What was typed comes back in errors.
        let typed = arguments.joined(separator: " ")
        for mark in ["Émile", "Noé", "Grinder", "Polisher", "Mirrors", "4711", "(u3)", "(mir)"]
        where !typed.contains(mark) {
          #expect(!outcome.stdout.contains(mark), "\(arguments), \(mark): \(outcome)")
          #expect(!outcome.stderr.contains(mark), "\(arguments), \(mark): \(outcome)")
        }
      }
      #expect(try await book.lines("log", "-p").contains { $0.contains("Émile Noé") })
    }
  }

  @Test(arguments: ["browse", "pick"])
  func `is all that the browser reads out`(_ command: String) async throws {
    try await withTerminal { book in
      try await fill(book)
    } _: { terminal, _ in
      try await terminal.start(
        "staffbook \(command) --plain-ui --as device:lobby; echo status $?; sleep 1000"
      )
      try await terminal.wait(for: "As the device lobby: Lumen")
      try await terminal.type("Down", "Right", "Down")
      try await terminal.wait(for: "As the device lobby: Łukasz Żak, Adviser, level 3")
      try await terminal.type("Down")
      try await terminal.wait(for: "As the device lobby: Vacant")
      let screen = try await terminal.screen()
      #expect(!screen.contains("Mirrors") && !screen.contains("Noé"), "\(screen)")
    }
  }
}
