import ArgumentParser
import DirectoryModel
import DirectoryService

struct SampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Write an invented company to try things out with.",
    discussion: """
      Without numbers it is the sample company: some 200 people in 25 departments. With \
      --people it is one of any size, the same for the same seed. The files are CSV, as \
      import takes them.

      EXAMPLES
        staffbook sample ./company
        staffbook sample --load
        staffbook sample --people 1000000 --departments 50000 --seed 1 ./large
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Option(help: "People in the company.")
  var people: Int?

  @Option(help: "Departments in the company.")
  var departments: Int?

  @Option(help: "Another number is another company. (default: 1)")
  var seed: UInt64?

  @Flag(help: "Replace files that are there already.")
  var force = false

  @Flag(help: "Load it into the database, beside what is there.")
  var load = false

  @Argument(help: "The folder to write to; made where it is missing.", completion: .directory)
  var folder: String?

  func validate() throws {
    guard load != (folder != nil) else {
      throw ValidationError("name a folder to write to, or give --load")
    }
    if seed != nil, people == nil, departments == nil {
      throw ValidationError("--seed goes with --people or --departments")
    }
    if people ?? 1 < 1 || departments ?? 1 < 1 {
      throw ValidationError("--people and --departments are 1 or more")
    }
  }

  func run() async throws {
    let company = SampleSize(people: people, departments: departments, seed: seed ?? 1)
    if let folder {
      try StaffbookService.writeSample(company, to: folder, replacing: force)
      Messages.notice("wrote \(folder); load it with: staffbook import \(folder)")
      return
    }
    let service = try source.service()
    try await service.withSample(company) { folder in
      let run = ImportRun(service: service, name: "the sample company")
      try await run.run(ImportRequest(paths: [folder]), sync: true)
    }
  }
}
