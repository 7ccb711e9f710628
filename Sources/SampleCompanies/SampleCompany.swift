import DirectoryExchange
import DirectoryModel
import SystemPackage

/// Invented companies to try things with: one to look at, and one of any size.
///
/// Names are drawn from lists of common names in some thirty languages, mail addresses end in
/// `.example`, telephone numbers are set aside for fiction: no real person is meant. The same
/// company comes out the same, byte for byte, on every machine.
package enum SampleCompany: Sendable {
  /// The company that the demo shows: lighthouses and telescopes, since 1874.
  case builtIn
  /// One of any size. Departments lie on at most seven levels; one person in ten belongs to a further
  /// department, one in a hundred to two. Another seed makes another company.
  case generated(people: Int, departments: Int, seed: UInt64)

  private static let peopleLimits = 0...1_000_000_000
  private static let departmentLimits = 1...100_000_000
  private static let peoplePerDepartment = 20

  /// The built-in company where no number is given, else one of that size; a number that is left out
  /// follows from the other one.
  package init(people: Int?, departments: Int?, seed: UInt64) {
    switch (people, departments) {
    case (nil, nil): self = .builtIn
    case (nil, let departments?):
      let (guess, overflow) = departments.multipliedReportingOverflow(by: Self.peoplePerDepartment)
      self = .generated(people: overflow ? .max : guess, departments: departments, seed: seed)
    case (let people?, let departments):
      self = .generated(
        people: people,
        departments: departments ?? max(1, people / Self.peoplePerDepartment),
        seed: seed
      )
    }
  }

  /// Writes it as `departments.csv`, `users.csv` and `memberships.csv`.
  ///
  /// - Parameters:
  ///   - folder: Made where it is missing.
  ///   - replacing: Whether files of these names may be replaced.
  ///   - hasFields: Whether people and departments have the values of `SampleFields`.
  /// - Throws: `.usage` for impossible numbers, `.cannotWrite` where a file exists and is not to be
  ///   replaced, or the system refuses; then the folder keeps the files that it had.
  /// - Complexity: O(people + departments) time, constant memory.
  package func write(
    to folder: FilePath,
    replacing: Bool = false,
    withFields hasFields: Bool = true
  ) throws(DirectoryError) {
    // Before a folder is made for it.
    try validate()
    var files = try SampleFiles(in: folder, replacing: replacing, withFields: hasFields)
    try write(to: &files, withFields: hasFields)
    try files.finish()
  }

  /// The same as files without names, to import: nothing is left of them whatever ends the program.
  package func spooled(withFields hasFields: Bool = true) throws(DirectoryError) -> InputSet {
    try validate()
    var files = try SampleFiles(spooledAs: "the sample company", withFields: hasFields)
    try write(to: &files, withFields: hasFields)
    return try files.finishSpooled()
  }

  private func write(
    to files: inout SampleFiles,
    withFields hasFields: Bool
  ) throws(DirectoryError) {
    switch self {
    case .builtIn: try LighthouseCompany().write(to: &files, withFields: hasFields)
    case .generated(let people, let departments, let seed):
      try GeneratedCompany(
        people: people,
        departments: departments,
        seed: seed,
        hasFields: hasFields
      ).write(to: &files)
    }
  }

  /// Throws unless there can be such a company.
  private func validate() throws(DirectoryError) {
    guard case .generated(let people, let departments, _) = self,
      !Self.peopleLimits.contains(people) || !Self.departmentLimits.contains(departments)
    else { return }
    throw DirectoryError(
      .usage,
      "cannot generate a company of \(people) people in \(departments) departments: "
        + "it must have 0 to \(Self.peopleLimits.upperBound) people "
        + "in 1 to \(Self.departmentLimits.upperBound) departments"
    )
  }
}
