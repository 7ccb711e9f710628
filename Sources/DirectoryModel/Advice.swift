/// What to do about a failure, or what the user should know, in a sentence without a full stop.
///
/// What each front words its own way, such as its commands, stands in it as a value:
/// `"run: \(.migrate)"` is `run: staffbook db migrate` on a command line, and may be a button elsewhere.
package struct Advice: Hashable, Sendable, ExpressibleByStringInterpolation {
  fileprivate enum Part: Hashable, Sendable {
    case text(String)
    case remedy(Remedy)
  }

  fileprivate let parts: [Part]

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { append(literal) }

    package mutating func appendInterpolation(_ remedy: Remedy) { parts.append(.remedy(remedy)) }

    package mutating func appendInterpolation(_ text: String) { append(text) }

    package mutating func appendInterpolation(_ advice: Advice) {
      for part in advice.parts {
        switch part {
        case .text(let text): append(text)
        case .remedy(let remedy): parts.append(.remedy(remedy))
        }
      }
    }

    /// To what stands before it, so that the same sentence is the same however it was put together.
    private mutating func append(_ text: String) {
      guard !text.isEmpty else { return }
      if case .text(let before) = parts.last {
        parts[parts.count - 1] = .text(before + text)
      } else {
        parts.append(.text(text))
      }
    }
  }

  package init(_ text: String) { parts = [.text(text)] }
  package init(stringLiteral text: String) { self.init(text) }
  package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// The sentence.
  ///
  /// - Parameter words: What a front calls a remedy.
  /// - Returns: The text and the words, in their order.
  package func text(_ words: (Remedy) -> String) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words): text += words
      case .remedy(let remedy): text += words(remedy)
      }
    }
  }
}

extension Advice: CustomStringConvertible {
  /// For logs and tests; a front has words of its own.
  package var description: String { text { "<\($0)>" } }
}

/// What a front has a command, an option or a button for.
package enum Remedy: Hashable, Sendable {
  /// Bring the database's schema up to date.
  case migrate
  /// Make the schema again as the migrations made it.
  case repair
  /// Edit records: a command's arguments.
  case run([String])
  /// Bring the snapshot up to date.
  case sync
  /// The same, reading everything.
  case fullSync
  /// The same, whatever was deleted.
  case syncAcceptingDeletions
  /// Import whatever it removes.
  case acceptDeletions
  /// Import whatever it changes in some fields.
  case acceptChanges([String])
  /// Answer questions in a file.
  case decide
  /// Restore the tokens of a backup.
  case restoreTokens
  /// Leave the tokens of a backup out.
  case discardTokens
  /// Look for what is wrong.
  case examine
  /// See the records without a place.
  case listUnplaced
  case listDepartments
  case listFields
  /// List, rename and end lists that are imported.
  case nameLists
  /// Give a field a label.
  case label
  /// Replace files that are there.
  case replaceFiles
  /// Say how files are encoded.
  case encoding
  /// Say what separates the fields of files.
  case separator
  /// Guess what the columns of a personnel list are.
  case suggest(String)
  /// Say which sheet of a workbook is meant.
  case sheet
  /// Name the department of people whose files name none.
  case home
  /// Make visibility rules mean the records that have the ids now, by their places.
  case confirmRules([Int])
  /// The same for groups, by their names.
  case confirmGroups([String])
  /// Say what becomes of the rules about a person who is merged away.
  case mergedRules
  /// Export fewer levels.
  case depth
  /// Search for a text whose signs would mean something in a query.
  case searchLiterally(String)
  /// Search the people who have left.
  case findLeavers
  /// Also remove what is below.
  case includeBelow
  /// Move the people of what is removed elsewhere.
  case movePeople
  /// Use another server than the private one.
  case database
  case stopServer
  /// Record in history what was changed past it.
  case catchUpHistory
  /// See the recorded transactions.
  case showLog
}
