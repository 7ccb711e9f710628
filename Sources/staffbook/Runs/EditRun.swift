import ArgumentParser
import DirectoryModel
import DirectoryWriting
import LiveDirectory
import Platform

/// How a command that edits goes about it.
struct EditOptions: ParsableArguments {
  @Flag(
    name: [.customShort("n"), .long],
    help:
      "Show what would be done, and do nothing; the exit status says whether it would be refused."
  )
  var dryRun = false

  @OptionGroup var history: ReasonOptions

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
  var yes = false

  @Flag(help: "Print JSON Lines: the counts, and one object per change.")
  var json = false

  @Flag(help: "Do not update the local snapshot.")
  var noSync = false
}

/// An edit and the sync that follows it.
struct EditRun {
  let administrator: Administrator
  let options: EditOptions

  init(_ source: SourceOptions, _ options: EditOptions) throws {
    administrator = try source.administrator()
    self.options = options
  }

  func run(_ edit: Edit) async throws {
    try await run { observer in
      try await DirectoryWriter(administrator.session).edit(
        edit,
        reason: options.history.reason,
        isDryRun: options.dryRun,
        observer: observer
      )
    }
  }

  /// Runs what edits, with an observer that prints and asks.
  func run(_ edit: (EditObserver) async throws -> EditReport) async throws {
    let form = options.json ? LineFormat.json : .text
    let printer = ImportPlanPrinter(form, isListed: true, isPaged: false)
    let interrupts = ImportInterrupts("changed")
    var observer = EditObserver()
    observer.plan = { [options] (changes, totals) throws(DirectoryError) in
      let summary = ImportPlanLine.summary(totals, isDryRun: options.dryRun)
      try printer.print(
        (options.json ? [summary] : []) + changes.map { .change($0) },
        orSay: "nothing was changed"
      )
    }
    observer.planRules = { (rules) throws(DirectoryError) in
      try printer.print(rules.map { .rule($0) }, orSay: "nothing was changed")
    }
    if !options.yes {
      observer.confirm = { (_, totals) throws(DirectoryError) in try Self.confirm(totals) }
    }
    observer.isMeant = { [options] (guess) throws(DirectoryError) in
      guard !options.yes, Confirmation.isPossible else { return false }
      return Confirmation.answer(to: "did you mean \(guess)?")
    }
    if !options.yes, Confirmation.isPossible {
      observer.mergedRules = { (lines) throws(DirectoryError) in
        for line in lines { Messages.notice(line) }
        return Confirmation.answer(
          to: "shall these rules and groups be about the person who stays? (Otherwise, the rules "
            + "are removed, and the person is not put into the groups.)"
        ) ? .follow : .drop
      }
    }
    observer.editing = { interrupts.add("your text was saved in \($0)") }
    observer.committing = { interrupts.enter(.committing) }
    let report: EditReport
    do {
      report = try await edit(observer)
    } catch {
      interrupts.stop()
      throw error
    }
    try await finish(report, printer, interrupts)
  }

  private func finish(
    _ report: EditReport,
    _ printer: ImportPlanPrinter,
    _ interrupts: ImportInterrupts
  ) async throws {
    defer { interrupts.stop() }
    switch report.outcome {
    case .nothingToDo: return Messages.notice("there is nothing to change")
    case .declined: return Messages.notice("nothing was changed")
    case .dryRun:
      return Messages.notice("this was a dry run: nothing was changed; it would be: \(report.text)")
    case .foundOut:
      Messages.notice("the connection was lost during COMMIT, but the edit has succeeded")
    case .done: break
    }
    interrupts.enter(.applied)
    Messages.notice(report.text)
    // The snapshot is to be brought up to date whether the user reads what was done or not.
    let failure: DirectoryError?
    do throws(DirectoryError) {
      try printer.printApplied(report.totals, orSay: "the edit itself was carried out")
      failure = nil
    } catch {
      failure = error
    }
    if !options.noSync { try await ProgressLine.sync(administrator) }
    if let failure { throw failure }
  }

  private static func confirm(_ totals: ChangeTotals) throws(DirectoryError) -> Bool {
    guard totals.departments.removed + totals.users.removed > 0 else {
      return try confirmEdit()
    }
    let what = removedText(totals)
    return try Confirmation.ask(
      "remove \(what)?",
      else: "confirmation required: \(what) would be removed",
      advice: "nothing was changed; if this is intended, repeat the command with --yes"
    )
  }

  /// For what the user edited as a text.
  private static func confirmEdit() throws(DirectoryError) -> Bool {
    try Confirmation.ask(
      "do this?",
      else: "confirmation required, but standard input is not a terminal",
      advice: "nothing was changed; to confirm in advance, repeat the command with --yes"
    )
  }

  private static func removedText(_ totals: ChangeTotals) -> String {
    func text(_ count: Int, _ one: String, _ many: String) -> String? {
      count == 0 ? nil : counted(count, one, many)
    }
    return [
      text(totals.departments.removed, "department", "departments"),
      text(totals.users.removed, "person", "people"),
    ].compactMap { $0 }.joined(separator: " and ")
  }
}

/// What a command that writes leaves in the history beside what it did.
struct ReasonOptions: ParsableArguments {
  @Option(
    name: [.customShort("m"), .long],
    help: ArgumentHelp("The reason, recorded in the history.", valueName: "reason")
  )
  var reason: String?
}
