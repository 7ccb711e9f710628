import NIOCore
import SiteSettings
import Synchronization

/// Where connections come from: as the system says, or as a balancer before us says.
final class PeerAddresses: Sendable {
  private let settings: ServerSettings
  /// What balancers said, by connection.
  private let told = Mutex<[ObjectIdentifier: String]>([:])

  init(_ settings: ServerSettings) { self.settings = settings }

  /// Where a connection comes from.
  ///
  /// - Parameter channel: Of the connection, or of a stream of it.
  /// - Returns: The address, without its port; `nil` for a Unix socket.
  func address(of channel: any Channel) -> String? {
    let connection = Self.connection(of: channel)
    if let address = told.withLock({ $0[ObjectIdentifier(connection)] }) { return address }
    return Self.address(connection.remoteAddress)
  }

  /// A stream of HTTP/2 is a channel, whose parent is the connection's; the parent of that listens.
  private static func connection(of channel: any Channel) -> any Channel {
    guard let parent = channel.parent, parent.remoteAddress != nil else { return channel }
    return parent
  }

  private static func address(_ address: SocketAddress?) -> String? {
    switch address {
    case .v4, .v6: address?.ipAddress
    case .unixDomainSocket, nil: nil
    }
  }

  /// Has a new connection begin with the PROXY protocol where it comes from a balancer.
  func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard !settings.proxyProtocolFrom.isEmpty,
      Self.address(channel.remoteAddress).map(settings.proxyProtocolFrom.contains) ?? true
    else { return channel.eventLoop.makeSucceededVoidFuture() }
    let key = ObjectIdentifier(channel)
    channel.closeFuture.whenComplete { [self] _ in told.withLock { $0[key] = nil } }
    return channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(
        ProxyHeaderHandler { [self] address in told.withLock { $0[key] = address } }
      )
    }
  }
}

/// Reads the header of the PROXY protocol, version 1 or 2, and passes on what stands behind it.
///
/// Source: haproxy, "The PROXY protocol", §2.
private final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var received = ByteBuffer()
  private var isRead = false
  /// Told the client's address, if there is one.
  private let tell: (String) -> Void

  init(_ tell: @escaping (String) -> Void) { self.tell = tell }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isRead { return context.fireChannelRead(data) }
    received.writeImmutableBuffer(unwrapInboundIn(data))
    switch ProxyHeader(received.readableBytesView) {
    case .incomplete: break
    case .invalid: context.close(promise: nil)
    case .complete(let length, let address):
      isRead = true
      if let address { tell(address) }
      received.moveReaderIndex(forwardBy: length)
      if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
      received = ByteBuffer()
    }
  }
}

/// What the beginning of a connection is by the PROXY protocol.
enum ProxyHeader: Equatable {
  case incomplete
  case invalid
  /// How many bytes it has, and where the client is; `nil` for the balancer itself.
  case complete(Int, address: String?)

  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let mostText = 107

  init(_ bytes: some RandomAccessCollection<UInt8>) {
    let bytes = Array(bytes.prefix(65_551))
    let common = min(bytes.count, Self.signature.count)
    if bytes.prefix(common).elementsEqual(Self.signature.prefix(common)) {
      self = bytes.count < 16 ? .incomplete : Self.binary(bytes)
    } else {
      self = Self.text(bytes)
    }
  }

  /// Version 1: `PROXY TCP4 client balancer port port` in a line.
  private static func text(_ bytes: [UInt8]) -> Self {
    let start = Array("PROXY ".utf8)
    guard bytes.prefix(start.count).elementsEqual(start.prefix(bytes.count)) else {
      return .invalid
    }
    let line = bytes.prefix(mostText)
    guard let end = line.firstIndex(of: 0x0A) else {
      return line.count < mostText ? .incomplete : .invalid
    }
    guard end > 0, line[end - 1] == 0x0D else { return .invalid }
    let parts = String(decoding: line[..<(end - 1)], as: UTF8.self)
      .split(separator: " ", omittingEmptySubsequences: false)
    if parts.count > 1, parts[1] == "UNKNOWN" { return .complete(end + 1, address: nil) }
    guard parts.count == 6, parts[1] == "TCP4" || parts[1] == "TCP6",
      let address = try? SocketAddress(ipAddress: String(parts[2]), port: 0)
    else { return .invalid }
    return .complete(end + 1, address: address.ipAddress)
  }

  /// Version 2: the signature, version and command, family, length, addresses.
  private static func binary(_ bytes: [UInt8]) -> Self {
    guard bytes[12] == 0x20 || bytes[12] == 0x21 else { return .invalid }
    let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
    guard bytes.count >= length else { return .incomplete }
    let size: Int
    switch (bytes[12], bytes[13] >> 4) {
    case (0x21, 1): size = 4
    case (0x21, 2): size = 16
    // A check of its own, or a socket.
    default: return .complete(length, address: nil)
    }
    guard length >= 16 + 2 * size else { return .invalid }
    let packed = ByteBuffer(bytes: bytes[16..<(16 + size)])
    let address = try? SocketAddress(packedIPAddress: packed, port: 0)
    return .complete(length, address: address?.ipAddress)
  }
}
