import ArgumentParser
import DirectoryModel
import DirectoryService
import Terminal

/// Which directory a command works on.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "PostgreSQL to use instead of Staffbook's own.",
      discussion:
        "Any libpq connection string; also STAFFBOOK_DATABASE_URL or PGHOST and the like.",
      valueName: "url"
    )
  )
  var database: String?

  func service() throws -> StaffbookService {
    if let database, StaffbookService.holdsPassword(database) {
      Messages.warning(
        "a password on the command line can be seen by others; put it into ~/.pgpass"
      )
    }
    let settings = try Settings(environment: Messages.environment, database: database)
    return StaffbookService(settings: settings) { Messages.notice($0) }
  }
}

/// Which directory a reading command works on, and how fresh it must be.
struct ReadingOptions: ParsableArguments {
  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Bring the snapshot up to the database first.")
  var fresh = false

  func open() async throws -> (service: StaffbookService, directory: Directory) {
    let service = try source.service()
    let progress = SyncProgressLine()
    defer { progress.finish() }
    return (service, try await service.directory(fresh: fresh) { progress.show($0) })
  }
}
