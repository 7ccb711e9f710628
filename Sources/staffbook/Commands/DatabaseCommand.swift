import Administration
import ArgumentParser
import DirectoryModel
import Platform

struct DatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db",
    abstract: "Manage the database.",
    discussion: """
      Without a connection setting, Staffbook runs a private PostgreSQL server. The server is \
      started when it is needed, accepts connections through a Unix socket only, and keeps running \
      until db stop.
      """,
    subcommands: [
      Start.self, Stop.self, Status.self, URL.self, Shell.self, Migrate.self,
    ]
  )

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start",
      abstract: "Start the private server, if it is not running.",
      discussion: "EXAMPLES\n  staffbook db start"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      Messages.data(try await DatabaseServer(source.administrator()).startServer())
    }
  }

  struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "Stop the private server.",
      discussion: "EXAMPLES\n  staffbook db stop"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      Messages.report(
        try await DatabaseServer(source.administrator()).stopServer()
          ? "stopped the private server" : "the private server was not running"
      )
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show whether the database can be reached.",
      discussion: "EXAMPLES\n  staffbook db status"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      let report = try await StatusReport(for: source.administrator(.warn))
      Messages.report(StatusPrinter.serverLine(report))
      if case .unreachable = report.server { throw ExitCode(ExitStatus.unavailable.rawValue) }
    }
  }

  struct URL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "url",
      abstract: "Print the libpq URI of the database, without a password.",
      discussion: "EXAMPLES\n  psql \"$(staffbook db url)\""
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      Messages.data(try await DatabaseServer(source.administrator(.warn)).databaseURL())
    }
  }

  struct Shell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "shell",
      abstract: "Open psql on the database.",
      discussion: "EXAMPLES\n  staffbook db shell\n  staffbook db shell -- -c 'select 1'"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(parsing: .postTerminator, help: "Options to pass to psql.")
    var arguments: [String] = []

    func run() async throws {
      let shell = try await DatabaseServer(source.administrator(.warn)).client("psql", arguments)
      if let password = shell.password { setenv("PGPASSWORD", password, 1) }
      var words = shell.words.map { strdup($0) } + [nil]
      execvp(shell.words[0], &words)
      throw DirectoryError(
        .noInput,
        "cannot run \(shell.words[0]): \(String(cString: strerror(errno)))",
        advice: "install it with: apt-get install postgresql-client"
      )
    }
  }

  struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "migrate",
      abstract: "Update the database's schema to what this program needs.",
      discussion: """
        It is safe to repeat this command, and to run it from several places at once. Only the \
        schema staffbook is changed. Afterwards, members of the role staffbook_reader may sync. \
        With --repair, functions, triggers, indexes and rights that were changed or removed are \
        restored; records are not changed. Only the owner of the schema may do this.

        EXAMPLES
          staffbook db migrate --repair
          staffbook db migrate --database postgresql://owner@db.example/directory
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Restore what was changed or removed in the schema.")
    var repair = false

    func run() async throws {
      let administrator = try source.administrator()
      for line in try await repair
        ? DatabaseServer(administrator).repairSchema() : DatabaseServer(administrator).migrate()
      {
        Messages.report(line)
      }
    }
  }
}
