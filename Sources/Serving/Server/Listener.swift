import DirectoryModel
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Platform
import ServiceLifecycle
import SiteSettings
import Synchronization

/// Accepts connections and has their requests answered, until it is shut down.
struct Listener<Child: ServerChildChannel>: Service {
  typealias Connections = NIOAsyncChannel<Accepted<Child>, Never>

  private let sockets: [ServerSettings.Listener]
  private let child: Child
  private let service: DirectoryService
  private let peers: PeerAddresses
  private let logger: Logger
  /// Further clients wait in the system's queue.
  private let mostConnections: Int
  /// Called once connections are accepted, with the addresses.
  private let started: @Sendable ([SocketAddress?]) async -> Void

  init(
    _ sockets: [ServerSettings.Listener],
    _ child: Child,
    _ service: DirectoryService,
    _ peers: PeerAddresses,
    _ logger: Logger,
    mostConnections: Int,
    started: @escaping @Sendable ([SocketAddress?]) async -> Void
  ) {
    (self.sockets, self.child, self.service, self.peers) = (sockets, child, service, peers)
    (self.logger, self.mostConnections, self.started) = (logger, mostConnections, started)
  }

  func run() async throws {
    let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)
    var servers: [Connections] = []
    var places: [UnixSocket] = []
    defer { withExtendedLifetime(places) {} }
    for socket in sockets { servers.append(try await listen(socket, quiescing, &places)) }
    await started(servers.map(\.channel.localAddress))
    let accepting = servers
    await withGracefulShutdownHandler {
      await withDiscardingTaskGroup { group in
        for server in accepting {
          group.addTask {
            do {
              try await accept(server)
            } catch {
              logger.error("cannot accept connections: \(error)")
            }
          }
        }
      }
    } onGracefulShutdown: {
      // All servers at once: the helper is for one shutdown.
      quiescing.initiateShutdown(promise: nil)
    }
  }

  private func accept(_ server: Connections) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      try await server.executeThenClose { connections in
        for try await connection in connections {
          service.counters.change { $0.takenConnections += 1 }
          group.addTask {
            await connection.handle()
            service.counters.change { $0.takenConnections -= 1 }
          }
          // Not of all open ones: those that NIO holds until this loop takes them are open, too.
          while service.counters.now.takenConnections >= mostConnections {
            try await Task.sleep(for: .milliseconds(20))
          }
        }
      }
    }
  }

  // MARK: Listening

  /// Clients that wait in the system's queue until they are accepted.
  private static var mostWaiting: CInt { 1_024 }

  /// - Parameters:
  ///   - socket: Where to listen.
  ///   - quiescing: Ends it at a shutdown.
  ///   - places: Gets the place of a Unix socket, which is had as long as this is.
  /// - Returns: Connections that come.
  /// - Throws: `.unavailable`, and `.refusedForNow` where another process listens.
  private func listen(
    _ socket: ServerSettings.Listener,
    _ quiescing: ServerQuiescingHelper,
    _ places: inout [UnixSocket]
  ) async throws -> Connections {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: Self.mostWaiting)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            quiescing.makeServerChannelHandler(channel: channel)
          )
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
    let setUp: @Sendable (any Channel) -> EventLoopFuture<Accepted<Child>> = { channel in
      service.counters.change { $0.connections += 1 }
      channel.closeFuture.whenComplete { _ in service.counters.change { $0.connections -= 1 } }
      return peers.prepare(channel).flatMap { child.setup(channel: channel, logger: logger) }
        .map { Accepted(channel, $0, child, logger) }
    }
    func listen(on descriptor: CInt) async throws -> Connections {
      let server = try await bootstrap.bind(descriptor, childChannelInitializer: setUp)
      // NIO listens on what it is given before it looks at its options.
      _ = Platform.listen(descriptor, Self.mostWaiting)
      return server
    }
    do {
      switch socket {
      case .address(let host, let port):
        return try await bootstrap.bind(host: host, port: port, childChannelInitializer: setUp)
      case .socket(let path):
        guard let place = try UnixSocket(path) else { throw Self.isTaken(path) }
        places.append(place)
        try await requireFree(path)
        return try await listen(on: place.bind())
      case .inherited(let descriptor): return try await listen(on: descriptor)
      }
    } catch let error as DirectoryError {
      throw error
    } catch {
      throw DirectoryError(
        .unavailable,
        "cannot listen on \(socket): \((error as? IOError).map { "\($0)" } ?? "\(error)")",
        advice: "set server.listen in config.yaml to another address or path"
      )
    }
  }

  /// A socket that another process listens on is not taken away from it, be it a program without our lock.
  private func requireFree(_ path: String) async throws {
    let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    guard let other = try? await client.connect(unixDomainSocketPath: path).get() else { return }
    try? await other.close()
    throw Self.isTaken(path)
  }

  private static func isTaken(_ path: String) -> DirectoryError {
    DirectoryError(
      .refusedForNow,
      "cannot listen on \(path): another process is listening there",
      advice: "stop it first"
    )
  }
}

/// A connection that a task is to take.
///
/// NIO drops those that wait when the task that accepts is cancelled, and a connection that no task
/// has ended then ends the process.
final class Accepted<Child: ServerChildChannel>: Sendable {
  private let channel: any Channel
  private let value: Mutex<Child.Value?>
  private let child: Child
  private let logger: Logger

  init(_ channel: any Channel, _ value: Child.Value, _ child: Child, _ logger: Logger) {
    (self.channel, self.child, self.logger) = (channel, child, logger)
    self.value = Mutex(value)
  }

  /// Answers its requests until it ends.
  func handle() async {
    guard let value = value.withLock({ $0.take() }) else { return }
    await child.handle(value: value, logger: logger)
  }

  deinit {
    guard let value = value.withLock({ $0.take() }) else { return }
    channel.close(promise: nil)
    // A task of its own, since it is dropped where nothing can wait; it finds the connection closed.
    Task { [child, logger] in await child.handle(value: value, logger: logger) }
  }
}
