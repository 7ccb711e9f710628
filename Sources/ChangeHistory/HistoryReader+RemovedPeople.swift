import DirectoryModel
import DirectoryStore
import LiveDirectory
import TextRules

/// A person who was removed, as they last were.
package struct RemovedPerson: Sendable {
  package var change: Change
  /// The transaction that removed them.
  package var transaction: RecordedTransaction

  package var json: String { change.json(transaction: transaction.number) }
}

extension HistoryReader {
  /// People who were removed and are not there again, newest first.
  ///
  /// Every word must be part of the id, the name or another value, whatever its case and accents.
  ///
  /// - Complexity: All recorded removals of people.
  package func formerPeople(
    _ words: String,
    limit: Int
  ) async throws -> [RemovedPerson] {
    let history = try await session.openHistory("find people who have left")
    let words = words.split(separator: " ").map { Folding.fold(String($0)) }
    var found: [RemovedPerson] = []
    var seen = try seen(history)
    for step in try await history.formerPeople() where found.count < limit {
      guard let change = try await seen.visible([step.change], in: step.transaction).first
      else { continue }
      let texts = change.texts.map(Folding.fold)
      guard words.allSatisfy({ word in texts.contains { $0.contains(word) } }) else { continue }
      guard let transaction = try await seen.mask(step.transaction) else { continue }
      found.append(RemovedPerson(change: change, transaction: transaction))
    }
    return found
  }
}

extension Change {
  /// What the state before says in words.
  fileprivate var texts: [String] {
    guard let before else { return [id] }
    return [id] + before.values.compactMap { $0 }
      + before.memberships.flatMap { membership in
        [membership.place.name] + membership.values.prefix(1).compactMap { $0 }
      } + (before.fields.values ?? [:]).values.map(\.line)
  }
}
