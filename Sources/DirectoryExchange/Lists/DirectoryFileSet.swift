import DirectoryModel
import SystemPackage

/// The CSV files of one directory, found in a folder and open.
package struct DirectoryFileSet: Sendable {
  package let departments: InputFile
  package let users: InputFile
  /// Further memberships, where the folder has them.
  package let memberships: InputFile?

  package static let departmentsName = "departments.csv"
  package static let usersName = "users.csv"
  package static let membershipsName = "memberships.csv"

  /// Finds and opens `departments.csv`, `users.csv` and, where there is one, `memberships.csv`.
  ///
  /// - Throws: `.noInput` when the folder or a required file is missing or is something else,
  ///   `.cannotRead` when one cannot be opened.
  package init(folder: FilePath) throws(DirectoryError) {
    try Self.checkFolder(folder)
    let departments = try Self.open(Self.departmentsName, in: folder)
    let users = try Self.open(Self.usersName, in: folder)
    guard let departments, let users else {
      throw Self.missing(
        [departments == nil ? Self.departmentsName : nil, users == nil ? Self.usersName : nil]
          .compactMap { $0 },
        in: folder
      )
    }
    self.departments = departments
    self.users = users
    memberships = try Self.open(Self.membershipsName, in: folder)
  }

  /// Throws unless there are both of the files that a folder must have.
  static func requireWhole(
    _ found: Set<InputFormat>,
    in folder: FilePath
  ) throws(DirectoryError) {
    let names: [(InputFormat, String)] = [(.departments, departmentsName), (.users, usersName)]
    let absent = names.filter { !found.contains($0.0) }.map(\.1)
    guard absent.isEmpty else { throw missing(absent, in: folder) }
  }

  /// What to say of a folder with nothing to import.
  static func nothing(in folder: FilePath) -> DirectoryError {
    missing([departmentsName, usersName], in: folder)
  }

  private static func missing(_ names: [String], in folder: FilePath) -> DirectoryError {
    DirectoryError(
      .noInput,
      "there is no \(names.joined(separator: " and no ")) in \(QuotedValue.path(folder.string))",
      advice: "a folder to import contains departments.csv, users.csv and, for people in "
        + "several departments, memberships.csv; or files that end in .csv, .json, .jsonl, "
        + ".ndjson, .ldif, .ldf, .vcf or .vcard"
    )
  }

  private static func checkFolder(_ folder: FilePath) throws(DirectoryError) {
    let name = QuotedValue.path(folder.string)
    let type: FileType
    do {
      type = try system { try folder.stat().type }
    } catch .noSuchFileOrDirectory {
      throw DirectoryError(.noInput, "there is no folder \(name)")
    } catch {
      throw DirectoryError(.cannotRead, "cannot read \(name): \(error)")
    }
    guard type == .directory else {
      throw DirectoryError(
        .noInput,
        "\(name) is not a folder",
        advice: "name the folder that contains departments.csv and users.csv"
      )
    }
  }

  /// Opens a file, or gives `nil` where there is nothing of that name.
  private static func open(
    _ name: String,
    in folder: FilePath
  ) throws(DirectoryError) -> InputFile? {
    let path = folder.appending(name)
    do {
      _ = try system { try path.stat(followTargetSymlink: false) }
    } catch .noSuchFileOrDirectory {
      return nil
    } catch {
      throw DirectoryError(
        .cannotRead,
        "cannot read \(QuotedValue.path(path.string)): \(error)"
      )
    }
    return try InputFile(path)
  }
}
