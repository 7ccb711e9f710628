import LibPQ
import SystemPackage
import TestSupport
import Testing

/// What others have built into a database or before it is told as theirs, and no bug of ours.
@Suite("Refusals that are not ours")
struct RefusalTests {
  @Test func `by a trigger of the company's are told in its own words`() async throws {
    try await withBook { book in
      try book.script(
        """
        create schema company;
        create function company.refuse() returns trigger language plpgsql as $$ begin
          raise exception 'nobody new until May' using detail = 'hiring stop', hint = 'ask Ada',
            errcode = 'CO001';
        end $$;
        create trigger refuse before insert on staffbook.users
          for each row execute function company.refuse();
        """
      )
      try writeSmallCompany(to: book.home)
      let outcome = try await book.run("import", book.home.string)
      #expect(outcome.status == 65, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "…",
          "staffbook: cannot import the directory: a trigger or function that is not Staffbook's refused it: nobody new until May (SQLSTATE CO001); hiring stop (PL/pgSQL function company.refuse() line 2 at RAISE)",
          "staffbook: ask Ada"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `of a view in a table's place name it`() async throws {
    try await withBook { book in
      try writeSmallCompany(to: book.home)
      try await book.lines("import", book.home.string)
      try book.script(
        """
        alter table staffbook.memberships rename to memberships_0;
        create view staffbook.memberships as select * from staffbook.memberships_0
        """
      )
      let outcome = try await book.run("sync")
      #expect(outcome.status == 65, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot load the directory: the schema staffbook is not as its migrations created it: cannot copy from view \"memberships\" (SQLSTATE 42809)",
          "staffbook: undo the changes to that schema, or import into a new database; queries on other tables belong in config.yaml, under source"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `at the door are 77, and a database that is not there is 69`() async throws {
    let cluster = try await PostgresCluster.make()
    try await cluster.run(
      "psql",
      ["-c", "create role clerk login password 'sesame'"]
        + ["-h", cluster.folder.string, "-U", "postgres"]
    )
    let rules = cluster.folder.appending("data/pg_hba.conf")
    let file = try FileDescriptor.open(rules, .writeOnly, options: .truncate)
    _ = try file.closeAfter {
      try file.writeAll("local all clerk scram-sha-256\nlocal all postgres trust\n".utf8)
    }
    try await cluster.reload()
    try await wait(until: "the server has the rules") {
      do {
        _ = try PGConnection(conninfo: "host=\(cluster.folder) user=clerk dbname=postgres")
        return false
      } catch {
        return true
      }
    }
    try await withTemporaryDirectory { (home: FilePath) async throws -> Void in
      let password =
        "check the user and the password, which come from the connection setting, PGPASSWORD or "
        + "~/.pgpass"
      let cases: [(String, Int32, String, String)] = [
        (
          "user=clerk password=wrong", 77,
          "PostgreSQL denied access: …FATAL:  password authentication failed for user \"clerk\"",
          password
        ), ("user=clerk", 77, "PostgreSQL denied access: …no password supplied", password),
        (
          "user=stranger", 77,
          "the connection to PostgreSQL failed: …FATAL:  no pg_hba.conf entry for host \"[local]\", "
            + "user \"stranger\", database \"postgres\"…",
          // By version, it may be encryption that is missing.
          "…in pg_hba.conf"
        ),
        (
          "user=postgres dbname=nowhere", 69,
          "the connection to PostgreSQL failed: …FATAL:  database \"nowhere\" does not exist",
          "check the name of the database in the connection setting, or create it: createdb"
        ),
      ]
      for (settings, status, reason, advice) in cases {
        var book = Book(home: home, conninfo: "host=\(cluster.folder) dbname=postgres \(settings)")
        book.environment["PGPASSFILE"] = "/dev/null"
        for (arguments, doing) in [
          (["sync"], "load the directory"), (["db", "migrate"], "migrate the database"),
        ] {
          let outcome = try await book.run(arguments)
          #expect(
            outcome.status == status
              // libpq may warn of the password file first.
              && outcome.stderr.reads(
                "…",
                "staffbook: cannot \(doing): \(reason)",
                "staffbook: \(advice)"
              ),
            "\(outcome)"
          )
        }
      }
    }
  }

  @Test func `by a time limit of the server or by an administrator are no interrupt`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try book.script(
          """
          create schema company;
          create function company.slow() returns trigger language plpgsql as $$ begin
            set local statement_timeout = '1ms';
            perform pg_cancel_backend(pg_backend_pid()); perform pg_sleep(60);
            return new;
          end $$;
          create trigger slow before update on staffbook.users
            for each row execute function company.slow();
          """
        )
        try writeCompany(departments: "", users: "u1,lum,Ada Holm,,,,0\n", to: folder)
        let outcome = try await book.run("import", folder.appending("users.csv").string)
        #expect(outcome.status == 75, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "…",
            "staffbook: cannot import the directory: the server ended the statement: canceling statement due to user request (SQLSTATE 57014)",
            "…"
          ),
          "\(outcome)"
        )
      }
    }
  }
}
