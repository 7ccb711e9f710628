import DirectoryExchange
import DirectoryModel

/// What is to be imported, and how.
package struct ImportRequest: Sendable {
  /// Files or folders; `-` is standard input.
  package var paths: [String]
  /// Files that are there already, in place of the paths.
  var inputs: InputSet?
  /// What the files are written in; where it is `nil`, UTF-8 or what is detected.
  package var encoding: String?
  /// What parts the fields of those that are CSV: a sign, or its name; where it is
  /// `nil`, commas or what is detected.
  package var separator: String?
  /// The sheet of workbooks.
  package var sheet: String?
  /// A file that says what the columns of personnel lists are.
  package var mappingFile: String?
  /// The same, an entry each: `key=template`; they win over the file's.
  package var mappings: [String] = []
  /// The id of the department of people whom a file puts in none.
  package var home: String?
  /// Whether what is not in the files goes.
  package var replace = false
  /// Whether everything, or more than 50 and a fifth of all, may go.
  package var acceptDeletions = false
  /// Why it is done, for the history.
  package var reason: String?
  /// Whether it ends with the plan, and writes nothing.
  package var isDryRun = false
  /// Whether every change is told by name.
  package var isListed = false

  package init(paths: [String]) { self.paths = paths }

  init(_ inputs: InputSet) {
    paths = []
    self.inputs = inputs
  }
}

extension ImportRequest {
  /// How the files are written: what the options say wins over the mapping.
  func form(_ mapping: PersonnelMapping?) throws(DirectoryError) -> InputForm {
    var form = InputForm()
    form.encoding = encoding ?? mapping?.encoding
    form.sheet = sheet ?? mapping?.sheet
    if let name = separator ?? mapping?.separator { form.separator = try FieldSeparator(name) }
    form.isPersonnel = mapping != nil
    return form
  }
}

/// What somebody who waits for an import is told meanwhile.
package struct ImportObserver: Sendable {
  /// How far it has come; called from other threads.
  package var progress: @Sendable (ImportProgress) -> Void = { _ in }
  /// What it is about to do, before anything is written: first the counts, then, where they are
  /// listed, the changes, some at a time.
  ///
  /// What it throws ends the import, and nothing is changed.
  package var plan: @Sendable ([ImportPlanLine]) throws(DirectoryError) -> Void = { _ in }
  /// Called when all is written and the transaction is about to be committed: from now on nobody
  /// can say that nothing was changed.
  package var committing: @Sendable () -> Void = {}

  package init() {}
}
