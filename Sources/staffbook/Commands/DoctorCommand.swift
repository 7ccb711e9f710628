import Administration
import ArgumentParser
import DirectoryModel

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the data, the snapshot and the change tracking.",
    discussion: """
      Lists the records that have no place in the tree and why, verifies every byte of the \
      snapshot, and reports whether the database's change tracking can be trusted. It also lists \
      what is wrong with the data, or likely is, mostly with a command that corrects it without \
      removing anyone: invalid email addresses and phone numbers, names with invisible \
      characters or with a word in two scripts, people who may be recorded more than once, \
      managers who manage each other, departments without people, without a lead (if others have \
      one) or below 15 others. Nothing is changed. Exit status 65 means that there is a problem.

      EXAMPLES
        staffbook doctor
        staffbook doctor --snapshot      check only the snapshot, without the database
        staffbook doctor --verify        also compare the content of every row
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Check only the snapshot; works while the database is down.")
  var snapshot = false

  @Flag(help: "Compare every row of the snapshot with the database.")
  var verify = false

  @Flag(help: "Print JSON Lines: one object per finding.")
  var json = false

  func validate() throws {
    if snapshot, verify { throw ValidationError("--snapshot and --verify cannot be used together") }
  }

  func run() async throws {
    let report = try await Doctor(source.administrator(.ignore)).examine(
      snapshot ? .snapshot : verify ? .thorough : .usual
    )
    try DoctorPrinter(asJSON: json).print(report)
    if report.state == .problem { throw ExitCode(ExitStatus.badData.rawValue) }
  }
}
