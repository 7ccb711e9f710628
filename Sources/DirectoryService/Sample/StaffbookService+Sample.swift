import DirectoryModel
import Platform
import SystemPackage

/// Which invented company is meant.
package struct SampleSize: Sendable {
  /// `nil` for the built-in one.
  package var people: Int?
  package var departments: Int?
  package var seed: UInt64

  package init(people: Int?, departments: Int?, seed: UInt64) {
    self.people = people
    self.departments = departments
    self.seed = seed
  }

  private static let peoplePerDepartment = 20

  func write(to files: inout SampleFiles) throws(DirectoryError) {
    guard people != nil || departments != nil else {
      try SampleCompany.builtIn.write(to: &files)
      return
    }
    try generated().write(to: &files)
  }

  /// Throws unless there can be such a company.
  func validate() throws(DirectoryError) {
    if people != nil || departments != nil { _ = try generated() }
  }

  private func generated() throws(DirectoryError) -> GeneratedCompany {
    let (guess, overflow) = (departments ?? 1)
      .multipliedReportingOverflow(by: Self.peoplePerDepartment)
    let people = people ?? (overflow ? .max : guess)
    return try SampleCompany.company(
      people: people,
      departments: departments ?? max(1, people / Self.peoplePerDepartment),
      seed: seed
    )
  }
}

extension StaffbookService {
  package static func writeSample(
    _ size: SampleSize,
    to folder: String,
    replacing: Bool
  ) throws(DirectoryError) {
    // Before a folder is made for it.
    try size.validate()
    var files = try SampleFiles(in: FilePath(folder), replacing: replacing)
    try size.write(to: &files)
    try files.finish()
  }

  /// An import of an invented company, from files without names: nothing is left of them whatever
  /// ends the program.
  package static func sampleImport(_ size: SampleSize) throws(DirectoryError) -> ImportRequest {
    try size.validate()
    var files = try SampleFiles(spooledAs: "the sample company")
    try size.write(to: &files)
    return ImportRequest(try files.finishSpooled())
  }
}
