/// Splits a line of a shell into its commands, as far as the documentation needs that: quotes,
/// backslashes, comments, and what separates commands.
enum ShellWords {
  /// The commands of a line, each as its words, without variables that are set before it.
  static func commands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    var isEscaped = false
    func endWord() {
      if let ended = word { commands[commands.count - 1].append(ended) }
      word = nil
    }
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\" && quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == "#" && word == nil {
        break
      } else if character.isWhitespace {
        endWord()
      } else if "|;&()<>".contains(character) {
        endWord()
        commands.append([])
      } else {
        word = (word ?? "") + String(character)
      }
    }
    endWord()
    return commands.map(withoutPrefix).filter { !$0.isEmpty }
  }

  /// Leaves out `sudo`, `exec`, `time`, and variables that hold for one command.
  private static func withoutPrefix(_ words: [String]) -> [String] {
    Array(
      words.drop { word in
        ["sudo", "exec", "time", "env", "$", "!", "if", "while", "until", "do", "then"].contains(
          word
        )
          || word.prefixMatch(of: /[A-Za-z_][A-Za-z0-9_]*=/) != nil
      }
    )
  }
}
