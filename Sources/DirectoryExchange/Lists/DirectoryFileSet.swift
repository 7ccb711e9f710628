import DirectoryModel
import SystemPackage

/// The CSV files of one directory in a folder.
package enum DirectoryFileSet {
  package static let departmentsName = "departments.csv"
  package static let usersName = "users.csv"
  /// Further memberships, where the folder has them.
  package static let membershipsName = "memberships.csv"

  /// Throws unless there are both of the files that a folder must have.
  static func requireWhole(
    _ found: Set<InputFormat>,
    in folder: FilePath
  ) throws(DirectoryError) {
    let names: [(InputFormat, String)] = [(.departments, departmentsName), (.users, usersName)]
    let absent = names.filter { !found.contains($0.0) }.map(\.1)
    guard !absent.isEmpty else { return }
    throw DirectoryError(
      .noInput,
      "there is no \(absent.joined(separator: " and no ")) in \(QuotedValue.path(folder.string))",
      advice: "a folder to import contains departments.csv, users.csv and, for people in "
        + "several departments, memberships.csv; or files that end in .csv, .json, .jsonl, "
        + ".ndjson, .ldif, .ldf, .vcf or .vcard"
    )
  }
}
