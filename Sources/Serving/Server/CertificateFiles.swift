import CCrypto
import DirectoryModel
import NIOCore
import NIOSSL
import Platform
import Synchronization

/// A certificate and its key, read again when they are replaced.
final class CertificateFiles: Sendable {
  private struct Read {
    var override: NIOSSLContextConfigurationOverride
    var versions: [FileVersion?]
  }

  private let certificate: String
  private let key: String
  private let read = Mutex<Read?>(nil)

  init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }

  /// What the server begins with; every connection takes the files as they are then.
  ///
  /// - Throws: `.cannotRead`.
  func configuration() throws(DirectoryError) -> TLSConfiguration {
    var tls = try configurationOfFiles()
    tls.sslContextCallback = { [self] _, promise in promise.completeWith(Result { try current() }) }
    return tls
  }

  private func configurationOfFiles() throws(DirectoryError) -> TLSConfiguration {
    do {
      var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
      )
      tls.minimumTLSVersion = .tlsv12
      // Of TLS 1.2; RFC 9325 §4.2: none without forward secrecy, nor with CBC.
      tls.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
      tls.applicationProtocols = ["h2", "http/1.1"]
      // A context would take a key of another certificate, and handshakes fail.
      if staffbook_key_belongs(key, certificate) == 1 { return tls }
    } catch {
      throw unusable("\(error)")
    }
    throw unusable("the key is of another certificate")
  }

  private func unusable(_ reason: String) -> DirectoryError {
    DirectoryError(
      .cannotRead,
      "cannot use the certificate \(certificate) with the key \(key): \(reason)",
      advice: "both must be PEM files that belong together and are readable by this account"
    )
  }

  /// The files as they are; while a new pair is half written, the pair before.
  private func current() throws(DirectoryError) -> NIOSSLContextConfigurationOverride {
    let versions = [FileVersion(certificate), FileVersion(key)]
    let known = read.withLock { $0 }
    if let known, known.versions == versions { return known.override }
    do throws(DirectoryError) {
      let tls = try configurationOfFiles()
      var override = NIOSSLContextConfigurationOverride()
      (override.certificateChain, override.privateKey) = (tls.certificateChain, tls.privateKey)
      let new = Read(override: override, versions: versions)
      read.withLock { $0 = new }
      return override
    } catch {
      if let known { return known.override }
      throw error
    }
  }
}

/// When a file was replaced or written.
private struct FileVersion: Equatable {
  private let file: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (file, size) = (UInt64(status.st_ino), Int64(status.st_size))
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
