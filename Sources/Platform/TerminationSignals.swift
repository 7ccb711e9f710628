import Dispatch
import Synchronization

/// Signals that ask a program to come to an end, for one that ends in its own time.
///
/// Made once; signals that the parent process ignores (nohup) stay so.
package final class TerminationSignals: Sendable {
  /// Where the handlers write the signal.
  private static let writing = Atomic<CInt>(-1)
  private static let received = Atomic<CInt>(0)

  /// Readable from the first signal on; it is never read.
  package let descriptor: CInt

  /// Takes the signals over; `nil` when a pipe cannot be created.
  ///
  /// - Parameter signals: Such as SIGTERM.
  package init?(_ signals: [CInt]) {
    guard let pipe = Pipe() else { return nil }
    descriptor = pipe.reading
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    Self.writing.store(pipe.writing, ordering: .sequentiallyConsistent)
    for signal in signals {
      var action = sigaction()
      sigaction(signal, nil, &action)
      guard action.handler == nil else { continue }
      action.sa_flags = CInt(SA_RESTART)
      // What may be done in a handler: write(2). (signal-safety(7))
      action.handler = { signal in
        let saved = errno
        var byte: UInt8 = 0
        _ = TerminationSignals.received.compareExchange(
          expected: 0,
          desired: signal,
          ordering: .relaxed
        )
        _ = Platform.write(TerminationSignals.writing.load(ordering: .relaxed), &byte, 1)
        errno = saved
      }
      sigaction(signal, &action, nil)
    }
  }

  /// The first signal that came; `nil` before.
  package var signal: CInt? {
    let signal = Self.received.load(ordering: .sequentiallyConsistent)
    return signal == 0 ? nil : signal
  }

  /// Calls `body` on a thread of its own when the first signal comes.
  package func whenStopped(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "staffbook.signals").async { [descriptor] in
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&entry, 1, -1) < 0, errno == EINTR {}
      body()
    }
  }
}

extension sigaction {
  /// What is called when the signal comes; `nil` is what the system does by default. (sigaction(2))
  package var handler: (@convention(c) (CInt) -> Void)? {
    get {
      #if canImport(Darwin)
        __sigaction_u.__sa_handler
      #else
        __sigaction_handler.sa_handler
      #endif
    }
    set {
      #if canImport(Darwin)
        __sigaction_u.__sa_handler = newValue
      #else
        __sigaction_handler.sa_handler = newValue
      #endif
    }
  }
}
