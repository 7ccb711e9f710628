import DirectoryExchange
import DirectoryModel
import DirectoryStore
import LiveDirectory
import Platform

/// What is to be imported, and how.
package struct ImportRequest: Sendable {
  /// Files or folders; `-` is standard input.
  package var paths: [String]
  /// Files that are there already, in place of the paths.
  var inputs: InputSet?
  /// What the files are written in; where it is `nil`, UTF-8 or what is detected.
  package var encoding: String?
  /// Asked in which encoding a file is where that is open; without it, such a file is refused.
  package var chooseEncoding: (@Sendable (EncodingQuestion) throws(DirectoryError) -> String)?
  /// What parts the fields of those that are CSV: a sign, or its name; where it is
  /// `nil`, commas or what is detected.
  package var separator: String?
  /// The sheet of workbooks.
  package var sheet: String?
  /// A file that says what the columns of personnel lists are.
  package var mappingFile: String?
  /// The same, an entry each: `key=template`; they win over the file's.
  package var mappings: [String] = []
  /// What the list is called as a source where the mapping does not say.
  package var source: String?
  /// The id of the department of people whom a file puts in none.
  package var home: String?
  /// Whether what is not in the files goes.
  package var replace = false
  /// Whether everything, or more than 50 and a fifth of all, may go.
  package var acceptDeletions = false
  /// Names of values of people that may change for any number of them.
  package var acceptedChanges: [String] = []
  /// Whether too many changed values stop it (`ChangeBrake`).
  var isBraked = true
  /// A file with answers to whether people of a list are those of certain records; it gets the questions
  /// that it does not answer.
  package var decisionFile: String?
  /// A plan that it must follow.
  package var plan: ReviewedPlan?
  /// Why it is done, for the history.
  package var reason: String?
  /// Whether it ends with the plan, and writes nothing.
  package var isDryRun = false
  /// Whether every change is told by name.
  package var isListed = false
  /// Whether a person may read the plan before it is carried out: it is made, and told, in a transaction
  /// of its own that keeps nobody waiting.
  package var isShownFirst = false
  /// Whether every warning is wanted, and not only the first of each kind.
  package var keepsWarnings = false

  package init(paths: [String]) { self.paths = paths }

  init(_ inputs: InputSet) {
    paths = []
    self.inputs = inputs
  }
}

extension ImportRequest {
  /// How the files are written: what the options say wins over the mapping.
  func form(_ mapping: PersonnelMapping?) throws(DirectoryError) -> InputOptions {
    var form = InputOptions()
    form.encoding = encoding ?? mapping?.encoding
    form.sheet = sheet ?? mapping?.sheet
    if let name = separator ?? mapping?.separator { form.separator = try FieldSeparator(name) }
    form.isPersonnel = mapping != nil
    form.chooseEncoding = chooseEncoding
    return form
  }
}

/// What the caller who waits for an import is told meanwhile.
package struct ImportObserver: Sendable {
  /// How far it has come; called from other threads.
  package var progress: @Sendable (ImportProgress) -> Void = { _ in }
  /// What it is about to do, before anything is written: first the counts, then, where they are
  /// listed, the changes, some at a time, and nothing at the end.
  ///
  /// What it throws ends the import, and nothing is changed.
  package var plan: @Sendable ([ImportPlanLine]) throws(DirectoryError) -> Void = { _ in }
  /// Called where the plan is shown first, when all of it has been told and no transaction is open; what
  /// it throws ends the import.
  package var show: @Sendable () throws(DirectoryError) -> Void = {}
  /// Asked whether so much is to change as an error says; `nil` says that the user cannot be asked, and
  /// the error ends the import.
  package var confirmChanges: (@Sendable (DirectoryError) throws(DirectoryError) -> Bool)?
  /// Called when all is written and the transaction is about to be committed: from now on it can no
  /// longer be said that nothing was changed.
  package var committing: @Sendable () -> Void = {}

  /// Asked whether people of a list are those of certain records; without the user to ask, it throws.
  ///
  /// Returns fewer answers than there are doubts where the user ends it.
  package var decide: @Sendable ([ListMatch]) throws(DirectoryError) -> [MatchDecision] = {
    (doubts) throws(DirectoryError) in throw ImportRequest.undecided(doubts)
  }

  package init() {}
}

extension ImportRequest {
  /// Why an import stops where no one decides.
  ///
  /// - Parameters:
  ///   - doubts: The questions.
  ///   - file: Where they have been written, if anywhere.
  /// - Returns: `.badData`.
  package static func undecided(_ doubts: [ListMatch], in file: String? = nil) -> DirectoryError {
    let named = doubts.prefix(InputStager.namedProblems).map(\.text)
    let more = doubts.count - named.count
    let areRemoved = doubts.allSatisfy { $0.reason == .removedHere }
    let isOne = doubts.count == 1
    let message =
      areRemoved
      ? "of the list \(isOne ? "was" : "were") removed here"
      : "of the list may already be recorded" + (isOne ? " under another id" : " under other ids")
    let advice: Advice
    if let file {
      advice = Advice(
        "nothing was changed; the questions are in \(file): write yes or no behind each, and repeat "
          + "the command"
      )
    } else if areRemoved {
      advice = """
        nothing was changed; run it on a terminal and answer, or have the questions written to a file \
        with \(.decide)
        """
    } else {
      advice = """
        nothing was changed; run it on a terminal and answer, or have the questions written to a file \
        with \(.decide); if none is the same person, repeat it with \(.map("doubts=add"))
        """
    }
    return DirectoryError(
      .badData,
      "cannot import: \(counted(doubts.count, "person", "people")) \(message)",
      advice: advice,
      details: named + (more > 0 ? ["and \(more) more"] : [])
    )
  }

  static func interrupted(_ doubts: [ListMatch], _ answers: [MatchDecision]) -> DirectoryError {
    DirectoryError(
      .interrupted,
      "nothing was imported: "
        + "\(counted(doubts.count - answers.count, "question was", "questions were")) not answered"
    )
  }
}

/// How far an import has come.
package enum ImportProgress: Sendable, CustomStringConvertible {
  case reading(file: String, rows: Int)
  case working(ImportPhase)

  package var description: String {
    switch self {
    case .reading(let file, let rows): "reading \(file): \(rows) rows"
    case .working(.checking): "checking"
    case .working(.planning): "comparing with the database"
    case .working(.departments): "writing departments"
    case .working(.users): "writing people"
    case .working(.memberships): "writing memberships"
    case .working(.removing): "removing records"
    case .working(.constraints): "checking references"
    }
  }
}

/// What an import did, or would do.
package struct ImportReport: Sendable {
  package var summary: ChangeTotals
  /// What is odd in the files and was taken all the same: the first of each kind.
  package var warnings: [InputProblem]
  /// How many more there are, and of which kinds; `nil` for none.
  package var furtherWarnings: String?
  /// All of them, if they are kept; otherwise empty.
  package var allWarnings: [InputProblem]
  /// Whether the connection broke at the end, and the server said afterwards that all is in.
  package var wasFoundOut = false
  /// What keeps a dry run's plan from being carried out as it is.
  package var refusal: DirectoryError?

  init(summary: ChangeTotals, problems: ProblemList) {
    self.summary = summary
    warnings = problems.warnings
    furtherWarnings = problems.furtherWarnings
    allWarnings = problems.allWarnings
  }
}
