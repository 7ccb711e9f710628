import ArgumentParser
import CCommit
import DirectoryModel
import Logging
import Platform
import Serving
import SiteSettings

/// Serves the directory over HTTP.
@main
struct StaffbookServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "staffbookd",
    abstract: "Serve the directory over HTTP.",
    discussion: """
      It is configured under server in config.yaml. Without that, it listens on 127.0.0.1:8440 and \
      prints an address with a random key: anyone who opens it has the rights of the account that \
      started the server. It keeps the snapshot up to date. At SIGTERM or Ctrl-C, it answers the \
      requests under way, and exits.
      """,
    version: String(cString: staffbook_commit())
  )

  @Option(help: ArgumentHelp("PostgreSQL database to serve.", valueName: "url"))
  var database: String?

  @Option(
    help: ArgumentHelp("Listen there: ADDRESS:PORT, or the path of a socket.", valueName: "where")
  )
  var listen: String?

  @Flag(help: "Log every request: its method, route, status and duration.")
  var accessLog = false

  @Flag(help: .hidden)
  var routes = false

  func run() async throws {
    if routes { return print(Reference.markdown, terminator: "") }
    let environment = ProcessEnvironment.variables
    var settings = try Settings(environment: environment, database: database)
    if let listen {
      guard let listener = ServerSettings.listener(listen) else {
        throw ValidationError("\(listen) is neither ADDRESS:PORT nor the path of a socket")
      }
      settings.server.listeners = [listener]
    } else if let inherited = ServiceManager.listeners(environment: environment) {
      settings.server.listeners = inherited.map { .inherited($0) }
    }
    if accessLog { settings.server.accessLog = true }
    try settings.requireSound()
    let logger = Logger(label: "staffbookd") { StreamLogHandler.standardError(label: $0) }
    let version = String(cString: staffbook_commit())
    let service = try DirectoryService(settings, version: version) {
      logger.notice("\($0.text { _ in "the administrator's command line" })")
    }
    let listeners = settings.server.listeners
    let isSecure = settings.server.isSecure
    let manager = ServiceManager(environment: environment)
    try await ServerRun(service, logger: logger, manager: manager) { ports in
      for (listener, port) in zip(listeners, ports) {
        guard case .address(let host, _) = listener, let port else {
          print("staffbookd: listening on \(listener)")
          continue
        }
        let place = ServerSettings.Listener.address(host, port: port)
        print(
          "staffbookd: open \(isSecure ? "https" : "http")://\(place)/\(service.entrance ?? "")"
        )
      }
      fflush(nil)
    }.run()
  }
}
