import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Keeps the rules of HTTP/1 that are not seen any more once a request may be one of HTTP/2.
private final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    guard Self.hasOneMeaning(head.headers) else {
      // As what the parser itself refuses, it is answered with 400, and nothing behind it is read.
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    // RFC 9112 §9.3: a client of HTTP/1.0 waits for the end. Hummingbird goes by this line alone.
    if head.version.minor == 0 { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Whether a proxy can take a request only for what it is taken for here: it is for one host (RFC 9112
  /// §3.2), and its content ends where everybody sees its end (§6.1).
  private static func hasOneMeaning(_ headers: HTTPHeaders) -> Bool {
    let coding = "Transfer-Encoding"
    return headers["Host"].count <= 1
      && (!headers.contains(name: coding)
        || headers[canonicalForm: coding].map { $0.lowercased() } == ["chunked"])
  }
}

/// Hears that a client has closed its side of a connection, which is told to others only behind the answer.
private final class ClientWatch: ChannelInboundHandler {
  /// Everything passes as it is.
  typealias InboundIn = Never

  private let connections: ClientConnections

  init(_ connections: ClientConnections) { self.connections = connections }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { connections.noteEnd(of: context.channel) }
    context.fireUserInboundEventTriggered(event)
  }
}

/// Puts handlers of connections of HTTP/1 where what they hear of comes by.
///
/// Hummingbird takes handlers for behind these places only. Streams of HTTP/2 have no such places: of a
/// request that is complete the client's side is closed there.
final class RequestHeadSetUp: ChannelInboundHandler, RemovableChannelHandler {
  /// Everything passes as it is.
  typealias InboundIn = Never

  private let connections: ClientConnections

  init(_ connections: ClientConnections) { self.connections = connections }

  func handlerAdded(context: ChannelHandlerContext) {
    let operations = context.pipeline.syncOperations
    guard let codec = try? operations.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
    do {
      try operations.addHandler(RequestHeadHandler(), position: .before(codec))
      try operations.addHandler(ClientWatch(connections), position: .first)
    } catch {
      context.fireErrorCaught(error)
    }
  }
}
