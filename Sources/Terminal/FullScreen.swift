import FoundationEssentials
import Platform

/// A terminal that a full-screen front has for itself: keys come one by one and unseen, on a screen
/// beside the one that was there.
///
/// However the program ends, but for SIGKILL, the terminal is given back as it was: at the end of
/// the value, and by a handler for the signals of a crash.
package struct FullScreen: ~Copyable {
  package let input: Int32
  package let output: Int32
  private let saved: termios
  /// Whether keys alone are taken, for a front that writes line by line.
  private let isPlain: Bool
  private var isEntered = false

  /// `nil` where one of the two is not a terminal.
  package init?(input: Int32, output: Int32, isPlain: Bool = false) {
    var attributes = termios()
    guard isatty(output) == 1, tcgetattr(input, &attributes) == 0 else { return nil }
    self.input = input
    self.output = output
    saved = attributes
    self.isPlain = isPlain
  }

  deinit { if isEntered { TerminalRestorer.restore() } }

  /// Takes the terminal.
  package mutating func enter() {
    takeKeys()
    if !isPlain { write(Self.entering) }
  }

  /// Takes the keys alone.
  package mutating func takeKeys() {
    var raw = saved
    cfmakeraw(&raw)
    // Output stays as it is: lines end in our own bytes, and messages of others stay legible.
    raw.c_oflag = saved.c_oflag
    TerminalRestorer.arm(input: input, output: output, attributes: saved, isPlain: isPlain)
    tcsetattr(input, TCSADRAIN, &raw)
    isEntered = true
  }

  /// Gives keys and screen, cleared, to a program whose output is not to stay when the front goes on.
  package mutating func lend() {
    if !isPlain { write(Self.lending) }
    var attributes = saved
    tcsetattr(input, TCSADRAIN, &attributes)
  }

  /// Gives it back for a while, or for good.
  package mutating func leave() {
    guard isEntered else { return }
    TerminalRestorer.restore()
    isEntered = false
  }

  /// Writes everything, waiting where the terminal is slow.
  ///
  /// - Returns: Whether the terminal is still there.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { Descriptors.writeAll($0, to: output) } == 0
  }

  /// Goes to the other screen, cleared, wherever a program has left the terminal.
  static func goToOtherScreen() {
    _ = Array("\u{1B}[?1049h\u{1B}[2J\u{1B}[H".utf8).withUnsafeBytes {
      Descriptors.writeAll($0, to: STDOUT_FILENO)
    }
  }

  /// The other screen with the cursor hidden, mouse (xterm 1000, 1006) and bracketed paste (2004).
  private static let entering = Array(
    "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[2J".utf8
  )
  private static let lending = Array(
    "\u{1B}[0m\u{1B}[r\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[2J\u{1B}[H".utf8
  )
}

/// Gives the terminal back, also from a signal handler, where only what POSIX calls
/// async-signal-safe may be called (signal-safety(7)).
private enum TerminalRestorer {
  private static let leaving = Array(
    "\u{1B}[0m\u{1B}[r\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l".utf8
  )
  /// The signals of a crash, and the one that asks for its traces.
  private static let crashes = [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGQUIT]

  // Unsafe: written before the handlers are there, and then only by the thread that has the screen.
  private nonisolated(unsafe) static var attributes = termios()
  private nonisolated(unsafe) static var input: Int32 = -1
  private nonisolated(unsafe) static var output: Int32 = -1
  private nonisolated(unsafe) static var isPlain = false
  private nonisolated(unsafe) static var sequence: UnsafeMutableBufferPointer<UInt8>?

  static func arm(input: Int32, output: Int32, attributes: termios, isPlain: Bool) {
    (self.input, self.output, self.attributes) = (input, output, attributes)
    self.isPlain = isPlain
    if sequence == nil {
      let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: leaving.count)
      _ = memory.initialize(from: leaving)
      sequence = memory
    }
    for signal in crashes {
      var action = sigaction()
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      action.handler = { signal in
        TerminalRestorer.restore()
        raise(signal)
      }
      sigaction(signal, &action, nil)
    }
  }

  static func restore() {
    guard let sequence else { return }
    if !isPlain { _ = Platform.write(output, sequence.baseAddress, sequence.count) }
    tcsetattr(input, TCSADRAIN, &attributes)
  }
}

/// The terminal's clipboard, also on the far side of a connection (xterm, "Operating System Commands").
package enum Clipboard {
  /// OSC 52: puts a text on the clipboard, in base64 (RFC 4648 §4), where the terminal allows it.
  package static func sequence(copying text: String) -> [UInt8] {
    Array("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}".utf8)
  }
}
