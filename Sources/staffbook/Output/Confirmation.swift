import DirectoryModel
import DirectoryWriting
import Platform

/// A question to the user at the terminal.
enum Confirmation {
  /// Asks.
  ///
  /// - Parameters:
  ///   - question: Without what may be answered.
  ///   - refusal: What could not be done without an answer, for the error.
  ///   - advice: What to do instead, where the user cannot be asked.
  /// - Returns: Whether the answer was yes.
  /// - Throws: `.refusedForNow` where there is no terminal.
  static func ask(
    _ question: String,
    else refusal: String,
    advice: Advice
  ) throws(DirectoryError) -> Bool {
    guard isPossible else { throw DirectoryError(.refusedForNow, refusal, advice: advice) }
    return answer(to: question)
  }

  /// Whether a user is there.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  /// Asks the user.
  static func answer(to question: String) -> Bool {
    Messages.notice("\(question) [y/N]")
    return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
  }
}

/// Asks on the terminal whether people of a list are those of certain records.
enum MatchQuestions {
  /// - Throws: `.badData` where the user cannot be asked, `.interrupted` where no answer comes.
  static func ask(_ doubts: [ListMatch]) throws(DirectoryError) -> [MatchDecision] {
    guard Confirmation.isPossible else { throw ImportRequest.undecided(doubts) }
    var decisions: [MatchDecision] = []
    var all: Bool?
    for doubt in doubts {
      if let all {
        decisions.append(MatchDecision(doubt, isSame: all))
        continue
      }
      Messages.notice(doubt.text)
      Messages.notice("Is this the same person? [y]es, [n]o, [a]ll are, none of [t]hem, [q]uit")
      guard let answer = readLine()?.lowercased().first, "ynat".contains(answer) else {
        throw DirectoryError(.interrupted, "nothing was imported: some people were not decided on")
      }
      let isSame = answer == "y" || answer == "a"
      if answer == "a" || answer == "t" { all = isSame }
      decisions.append(MatchDecision(doubt, isSame: isSame))
    }
    return decisions
  }
}

/// Asks on the terminal in which encoding a file is.
enum EncodingQuestions {
  /// What asks; `nil` where the user cannot be asked.
  static var asker: (@Sendable (EncodingQuestion) throws(DirectoryError) -> String)? {
    guard Confirmation.isPossible else { return nil }
    return { @Sendable (question) throws(DirectoryError) -> String in try ask(question) }
  }

  /// - Throws: `.interrupted` where no answer comes.
  private static func ask(_ question: EncodingQuestion) throws(DirectoryError) -> String {
    Messages.notice("\(question.file) may be in one of several encodings, which read its names as")
    for (place, reading) in question.readings.enumerated() {
      Messages.notice("  \(place + 1)  \(reading.text)")
    }
    let most = question.readings.count
    while true {
      Messages.notice("Which line is right? [1-\(most)], [q]uit to name another with --encoding")
      guard let answer = readLine()?.lowercased(), answer.first != "q" else {
        throw DirectoryError(.interrupted, "nothing was imported: no encoding was chosen")
      }
      if let number = Int(answer), (1...most).contains(number) {
        return question.readings[number - 1].encoding
      }
      Messages.notice("\"\(answer.prefix(20))\" is not an answer; type a number or q")
    }
  }
}
