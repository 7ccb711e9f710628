import ArgumentParser
import DirectoryModel
import DirectoryService

struct DatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db",
    abstract: "The database behind it.",
    discussion: """
      Without a connection setting Staffbook runs a PostgreSQL of its own: started when it is \
      needed, reached through a Unix socket only, and left running until db stop.
      """,
    subcommands: [
      Start.self, Stop.self, Status.self, URL.self, Shell.self, Migrate.self,
    ]
  )

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start the private server; nothing to do when it runs.",
      discussion: "EXAMPLES\n  staffbook db start"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      Messages.output(try await source.service().startServer())
    }
  }

  struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop the private server.",
      discussion: "EXAMPLES\n  staffbook db stop"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      Messages.output(
        try await source.service().stopServer() ? "stopped" : "was not running"
      )
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether the database can be reached.",
      discussion: "EXAMPLES\n  staffbook db status"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      let report = try await source.service().status()
      Messages.output(StatusPrinter.serverLine(report))
      if case .unreachable = report.server { throw ExitCode(ExitStatus.unavailable.rawValue) }
    }
  }

  struct URL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "url",
      abstract: "Print one libpq URI, without a password.",
      discussion: "EXAMPLES\n  psql \"$(staffbook db url)\""
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      Messages.output(try await source.service().databaseURL())
    }
  }

  struct Shell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Open psql on the database.",
      discussion: "EXAMPLES\n  staffbook db shell\n  staffbook db shell -- -c 'select 1'"
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(parsing: .postTerminator, help: "Options for psql.")
    var arguments: [String] = []

    func run() async throws {
      try await source.service().runShell(arguments)
    }
  }

  struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Bring the database's schema up to this program.",
      discussion: """
        Safe to repeat and to run from several places at once. Only the schema staffbook is \
        touched. Afterwards members of the role staffbook_reader may sync.

        EXAMPLES
          staffbook db migrate --database postgresql://owner@db.example/directory
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    func run() async throws {
      for line in try await source.service().migrate() { Messages.output(line) }
    }
  }
}
