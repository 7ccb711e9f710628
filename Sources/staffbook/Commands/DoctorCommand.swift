import ArgumentParser
import DirectoryModel
import DirectoryService

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what is wrong with the data, the snapshot or the record of changes.",
    discussion: """
      Changes nothing. Lists what has no place in the tree and why, proves every byte of the \
      snapshot, and tells whether the database's record of changes can be trusted. Exit status 65 \
      means that something is wrong.

      EXAMPLES
        staffbook doctor
        staffbook doctor --snapshot      only the snapshot; needs no database
        staffbook doctor --verify        compares every row with the database's, by content
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Look at the snapshot alone, with the database down too.")
  var snapshot = false

  @Flag(help: "Compare every row of the snapshot with the database's.")
  var verify = false

  @Flag(help: "Print JSON Lines: an object a finding.")
  var json = false

  func validate() throws {
    if snapshot, verify { throw ValidationError("--snapshot and --verify exclude each other") }
  }

  func run() async throws {
    let report = try await source.service()
      .examine(snapshot ? .snapshot : verify ? .thorough : .usual)
    try DoctorPrinter(asJSON: json).print(report)
    if report.state == .problem { throw ExitCode(ExitStatus.badData.rawValue) }
  }
}
