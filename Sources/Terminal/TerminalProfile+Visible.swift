import TextRules

extension TerminalProfile {
  /// A line of ours that may hold text from outside, made harmless.
  package func visible(_ line: String) -> String {
    VisibleText.visible(line, ascii: !unicode)
  }
}
