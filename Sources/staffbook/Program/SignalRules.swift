import Terminal

/// How signals are met: a closed pipe is an error of the write, all else ends the program at once.
///
/// An interrupt may come at any moment, since whatever is half done on disk is only beside what it
/// was to replace.
enum SignalRules {
  static func install() { OutputWriter.ignoreBrokenPipes() }
}
