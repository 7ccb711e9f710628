/// What a shell is told to offer.
enum CompletionAnswer {
  /// One thing that may be typed.
  struct Word {
    /// All of the word at the end of the line, as it would be.
    var text: String
    var note = ""
    /// Whether more of the same word follows, so that no space does.
    var isBeginning = false
  }

  case words([Word])
  /// What the shell knows itself.
  case files, folders

  static let nothing = CompletionAnswer.words([])

  /// For shells that quote words themselves: a kind, then a word and its note on a line.
  ///
  /// The kinds are `files` and `folders`; `words`; `beginnings`, behind which no space comes; and
  /// `choices`, which do not go on from what was typed: shells put what all words begin with in its
  /// place, and would take away more than they give.
  ///
  /// - Parameter typed: What is there of the word.
  /// - Returns: The lines, none of which holds a control character but the tab.
  func lines(continuing typed: String) -> [String] {
    switch self {
    case .files: ["files"]
    case .folders: ["folders"]
    case .words(let words):
      [Self.kind(of: words, words.map(\.text), continuing: typed)]
        + words.map { $0.note.isEmpty ? $0.text : "\($0.text)\t\($0.note)" }
    }
  }

  /// The same for bash, which replaces the end of a line by what it is given.
  ///
  /// - Parameters:
  ///   - line: What is typed.
  ///   - replaced: What is replaced at its end.
  /// - Returns: A kind, then the words with their quotes.
  func lines(for line: CommandLineWords, replacing replaced: String) -> [String] {
    guard case .words(let words) = self else { return lines(continuing: line.current) }
    let (length, quote) = line.beginning(ofLast: replaced.utf8.count)
    let kept = Array(line.current.utf8.prefix(length))
    let typed = words.filter { $0.text.utf8.starts(with: kept) }.map { word in
      CommandLineWords.typed(
        String(decoding: word.text.utf8.dropFirst(length), as: UTF8.self),
        in: quote
      )
    }
    return [Self.kind(of: words, typed, continuing: replaced)] + typed
  }

  private static func kind(
    of words: [Word],
    _ texts: [String],
    continuing typed: String
  ) -> String {
    let common = texts.dropFirst().reduce(texts.first ?? "") { Self.common($0, $1) }
    if texts.count > 1, !common.lowercased().hasPrefix(typed.lowercased()) { return "choices" }
    return words.contains(where: \.isBeginning) ? "beginnings" : "words"
  }

  private static func common(_ first: String, _ second: String) -> String {
    let scalars = zip(first.unicodeScalars, second.unicodeScalars).prefix { $0 == $1 }
    return String(String.UnicodeScalarView(scalars.map(\.0)))
  }
}
