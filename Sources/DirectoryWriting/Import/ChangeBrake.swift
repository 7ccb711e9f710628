import DirectoryModel
import DirectoryStore
import LiveDirectory
import Platform

/// Keeps a directory from having another value of a field for many people at once, unless it is
/// confirmed: more likely two columns of the list were exchanged, or belong to other rows, than that so
/// many people were given another address or name in a month.
struct ChangeBrake: Sendable {
  /// People who have a value, from which on it is looked at.
  private static let fewestPeople = 10
  /// Of a hundred people so many may get another value of a field.
  private static let harmlessPercentage = 20
  /// The same for names.
  private static let harmlessNames = 5
  /// Doubtful matches that `doubts: match` may take: so many, or of a hundred people of the list so many.
  private static let harmlessGuesses = (count: 5, percentage: 1)
  /// People who are named.
  static let namedCount = 3
  /// People whose values are compared.
  static let sampleSize = 1_000

  /// What `--accept-changes` calls doubtful matches.
  static let matches = "matches"

  /// Values of which too many change.
  let changes: [ImportValueChanges]
  /// Doubtful matches that were taken, if they are too many.
  let guessed: GuessedMatches?

  /// Gives `nil` unless too much changes.
  ///
  /// - Parameters:
  ///   - changes: What the plan changes.
  ///   - guessed: Doubtful matches that were taken.
  ///   - people: How many people the files have.
  ///   - accepted: Names of values that may change for any number of people.
  init?(
    _ changes: [ImportValueChanges],
    guessed: GuessedMatches,
    people: Int,
    accepting accepted: Set<String>
  ) {
    self.changes = changes.filter { change in
      let percentage = change.value == "name" ? Self.harmlessNames : Self.harmlessPercentage
      return !accepted.contains(change.value) && change.people >= Self.fewestPeople
        && change.changed * 100 > change.people * percentage
    }
    let harmless = Self.harmlessGuesses
    let most = max(harmless.count, people * harmless.percentage / 100)
    self.guessed = guessed.count > most && !accepted.contains(Self.matches) ? guessed : nil
    if self.changes.isEmpty, self.guessed == nil { return nil }
  }

  /// Names that `--accept-changes` takes to lift it.
  var names: [String] {
    changes.map(\.value) + (guessed == nil ? [] : [Self.matches])
  }

  /// - Parameters:
  ///   - people: The first people of whom the values change.
  ///   - headings: The columns that make up a value; none where the files have columns of their own names.
  /// - Returns: `.refusedForNow`, with people before and after, and with what the columns look like.
  func refusal(_ people: [ImportChangedPerson], headings: (String) -> [String]) -> DirectoryError {
    var details = people.prefix(Self.namedCount).map { person in
      let values = changes.compactMap { change in
        person.values[change.value].flatMap { here, listed in
          here.utf8.elementsEqual(listed.utf8)
            ? nil : "\(change.value) \(Self.shown(here)) becomes \(Self.shown(listed))"
        }
      }
      return "~ \(person.name) (\(person.id)): \(values.joined(separator: ", "))"
    }
    let observed = ColumnComparison(people, of: changes.map(\.value))
    details += observed.findings(headings: headings)
    details += changes.filter { $0.exchanged * 2 > $0.changed && !observed.explains($0.value) }.map
    {
      "the values of \(Self.column($0.value, headings)) stand beside other people than before: the "
        + "column may have been sorted or moved without the others"
    }
    if let guessed { details += guessed.first.map(\.text) }
    return DirectoryError(
      .refusedForNow,
      "cannot import: \(text)",
      advice: """
        nothing was changed; correct the list, or, if this is intended, repeat the command with \
        \(.acceptChanges(names))
        """,
      details: details
    )
  }

  /// What would happen, such as `email would change for 40 of 40 people`.
  private var text: String {
    var parts = changes.map { change in
      "\(change.value) would change for \(change.changed) of \(counted(change.people, "person", "people"))"
    }
    if let guessed {
      parts.append("\(guessed.count) people would be taken for recorded ones on doubtful grounds")
    }
    return parts.joined(separator: ", ")
  }

  static func column(_ value: String, _ headings: (String) -> [String]) -> String {
    let columns = headings(value)
    return columns.isEmpty ? value : columns.joined(separator: " and ")
  }

  /// Characters of a value that are shown.
  private static let valueLength = 60

  private static func shown(_ value: String) -> String {
    let beginning = value.unicodeScalars.prefix(valueLength)
    let isWhole = beginning.endIndex == value.unicodeScalars.endIndex
    return "\"\(String(beginning))\(isWhole ? "" : "…")\""
  }
}
