import Browsing
import DirectoryModel
import DirectoryReading
import Platform
import Synchronization

/// Where tasks and signals leave what the thread with the screen takes.
///
/// The descriptor is readable while there is something.
final class BrowserMailbox: Sendable {
  enum Item: Sendable {
    case signal(CInt)
    case found(DirectoryOutline.Matches, Int?)
    case cannotSearch(String, String)
    case card(BrowserCard)
    case snapshot(Directory)
    /// A sync ended, and this is to be said.
    case synced(String)
  }

  private static let signals = [SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT]
  /// Where the handlers write: one byte, the signal.
  private static let signalPipe = Atomic<CInt>(-1)

  private let items = Mutex<[Item]>([])
  private let pipe: Pipe

  var descriptor: CInt { pipe.reading }

  init() throws(DirectoryError) {
    guard let pipe = Pipe() else {
      throw DirectoryError(.cannotRead, "cannot browse: the system gives no pipe")
    }
    self.pipe = pipe
    // A full pipe says already that there is something.
    for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    Self.signalPipe.store(pipe.writing, ordering: .sequentiallyConsistent)
    for signal in Self.signals {
      var action = sigaction()
      action.sa_flags = CInt(SA_RESTART)
      action.handler = { signal in
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = Platform.write(BrowserMailbox.signalPipe.load(ordering: .relaxed), &byte, 1)
      }
      sigaction(signal, &action, nil)
    }
  }

  func put(_ item: Item) {
    items.withLock { $0.append(item) }
    var byte: UInt8 = 0
    _ = Platform.write(pipe.writing, &byte, 1)
  }

  func take() -> [Item] {
    var bytes = [UInt8](repeating: 0, count: 256)
    var taken: [Item] = []
    let count = read(pipe.reading, &bytes, bytes.count)
    for byte in bytes.prefix(max(count, 0)) where byte != 0 { taken.append(.signal(CInt(byte))) }
    return taken
      + items.withLock { items in
        defer { items = [] }
        return items
      }
  }
}
