import DirectoryModel
import SystemPackage

/// Invented companies to try things with: one to look at, and one of any size.
///
/// Names are drawn from lists of common names in some thirty languages, mail addresses end in
/// `.example`, telephone numbers are set aside for fiction: nobody real is meant. The same
/// company comes out the same, byte for byte, on every machine.
package enum SampleCompany {
  /// The company that the demo shows: lighthouses and telescopes, since 1874.
  package static let builtIn = LighthouseCompany()

  package static let peopleLimits = 0...1_000_000_000
  package static let departmentLimits = 1...100_000_000

  /// Writes a company of any size as `departments.csv`, `users.csv` and `memberships.csv`.
  ///
  /// Departments lie on at most seven levels. One person in ten belongs to a further department,
  /// one in a hundred to two.
  ///
  /// - Parameters:
  ///   - people: Rows of `users.csv`.
  ///   - departments: Rows of `departments.csv`.
  ///   - seed: Another one makes another company.
  ///   - folder: Made where it is missing.
  ///   - replacing: Whether files of these names may be replaced.
  /// - Throws: `.usage` for impossible numbers, `.cannotWrite` where a file exists or the system
  ///   refuses; then the folder keeps the files that it had.
  /// - Complexity: O(people + departments) time, constant memory.
  package static func write(
    people: Int,
    departments: Int,
    seed: UInt64,
    to folder: FilePath,
    replacing: Bool = false
  ) throws(DirectoryError) {
    let company = try company(people: people, departments: departments, seed: seed)
    var files = try SampleFiles(in: folder, replacing: replacing)
    try company.write(to: &files)
    try files.finish()
  }

  /// - Throws: `.usage` for impossible numbers.
  static func company(
    people: Int,
    departments: Int,
    seed: UInt64
  ) throws(DirectoryError) -> GeneratedCompany {
    guard peopleLimits.contains(people), departmentLimits.contains(departments) else {
      throw DirectoryError(
        .usage,
        "cannot generate a company of \(people) people in \(departments) departments: "
          + "it must have 0 to \(peopleLimits.upperBound) people "
          + "in 1 to \(departmentLimits.upperBound) departments"
      )
    }
    return GeneratedCompany(people: people, departments: departments, seed: seed)
  }
}
