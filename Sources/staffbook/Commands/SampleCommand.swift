import ArgumentParser
import DirectoryModel
import DirectoryWriting
import SampleCompanies

struct SampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Write or load an invented company to try things out.",
    discussion: """
      By default it is the sample company, with about 200 people in 25 departments. With --people \
      or --departments it is a generated company of any size, which is the same for the same seed. \
      The files are CSV, as import reads them.

      EXAMPLES
        staffbook sample ./company
        staffbook sample --load
        staffbook sample --people 1000000 --departments 50000 --seed 1 ./large
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Option(help: "Number of people.")
  var people: Int?

  @Option(help: "Number of departments.")
  var departments: Int?

  @Option(help: "Seed of the generated company. (default: 1)")
  var seed: UInt64?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Give people and departments fields: mobile, office, languages, joined, manager and cost centre."
  )
  var fields = true

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(help: "Load the company into the database, in addition to its present records.")
  var load = false

  @Argument(help: "The folder to write to; created if it is missing.", completion: .directory)
  var folder: String?

  func validate() throws {
    if load, let folder {
      throw ValidationError(
        "--load writes no folder: leave out either --load or the folder \(folder)"
      )
    }
    if !load, folder == nil {
      throw ValidationError("name a folder to write to, or use --load")
    }
    if seed != nil, people == nil, departments == nil {
      throw ValidationError("--seed requires --people or --departments")
    }
    if people ?? 1 < 1 || departments ?? 1 < 1 {
      throw ValidationError("--people and --departments must be 1 or more")
    }
  }

  func run() async throws {
    let company = SampleCompany(people: people, departments: departments, seed: seed ?? 1)
    if let folder {
      try company.write(to: folder, replacing: force, withFields: fields)
      Messages.notice("wrote \(folder); load it with: staffbook import \(folder)")
      if fields {
        Messages.notice(
          "columns of fields that are not declared are ignored; declare them first with: "
            + Self.declarations.joined(separator: " && ")
        )
      }
      return
    }
    let administrator = try source.administrator()
    let run = ImportRun(administrator: administrator, name: "the sample company")
    try await run.run(
      try await FieldDeclarations(administrator).sampleImport(company, withFields: fields),
      sync: true
    )
  }

  /// The commands that declare the fields of the invented companies.
  private static let declarations = [("", RecordKind.user), (" --of departments", .department)].map
  {
    let (options, owner) = $0
    let names = SampleFields.declared.filter { $0.owner == owner }.map(\.name)
    return "staffbook field add \(names.joined(separator: " "))\(options)"
  }
}
