import DirectoryModel
import SystemPackage

/// The files of an import, open, each with what it holds.
package struct InputSet: Sendable {
  /// A file and its format.
  package struct Member: Sendable {
    package let file: InputFile
    package let format: InputFormat

    package init(file: InputFile, format: InputFormat) {
      self.file = file
      self.format = format
    }
  }

  /// The path that stands for standard input.
  package static let standardInput = "-"

  /// In the order in which they are read: departments, people, memberships, then lists.
  package let members: [Member]

  /// Finds and opens files, and tells what they hold.
  ///
  /// A folder stands for its `departments.csv`, `users.csv` and `memberships.csv`; one that has
  /// neither of the first two, for its files whose names end with `.csv`, `.json`, `.jsonl`,
  /// `.ndjson`, `.ldif`, `.ldf`, `.vcf` or `.vcard`, all of them also with `.gz`, but not for folders
  /// inside it.
  ///
  /// - Parameters:
  ///   - paths: Files, folders, or `-` for standard input, once.
  ///   - encoding: What the files are written in; `nil` for UTF-8.
  ///   - separator: What parts the fields of those that are CSV; `nil` for commas.
  ///   - told: Called with each file that is not one of a folder's three, and what it holds.
  /// - Throws: `.noInput` when something is missing, `.cannotRead` when it cannot be opened,
  ///   `.badData` when nobody can tell what it holds.
  package init(
    _ paths: [String],
    encoding: String? = nil,
    separator: FieldSeparator? = nil,
    told: (InputFile, InputFormat) -> Void = { _, _ in }
  ) throws(DirectoryError) {
    var members: [Member] = []
    let form = Form(encoding: encoding, separator: separator)
    for path in paths {
      if path != Self.standardInput, try Self.isFolder(FilePath(path)) {
        members += try Self.folder(FilePath(path), form, told)
      } else {
        members.append(try Self.file(path, form, told))
      }
    }
    let order: [InputFormat] = [.departments, .users, .memberships]
    func place(_ member: Member) -> Int { order.firstIndex(of: member.format) ?? order.count }
    self.members = members.enumerated()
      .sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
      .map(\.element)
  }

  /// How the files are written.
  private struct Form {
    var encoding: String?
    var separator: FieldSeparator?

    func readable(_ path: String) throws(DirectoryError) -> InputFile {
      try InputFile.readable(path, encoding: encoding, separator: separator)
    }
  }

  private static func isFolder(_ path: FilePath) throws(DirectoryError) -> Bool {
    do {
      return try system { try path.stat().type } == .directory
    } catch .noSuchFileOrDirectory {
      throw DirectoryError(
        .noInput,
        "there is no file or folder \(QuotedValue.path(path.string))"
      )
    } catch {
      throw DirectoryError(
        .cannotRead,
        "cannot read \(QuotedValue.path(path.string)): \(error)"
      )
    }
  }

  private static func file(
    _ path: String,
    _ form: Form,
    _ told: (InputFile, InputFormat) -> Void
  ) throws(DirectoryError) -> Member {
    let file = try form.readable(path)
    guard let format = try InputRecognition.format(of: file) else {
      throw try UnknownInput.refusal(of: file)
    }
    // The others have readers that look for themselves.
    if [.json, .ldif, .vCard].contains(format), let refusal = try UnknownInput.noText(file) {
      throw refusal
    }
    told(file, format)
    return Member(file: file, format: format)
  }

  /// The three files have their formats by name, so that what is wrong with them is told in terms
  /// of what they should be.
  private static func folder(
    _ path: FilePath,
    _ form: Form,
    _ told: (InputFile, InputFormat) -> Void
  ) throws(DirectoryError) -> [Member] {
    // A folder may be replaced as a whole while it is read; files of two states are no directory.
    for _ in 0..<10 {
      let place = identity(of: path)
      let members = try filesOfFolder(path, form, told)
      if place == identity(of: path) { return members }
    }
    throw DirectoryError(
      .cannotRead,
      "cannot read \(QuotedValue.path(path.string)): it is replaced again and again",
      advice: "try again when nobody writes it"
    )
  }

  private static func identity(of path: FilePath) -> [UInt64]? {
    (try? path.stat()).map {
      [
        UInt64(truncatingIfNeeded: $0.deviceID.rawValue),
        UInt64(truncatingIfNeeded: $0.inode.rawValue),
      ]
    }
  }

  private static func filesOfFolder(
    _ path: FilePath,
    _ form: Form,
    _ told: (InputFile, InputFormat) -> Void
  ) throws(DirectoryError) -> [Member] {
    let names = try names(in: path)
    let own: [(String, InputFormat)] = [
      (DirectoryFileSet.departmentsName, .departments), (DirectoryFileSet.usersName, .users),
      (DirectoryFileSet.membershipsName, .memberships),
    ]
    let found = own.compactMap { name, format in
      [name, name + ".gz"].first { names.contains($0) }.map { ($0, format) }
    }
    if found.contains(where: { $0.1 != .memberships }) {
      try DirectoryFileSet.requireWhole(Set(found.map(\.1)), in: path)
      var members: [Member] = []
      for (name, format) in found {
        let file = try form.readable(path.appending(name).string)
        members.append(Member(file: file, format: format))
      }
      return members
    }
    let others = names.filter(InputRecognition.isImportable).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    guard !others.isEmpty else { throw DirectoryFileSet.nothing(in: path) }
    var members: [Member] = []
    for name in others { members.append(try file(path.appending(name).string, form, told)) }
    return members
  }

  private static func names(in folder: FilePath) throws(DirectoryError) -> [String] {
    do {
      return try FolderListing.names(in: folder)
    } catch {
      throw DirectoryError(
        .cannotRead,
        "cannot read \(QuotedValue.path(folder.string)): \(error)"
      )
    }
  }
}
