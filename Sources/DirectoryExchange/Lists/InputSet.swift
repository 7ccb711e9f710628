import DirectoryModel
import Platform
import SystemPackage

/// The files of an import, each with what it holds.
///
/// The first few stay open, so that they are of one state even if others take their places meanwhile.
/// There may be any number of further ones: they are opened when they are read, and must then still be
/// what was found.
package struct InputSet: Sendable {
  /// A file and its format.
  package struct Member: Sendable {
    package let name: String
    package let format: InputFormat
    private let content: Content

    /// A file that stays open.
    package init(file: InputFile, format: InputFormat) {
      name = file.name
      self.format = format
      content = .open(file)
    }

    fileprivate init(
      _ path: String,
      format: InputFormat,
      _ form: InputOptions,
      _ version: FileVersion
    ) {
      name = path
      self.format = format
      content = .closed(form, version)
    }

    /// The file, ready to be read.
    ///
    /// - Throws: `.cannotRead` when it is not what was found, or cannot be opened any more.
    package func open() throws(DirectoryError) -> InputFile {
      switch content {
      case .open(let file): return file
      case .closed(let form, _):
        try requireUnchanged()
        return try InputFile.readable(name, form)
      }
    }

    /// Throws if it was written since it was found.
    package func requireUnchanged() throws(DirectoryError) {
      switch content {
      case .open(let file): try file.requireUnchanged()
      case .closed(_, let version):
        guard FileVersion(FilePath(name)) == version else { throw InputFile.changed(name) }
      }
    }

    private enum Content: Sendable {
      case open(InputFile)
      case closed(InputOptions, FileVersion)
    }
  }

  /// Files that stay open.
  private static let mostOpen = 16

  /// The path that stands for standard input.
  package static let standardInput = "-"
  /// What it is called in messages.
  static let standardInputName = "standard input"

  /// In the order in which they are read: departments, people, memberships, then lists.
  package let members: [Member]

  /// A set of files that are there already.
  package init(members: [Member]) { self.members = members }

  /// Finds files, and tells what they hold.
  ///
  /// A folder stands for its `departments.csv`, `users.csv` and `memberships.csv`; one that has
  /// neither of the first two, for its files whose names end with `.csv`, `.json`, `.jsonl`,
  /// `.ndjson`, `.ldif`, `.ldf`, `.vcf` or `.vcard`, all of them also with `.gz`, but not for folders
  /// inside it.
  ///
  /// - Parameters:
  ///   - paths: Files, folders, or `-` for standard input, once.
  ///   - form: How they are written, where that is known.
  ///   - told: Called with what files hold that are not one of a folder's three, and with how many
  ///     are left out beside those.
  /// - Throws: `.noInput` when something is missing, `.cannotRead` when it cannot be opened,
  ///   `.badData` when it cannot be detected what it holds.
  package init(
    _ paths: [String],
    _ form: InputOptions = InputOptions(),
    told: (String) -> Void = { _ in }
  ) throws(DirectoryError) {
    var finding = Finding(form: form)
    for path in paths {
      if path != Self.standardInput, try Self.isFolder(FilePath(path)) {
        try finding.takeFolder(FilePath(path))
      } else {
        try finding.take(path, in: nil)
      }
    }
    for line in finding.findings { told(line) }
    let order: [InputFormat] = [.departments, .users, .memberships]
    func place(_ member: Member) -> Int { order.firstIndex(of: member.format) ?? order.count }
    members = finding.members.enumerated()
      .sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
      .map(\.element)
  }

  /// What the files are known by, together with how they are read: XXH64 of both, in hexadecimal.
  package func digest(with text: String) throws(DirectoryError) -> String {
    var bytes = Array(text.utf8)
    for member in members {
      let file = try member.open()
      try file.rewind()
      try file.descriptor.forEachPiece(of: file.name) { (piece) throws(DirectoryError) in
        bytes += piece
        let digest = bytes.withUnsafeBytes { XXHash64.digest($0) }
        bytes = withUnsafeBytes(of: digest.littleEndian) { Array($0) }
      }
    }
    return String(bytes.withUnsafeBytes { XXHash64.digest($0) }, radix: 16)
  }

  private static func isFolder(_ path: FilePath) throws(DirectoryError) -> Bool {
    do {
      return try system { try path.stat().type } == .directory
    } catch .noSuchFileOrDirectory {
      throw DirectoryError(
        .noInput,
        "cannot read \(QuotedValue.path(path.string)): no such file or folder"
      )
    } catch {
      throw DirectoryError(
        .cannotRead,
        "cannot read \(QuotedValue.path(path.string)): \(error)"
      )
    }
  }

  private static func identity(of path: FilePath) -> [UInt64]? {
    (try? path.stat()).map {
      [
        UInt64(truncatingIfNeeded: $0.deviceID.rawValue),
        UInt64(truncatingIfNeeded: $0.inode.rawValue),
      ]
    }
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

extension InputSet {
  /// The search for files, one after the other.
  private struct Finding {
    let form: InputOptions
    private(set) var members: [Member] = []
    /// What to tell of each place: formats in the order in which they were met.
    private var places: [(name: String, formats: [(format: String, names: [String], count: Int)])]
    private var notes: [String] = []

    init(form: InputOptions) {
      self.form = form
      places = []
    }

    /// Files of one place and format that are told by name.
    private static let mostNamed = 3

    /// What the files hold, of many of a kind only how many there are.
    var findings: [String] {
      places.flatMap { place in
        place.formats.flatMap { format, names, count in
          if count <= Self.mostNamed { return names.map { "\($0): \(format)" } }
          return ["\(place.name)\(count) files: \(format)"]
        }
      } + notes
    }

    private mutating func note(_ file: InputFile, _ format: InputFormat, in folder: FilePath?) {
      let what = ([format.name] + file.traits.notes).joined(separator: ", ")
      let place = folder.map { "\($0): " } ?? ""
      if places.last?.name != place { places.append((place, [])) }
      let last = places.count - 1
      let known = places[last].formats.firstIndex { $0.format == what }
      let index = known ?? places[last].formats.count
      if known == nil { places[last].formats.append((what, [], 0)) }
      places[last].formats[index].count += 1
      if places[last].formats[index].names.count < Self.mostNamed {
        places[last].formats[index].names.append(file.name)
      }
    }

    /// Tells what a file holds.
    mutating func take(_ path: String, in folder: FilePath?) throws(DirectoryError) {
      let version = FileVersion(FilePath(path))
      let file = try InputFile.readable(path, form)
      guard let format = try format(of: file) else { throw try UnrecognizedInput.refusal(of: file) }
      // The others have readers that look for themselves.
      if [.json, .ldif, .vCard, .personnel].contains(format),
        let refusal = try UnrecognizedInput.noText(file)
      {
        throw refusal
      }
      note(file, format, in: folder)
      append(file, format, version)
    }

    /// With a mapping, every table is a personnel list.
    private func format(of file: InputFile) throws(DirectoryError) -> InputFormat? {
      let format = try FormatDetection.format(of: file)
      guard form.isPersonnel else { return format }
      if let format, [.json, .ldif, .vCard].contains(format) { return format }
      return .personnel
    }

    private mutating func append(
      _ file: InputFile,
      _ format: InputFormat,
      _ version: FileVersion?
    ) {
      if members.count >= InputSet.mostOpen, file.name != InputSet.standardInputName, let version {
        var form = form
        form.encoding = form.encoding ?? file.traits.chosenEncoding
        members.append(Member(file.name, format: format, form, version))
      } else {
        members.append(Member(file: file, format: format))
      }
    }

    mutating func takeFolder(_ path: FilePath) throws(DirectoryError) {
      // A folder may be replaced as a whole while it is read; files of two states are not a
      // directory.
      for _ in 0..<10 {
        let before = self
        let place = InputSet.identity(of: path)
        try takeFiles(of: path)
        if place == InputSet.identity(of: path) { return }
        self = before
      }
      throw DirectoryError(
        .cannotRead,
        "cannot read \(QuotedValue.path(path.string)): it was replaced again and again while it was being read",
        advice: "try again when nothing writes to it"
      )
    }

    private mutating func takeFiles(of folder: FilePath) throws(DirectoryError) {
      let names = try InputSet.names(in: folder)
      let others = names.filter(FormatDetection.isImportable).sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      }
      if let count = try takeThree(of: folder, names) {
        if others.count > count {
          let rest = others.count - count
          notes.append(
            "\(folder): only departments.csv, users.csv and memberships.csv are read; "
              + counted(rest, "other file is left out", "other files are left out")
          )
        }
        return
      }
      if others.isEmpty { try DirectoryFileSet.requireWhole([], in: folder) }
      for name in others { try take(folder.appending(name).string, in: folder) }
    }

    /// The three files have their formats by name, so that what is wrong with them is told in terms
    /// of what they should be.
    ///
    /// - Returns: How many of them there are; `nil` for a folder of other files.
    private mutating func takeThree(
      of folder: FilePath,
      _ names: [String]
    ) throws(DirectoryError) -> Int? {
      let own: [(String, InputFormat)] = [
        (DirectoryFileSet.departmentsName, .departments), (DirectoryFileSet.usersName, .users),
        (DirectoryFileSet.membershipsName, .memberships),
      ]
      let present = Set(names)
      let found = own.compactMap { name, format in
        [name, name + ".gz"].first { present.contains($0) }.map { ($0, format) }
      }
      guard found.contains(where: { $0.1 != .memberships }) else { return nil }
      try DirectoryFileSet.requireWhole(Set(found.map(\.1)), in: folder)
      for (name, format) in found {
        let path = folder.appending(name)
        append(try InputFile.readable(path.string, form.exact), format, FileVersion(path))
      }
      return found.count
    }
  }
}

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
