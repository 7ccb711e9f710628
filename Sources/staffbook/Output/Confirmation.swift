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
  private static let prompt =
    "Is this the same person? [y]es, [n]o, [a]ll are, none of [t]hem, [q]uit"
  private static let promptOfRemoved =
    "Shall the record come back? [y]es, [n]o and never, [a]ll, none of [t]hem, [q]uit"

  /// Asks one after the other; a word that is no answer is asked for again.
  ///
  /// - Returns: The answers; fewer than there are doubts if the user quits or no answer comes.
  /// - Throws: `.badData` where the user cannot be asked.
  static func ask(_ doubts: [ListMatch]) throws(DirectoryError) -> [MatchDecision] {
    guard Confirmation.isPossible else { throw ImportRequest.undecided(doubts) }
    var decisions: [MatchDecision] = []
    // What was said of all of one sort.
    var all: [Bool: Bool] = [:]
    for doubt in doubts {
      let isRemoved = doubt.reason == .removedHere
      if let same = all[isRemoved] {
        decisions.append(MatchDecision(doubt, isSame: same))
        continue
      }
      Messages.notice(doubt.text)
      guard let answer = answer(to: isRemoved ? promptOfRemoved : prompt) else { break }
      let isSame = answer == "y" || answer == "a"
      if answer == "a" || answer == "t" { all[isRemoved] = isSame }
      decisions.append(MatchDecision(doubt, isSame: isSame))
    }
    return decisions
  }

  /// The letter of an answer; `nil` for quit, and where the input ends.
  private static func answer(to prompt: String) -> Character? {
    Messages.notice(prompt)
    let letters: [String: Character] = [
      "y": "y", "yes": "y", "n": "n", "no": "n", "a": "a", "all": "a", "t": "t", "none": "t",
      "q": "q", "quit": "q",
    ]
    while let line = readLine() {
      let word = line.drop { $0 == " " || $0 == "\t" }.split(separator: " ").first ?? ""
      if let letter = letters[word.lowercased()] { return letter == "q" ? nil : letter }
      Messages.notice("\"\(line)\" is not an answer; type y, n, a, t or q")
    }
    return nil
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
