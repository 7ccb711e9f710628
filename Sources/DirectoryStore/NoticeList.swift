import LibPQ
import Synchronization

/// Gathers what the server says besides, from whatever thread uses the connection.
final class NoticeList: Sendable {
  private let list = Mutex<[String]>([])

  func append(_ notice: PGDiagnostic) {
    let hint = notice.hint.map { "; " + $0 } ?? ""
    list.withLock { $0.append((notice.message + hint).onOneLine) }
  }

  var texts: [String] { list.withLock { $0 } }
}
