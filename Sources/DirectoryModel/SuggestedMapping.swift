/// A mapping of a personnel list that was guessed, with what it was guessed from.
package struct SuggestedMapping: Sendable {
  /// An entry of a mapping.
  package struct Line: Sendable, Equatable {
    package var key: String
    package var value: String
    /// Why, in words; harmless, and on one line.
    package var reason: String

    package init(key: String, value: String, reason: String) {
      self.key = key
      self.value = value
      self.reason = reason
    }
  }

  package var lines: [Line] = []
  /// Headings that nothing is made of, in quotes.
  package var unused: [String] = []
  /// What the user has to add or to decide.
  package var gaps: [String] = []
  /// Fields that must be declared.
  package var fields: [String] = []
  /// Rows that were looked at.
  package var rowCount = 0

  package init() {}
}
