import DirectoryModel
import HummingbirdCore
import HummingbirdHTTP2
import LiveDirectory
import Logging
import NIOCore
import Platform
import ServiceLifecycle
import SiteSettings
import UnixSignals

/// Serves a directory until it is told to stop.
package struct ServerRun: Sendable {
  private let service: DirectoryService
  private let logger: Logger
  private let manager: ServiceManager?
  private let mostConnections: Int
  /// Called once connections are accepted, with the port of each socket that has one.
  private let started: @Sendable ([Int?]) async -> Void

  /// - Parameters:
  ///   - service: What is served.
  ///   - logger: Told what its administrator should know.
  ///   - manager: Told when it begins and ends.
  ///   - mostConnections: Further ones wait.
  ///   - started: Called once connections are accepted, with the port of each socket that has one.
  package init(
    _ service: DirectoryService,
    logger: Logger,
    manager: ServiceManager? = nil,
    mostConnections: Int = 20_000,
    started: @escaping @Sendable ([Int?]) async -> Void
  ) {
    (self.service, self.logger, self.manager) = (service, logger, manager)
    (self.mostConnections, self.started) = (mostConnections, started)
  }

  /// How long a client may be silent, and how long it may take to end when the server stops.
  private static let idleTimeout = Duration.seconds(120)
  private static let grace = Duration.seconds(20)
  private static let longestHeaders = 64 << 10
  private static let mostHeaders = 200

  /// Runs until a signal, or the task's end.
  ///
  /// - Parameter signals: By which it stops gracefully.
  /// - Throws: `.cannotRead` for files of TLS, and what keeps it from listening.
  package func run(signals: [UnixSignal] = [.sigterm, .sigint]) async throws {
    let peers = PeerAddresses(service.settings.server)
    let connections = ClientConnections()
    let responder = ServiceResponder(service, peers, connections, logger)
    let answer: HTTPChannelHandler.Responder = { request, writer, channel in
      try await responder.respond(to: request, writer, channel)
    }
    let http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [RequestHeadSetUp(connections)],
      idleTimeout: .seconds(Self.idleTimeout.components.seconds),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: Self.longestHeaders,
        maxHeaderListSize: Self.longestHeaders,
        maxHeaderFieldCount: Self.mostHeaders
      )
    )
    guard let certificate = service.settings.server.certificate,
      let key = service.settings.server.privateKey
    else {
      return try await run(HTTP1Channel(responder: answer, configuration: http), peers, signals)
    }
    let child = try HTTP2UpgradeChannel(
      tlsConfiguration: CertificateFiles(certificate: certificate, key: key).configuration(),
      configuration: .init(
        idleTimeout: Self.idleTimeout,
        gracefulCloseTimeout: Self.grace,
        streamConfiguration: http
      ),
      responder: answer
    )
    try await run(child, peers, signals)
  }

  private func run(
    _ child: some ServerChildChannel,
    _ peers: PeerAddresses,
    _ signals: [UnixSignal]
  ) async throws {
    // Before it says that it is ready: there may be a directory already.
    if let moment = service.hub.checkedAt { service.freshness.noteSync(at: moment) }
    let sockets = service.settings.server.listeners
    let listener = Listener(
      sockets,
      child,
      service,
      peers,
      logger,
      mostConnections: mostConnections
    ) { addresses in
      manager?.tell("READY=1")
      await started(addresses.map { $0?.port })
    }
    let services: [any Service] = [FreshDirectory(service, logger, manager), listener]
    var configuration = ServiceGroupConfiguration(
      services: services,
      gracefulShutdownSignals: signals,
      logger: logger
    )
    configuration.maximumGracefulShutdownDuration = Self.grace
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// Keeps the directory fresh beside the requests, as a watch does.
private struct FreshDirectory: Service {
  private let service: DirectoryService
  private let logger: Logger
  private let manager: ServiceManager?

  /// How long it waits where another process keeps the snapshot fresh.
  private static let pause = Duration.seconds(10)

  init(_ service: DirectoryService, _ logger: Logger, _ manager: ServiceManager?) {
    (self.service, self.logger, self.manager) = (service, logger, manager)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        if let manager, let watchdog = manager.watchdog {
          group.addTask {
            while !Task.isCancelled {
              manager.tell("WATCHDOG=1")
              try? await Task.sleep(for: watchdog / 3)
            }
          }
        }
        await keepFresh()
        group.cancelAll()
      }
    }
    manager?.tell("STOPPING=1")
  }

  private func keepFresh() async {
    while !Task.isCancelled {
      do throws(DirectoryError) {
        try await service.watch { meet($0) }
      } catch {
        // Another process keeps the snapshot fresh, or the settings are wrong and may be mended: what
        // there is is served, and its age is known.
        if error.kind == .refusedForNow, let moment = service.hub.checkedAt {
          service.freshness.noteSync(at: moment)
        } else {
          meet(.failed(error, isRepeated: service.freshness.isFailing))
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  private func meet(_ event: WatchEvent) {
    switch event {
    case .ready, .waiting: break
    case .synced: service.freshness.noteSync()
    case .failed(let error, let isRepeated):
      service.freshness.noteFailure()
      if !isRepeated { logger.error("\(error.message)") }
    case .recovered: logger.info("syncs succeed again")
    }
  }
}
