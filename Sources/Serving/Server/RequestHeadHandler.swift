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

/// Puts a handler of requests of HTTP/1 where these come from the parser.
///
/// Hummingbird takes handlers for behind that place only. Streams of HTTP/2 have no such place.
final class RequestHeadSetUp: ChannelInboundHandler, RemovableChannelHandler {
  /// Everything passes as it is.
  typealias InboundIn = Never

  func handlerAdded(context: ChannelHandlerContext) {
    let operations = context.pipeline.syncOperations
    guard let codec = try? operations.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
    do {
      try operations.addHandler(RequestHeadHandler(), position: .before(codec))
    } catch {
      context.fireErrorCaught(error)
    }
  }
}
