import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Commands of tokens and devices")
struct TokenCommandTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `print a token once, list it and remove it`() async throws {
    try await withCompany { book in
      let added = try await book.run(
        "token",
        "add",
        "Ada Lund",
        "--for",
        "build server",
        "--expires",
        "1y"
      )
      #expect(added.status == 0, "\(added)")
      #expect(added.stdout.wholeMatch(of: /sb_[a-z2-7]{32}\n/) != nil)
      #expect(
        added.stderr.reads(
          "staffbook: this is token 1 of Ada Lund, which expires at …; it is not shown again"
        ),
        "\(added)"
      )
      try await book.lines("device", "add", "lobby")
      let never = try await book.run(
        ["token", "add", "device:lobby", "--for", "screen", "--expires", "never", "--may", "edit"]
      )
      #expect(
        never.stderr
          == "staffbook: this is token 2 of device:lobby, which does not expire; it is not shown again\n",
        "\(never)"
      )
      let list = try await book.run("token", "list")
      #expect(
        list.stdout.reads(
          "1\tu1\tAda Lund\tread\tbuild server\t20…\tnever",
          "2\tdevice:lobby\t\tedit\tscreen\tnever\tnever"
        ),
        "\(list)"
      )
      let json = try await book.lines("token", "list", "--json")
      #expect(values(of: "holder", in: json) == ["u1", "device:lobby"])
      #expect(values(of: "expires", in: json)[at: 0]?.hasSuffix("Z") == true, "\(json)")
      #expect(json[at: 1]?.contains("\"expires\"") == false, "\(json)")
      #expect(!(list.stdout + json.joined()).contains(added.stdout.dropLast()))
      let devices = try await book.run("device", "list")
      #expect(devices.stdout.reads("lobby\t1\t20…\t…"), "\(devices)")
      #expect(
        values(of: "device", in: try await book.lines("device", "list", "--json")) == ["lobby"]
      )

      let missing = try await book.run("token", "remove", "1", "7")
      #expect(missing.status == 1, "\(missing)")
      #expect(
        missing.stderr.reads(
          "staffbook: cannot remove tokens: there is no token 7",
          "staffbook: nothing was removed; list the tokens with: staffbook token list"
        ),
        "\(missing)"
      )
      let removed = try await book.run("token", "remove", "1")
      #expect(removed.stderr == "staffbook: removed token 1\n", "\(removed)")
      let device = try await book.run("device", "remove", "lobby")
      #expect(device.stderr == "staffbook: removed the device lobby and 1 token\n", "\(device)")
      #expect(try await book.lines("token", "list") == [])
      #expect(try await book.run("device", "remove", "lobby").status == 1)
    }
  }

  @Test func `keep devices apart, whatever they are called`() async throws {
    try await withCompany { book in
      let names = [
        "lobby", "Lobby", "device:lobby", "u1", "a \"quoted\" \\ one", "'; drop table tokens; --",
        "$(touch pwned)", "\u{202E}ybbol", "Cafe\u{301}", "-n", "👩‍👩‍👧",
      ]
      for name in names {
        let added = try await book.run("device", "add", "--", name)
        #expect(added.status == 0 && !added.stderr.unicodeScalars.contains("\u{202E}"), "\(added)")
        let token = ["token", "add", "--for", "x", "--expires", "1d", "--", "device:\(name)"]
        #expect(try await book.run(token).status == 0, "\(name)")
      }
      #expect(try await book.run("device", "add", "Caf\u{E9}").status == 65)
      let devices = values(of: "holder", in: try await book.lines("token", "list", "--json"))
      #expect(devices == names.map { "device:\($0)" }, "\(devices)")
      for (name, other) in zip(names, names.dropFirst() + names.prefix(1)) {
        func tree(_ device: String) async throws -> [String] {
          try await book.lines("tree", "--all", "--columns", "id", "--as", "device:\(device)")
        }
        let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try await book.lines(
          "visibility",
          "add",
          "--yes",
          "show department mir to device \"\(quoted)\""
        )
        #expect(try await tree(name).contains("mir"), "\(name)")
        #expect(try await tree(other) == [], "\(name)")
        try await book.lines("visibility", "remove", "--yes", "1")
        #expect(try await tree(name) == [])
      }
      for name in names { try await book.lines("device", "remove", "--", name) }
      #expect(try await book.lines("token", "list") == [])
    }
  }

  @Test func `refuse what is not exact, has no end, or is not for the account`() async throws {
    try await withCompany { book in
      let add = ["token", "add", "--for", "x"]
      let guess = try await book.run(add + ["--expires", "1y", "Ada"])
      #expect(
        guess.status == 1
          && guess.stderr.reads(
            "staffbook: no person is called Ada",
            "staffbook: did you mean Ada Lund (id:u1)? Name the person by the id or the whole name"
          ),
        "\(guess)"
      )
      let device = try await book.run(add + ["--expires", "1y", "device:lobby"])
      #expect(
        device.stderr.reads(
          "staffbook: cannot add a token: there is no device lobby",
          "staffbook: add it with: staffbook device add lobby"
        ),
        "\(device)"
      )
      #expect(try await book.run(add + ["u1"]).status == 64)
      let period = try await book.run(add + ["--expires", "soon", "u1"])
      #expect(
        period.status == 64
          && period.stderr.reads(
            "staffbook: soon is not a valid period",
            "staffbook: give a number with d, w, m or y, such as 90d or 2y, or never"
          ),
        "\(period)"
      )
      #expect(try await book.run(add + ["--expires", "1y", "--may", "all", "u1"]).status == 64)

      let role = "token_\(UInt64.random(in: .min ... .max))"
      try book.script("create role \(role) in role staffbook_editor")
      let other = Book(home: book.home, conninfo: book.conninfo + " options=-crole=\(role)")
      for (arguments, doing): ([String], String) in [
        (add + ["--expires", "1y", "u1"], "add a token"), (["token", "list"], "list the tokens"),
        (["token", "remove", "1"], "remove tokens"), (["device", "add", "x"], "add the device x"),
        (["device", "list"], "list the devices"),
        (["device", "remove", "x"], "remove the device x"),
      ] {
        let refused = try await other.run(arguments)
        #expect(refused.status == 77 && refused.stdout == "", "\(refused)")
        #expect(
          refused.stderr.reads(
            "staffbook: cannot \(doing): … is not a member of staffbook_admin",
            "staffbook: nothing was changed; have an administrator run: grant staffbook_admin to …;"
          ),
          "\(refused)"
        )
      }
      try book.script("drop owned by \(role); drop role \(role)")
    }
  }

  @Test func `leave doctor content, which compares rights`() async throws {
    try await withCompany { book in
      try await book.lines("device", "add", "lobby")
      #expect(try await book.run("doctor").status == 0)
      try book.script(
        """
        revoke select on staffbook.tokens from staffbook_server;
        revoke delete on staffbook.devices from staffbook_admin;
        drop trigger end_tokens on staffbook.users;
        """
      )
      let doctor = try await book.run("doctor")
      for text in [
        "the roles lack rights: staffbook_admin: DELETE on devices, staffbook_server: SELECT on tokens",
        "triggers are missing or not enabled as required: users.end_tokens",
      ] {
        #expect(
          doctor.stdout.reads(
            "…",
            "  Problem:       \(text)",
            "                 have the owner of the schema run: staffbook db migrate --repair",
            "…"
          ),
          "\(doctor)"
        )
      }
      try await book.lines("db", "migrate", "--repair")
      #expect(try await book.run("doctor").status == 0)
      let readers = """
        select count(*) from unnest('{reader,editor,historian}'::text[]) r(name),
            unnest('{tokens,devices}'::text[]) t(name)
          where has_any_column_privilege('staffbook_' || r.name, 'staffbook.' || t.name, 'select')
        """
      #expect(try book.value(readers) == "0")
    }
  }
}
