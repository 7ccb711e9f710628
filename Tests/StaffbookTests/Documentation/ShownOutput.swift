/// Compares what a page shows of a command's output with what the command wrote.
///
/// In the page, `…` alone on a line stands for any lines, and within a line for any text. Spaces at
/// the end of lines and empty lines at the end do not count.
enum ShownOutput {
  static func matches(_ shown: [String], _ written: [String]) -> Bool {
    matches(trimmed(shown)[...], trimmed(written)[...])
  }

  private static func matches(_ shown: ArraySlice<String>, _ written: ArraySlice<String>) -> Bool {
    var shown = shown
    var written = written
    // A gap takes as little as it can; if that does not do, it takes a line more.
    var retry: (shown: ArraySlice<String>, written: ArraySlice<String>)?
    while !(shown.isEmpty && written.isEmpty) {
      if shown.first == "…" {
        shown = shown.dropFirst()
        retry = (shown, written)
      } else if let expected = shown.first, let line = written.first, isSame(expected, line) {
        shown = shown.dropFirst()
        written = written.dropFirst()
      } else if let gap = retry, !gap.written.isEmpty {
        shown = gap.shown
        written = gap.written.dropFirst()
        retry = (shown, written)
      } else {
        return false
      }
    }
    return true
  }

  /// Whether a line is as it is shown; the parts between gaps come in their order.
  private static func isSame(_ shown: String, _ line: String) -> Bool {
    guard shown.contains("…") else { return shown == line }
    // What the program has cut with an ellipsis of its own is the same, too.
    if shown == line { return true }
    let parts = shown.split(separator: "…", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, line.hasPrefix(first) else {
      return false
    }
    var rest = line.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }

  private static func trimmed(_ lines: [String]) -> [String] {
    var lines = lines.map { line in
      String(line.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }
}
