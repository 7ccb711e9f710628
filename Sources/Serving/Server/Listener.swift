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
    for socket in sockets { servers.append(try await listen(socket, quiescing)) }
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

  private func listen(
    _ socket: ServerSettings.Listener,
    _ quiescing: ServerQuiescingHelper
  ) async throws -> Connections {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 1_024)
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
    do {
      switch socket {
      case .address(let host, let port):
        return try await bootstrap.bind(host: host, port: port, childChannelInitializer: setUp)
      case .socket(let path):
        try await requireFree(path)
        let server = try await bootstrap.bind(
          unixDomainSocketPath: path,
          cleanupExistingSocketFile: true,
          childChannelInitializer: setUp
        )
        // For the account, and its group, of which a proxy may be a member.
        _ = chmod(path, 0o660)
        return server
      case .inherited(let descriptor):
        return try await bootstrap.bind(descriptor, childChannelInitializer: setUp)
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

  /// A socket that another process listens on is not taken away from it.
  private func requireFree(_ path: String) async throws {
    let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    guard let other = try? await client.connect(unixDomainSocketPath: path).get() else { return }
    try? await other.close()
    throw DirectoryError(
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
