import Terminal

/// For whom lines of a report are: people, or programs.
enum LineFormat: Sendable {
  case text, json

  /// Prints lines on standard output, each as it comes, through the pager where there are many.
  ///
  /// Text is made harmless wherever it goes; JSON is so by itself, but for a terminal.
  func write(_ lines: some Sequence<String>, isPaged: Bool = true) throws(OutputError) {
    var screen = Screen(isPaged: isPaged)
    let isPlain = self == .json && !screen.profile.isTerminal
    for line in lines {
      let line = isPlain ? line : screen.profile.visible(line)
      screen.buffer.append(contentsOf: line.utf8)
      screen.buffer.append(UInt8(ascii: "\n"))
      try screen.drain()
    }
    try screen.finish()
  }
}
