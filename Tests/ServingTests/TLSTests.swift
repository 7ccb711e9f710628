import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Serving
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("TLS")
struct TLSTests {
  /// Writes a certificate and its key.
  private func makeCertificate(_ name: String, in folder: FilePath) async throws {
    let result = try await runProgram(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", folder.appending("key.pem").string, "-out", folder.appending("cert.pem").string,
      ]
    )
    guard result.status == 0 else { throw TestSetupError("openssl failed") }
  }

  /// The certificate that the server shows a new connection.
  private func connect(
    _ port: Int,
    _ change: (inout TLSConfiguration) -> Void = { _ in }
  ) async throws -> NIOSSLCertificate? {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.certificateVerification = .none
    tls.applicationProtocols = ["h2", "http/1.1"]
    change(&tls)
    let context = try NIOSSLContext(configuration: tls)
    let group = MultiThreadedEventLoopGroup.singleton
    let done = group.next().makePromise(of: Void.self)
    let channel = try await ClientBootstrap(group: group).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(
          NIOSSLClientHandler(context: context, serverHostname: "localhost")
        )
        try operations.addHandler(Handshake(done))
      }
    }.connect(host: "127.0.0.1", port: port).get()
    try await done.futureResult.get()
    let certificate = try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).peerCertificate
    }.get()
    try? await channel.close()
    return certificate
  }

  /// What the server answers over TLS, by HTTP/1.1, on a connection that ends with it.
  private func ask(_ port: Int, _ path: String, _ headers: String...) async throws -> String {
    let lines = ["GET \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
    return try await runProgram(
      "/usr/bin/openssl",
      ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-alpn", "http/1.1"],
      stdin: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    ).stdout
  }

  @Test func `is what the cookie is kept for, and where the page is from`() async throws {
    try await ServedCompany.with { company in
      let folder = company.scratch.path
      try await makeCertificate("one", in: folder)
      try await company.serve({
        $0.signIn = nil
        $0.certificate = folder.appending("cert.pem").string
        $0.privateKey = folder.appending("key.pem").string
      }) { (server) async throws in
        guard case .port(let port) = server.address else { return }
        let entrance = try #require(server.service.entrance)
        let entered = try await ask(port, "/\(entrance)")
        #expect(entered.contains("; HttpOnly; SameSite=Strict; Secure\r\n"))
        let (plain, secure) = (
          try await ask(port, "/api/v1", "Origin: http://localhost"),
          try await ask(port, "/api/v1", "Origin: https://localhost")
        )
        #expect(plain.hasPrefix("HTTP/1.1 403 "))
        // Nobody has signed in.
        #expect(secure.hasPrefix("HTTP/1.1 401 "))
      }
    }
  }

  @Test func `takes a certificate that is renewed, and no half of one`() async throws {
    try await ServedCompany.with { company in
      let folder = company.scratch.path
      try await makeCertificate("one", in: folder)
      func read() throws -> NIOSSLCertificate? {
        try NIOSSLCertificate.fromPEMFile(folder.appending("cert.pem").string).first
      }
      let first = try read()
      try await company.serve({
        $0.certificate = folder.appending("cert.pem").string
        $0.privateKey = folder.appending("key.pem").string
      }) { (server) async throws in
        guard case .port(let port) = server.address else { return }
        #expect(try await connect(port) == first)
        try await makeCertificate("two", in: folder)
        let second = try read()
        #expect(try await connect(port) == second && first != second)
        // A key of another certificate is not used.
        let old = try ScratchFolder()
        try await makeCertificate("three", in: old.path)
        let key = try await runProgram(
          "/bin/cp",
          [old.path.appending("key.pem").string, folder.appending("key.pem").string]
        )
        #expect(key.status == 0)
        #expect(try await connect(port) == second)
      }
    }
  }

  @Test func `of version 1.2 has no cipher suite with CBC`() async throws {
    try await ServedCompany.with { company in
      let folder = company.scratch.path
      try await makeCertificate("one", in: folder)
      try await company.serve({
        $0.certificate = folder.appending("cert.pem").string
        $0.privateKey = folder.appending("key.pem").string
      }) { (server) async throws in
        guard case .port(let port) = server.address else { return }
        func connect(with suites: [NIOTLSCipher]) async throws -> NIOSSLCertificate? {
          try await self.connect(port) {
            $0.maximumTLSVersion = .tlsv12
            $0.cipherSuiteValues = suites
          }
        }
        for suite: NIOTLSCipher in [
          .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
          .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        ] {
          #expect(try await connect(with: [suite]) != nil)
        }
        for suite: NIOTLSCipher in [
          .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
        ] {
          await #expect(throws: NIOSSLError.self) { try await connect(with: [suite]) }
        }
      }
    }
  }
}

/// Completes a promise when the handshake has.
private final class Handshake: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let done: EventLoopPromise<Void>

  init(_ done: EventLoopPromise<Void>) { self.done = done }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event { done.succeed() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { done.fail(error) }
}
