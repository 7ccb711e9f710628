import DirectoryModel
import DirectoryWriting

/// Asks on the terminal whether people of a list are those of certain records.
enum MatchQuestions {
  /// - Throws: `.badData` where the user cannot be asked, `.interrupted` where no answer comes.
  static func ask(_ doubts: [ListMatch]) throws(DirectoryError) -> [ListDecision] {
    guard Confirmation.isPossible else { throw ImportRequest.undecided(doubts) }
    var decisions: [ListDecision] = []
    var all: Bool?
    for doubt in doubts {
      if let all {
        decisions.append(ListDecision(doubt, isSame: all))
        continue
      }
      Messages.notice(doubt.text)
      Messages.notice("Is this the same person? [y]es, [n]o, [a]ll are, none of [t]hem, [q]uit")
      guard let answer = readLine()?.lowercased().first, "ynat".contains(answer) else {
        throw DirectoryError(.interrupted, "nothing was imported: some people were not decided on")
      }
      let isSame = answer == "y" || answer == "a"
      if answer == "a" || answer == "t" { all = isSame }
      decisions.append(ListDecision(doubt, isSame: isSame))
    }
    return decisions
  }
}
