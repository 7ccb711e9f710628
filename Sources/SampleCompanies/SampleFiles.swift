import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage
import TextRules

/// One of a sample's files, written in large pieces and put in its place at the end, or read from where
/// it has no name.
struct SampleFile: ~Copyable {
  private static let pieceSize = 256 << 10

  private let path: FilePath
  /// One of the two.
  private var file: AtomicFile?
  private var spool: SpoolFile?
  private var csv = CSVWriter()
  /// What is not written yet.
  var bytes: [UInt8] = []

  /// Makes the file beside its place; 0666 before the umask.
  init(_ name: String, in folder: FilePath, replacing: Bool) throws(DirectoryError) {
    path = folder.appending(name)
    do {
      file = try AtomicFile(
        target: path,
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite],
        existing: replacing ? .replaced : .kept
      )
    } catch {
      throw Self.failure(path, error)
    }
    bytes.reserveCapacity(Self.pieceSize + 4_096)
  }

  /// Makes a file without a name.
  init(spooledAs name: String) throws(DirectoryError) {
    path = FilePath(name)
    file = nil
    spool = try SpoolFile(for: name)
    bytes.reserveCapacity(Self.pieceSize + 4_096)
  }

  /// Adds a record of these fields.
  mutating func append(_ fields: [String]) throws(DirectoryError) {
    for field in fields { csv.append(field, to: &bytes) }
    csv.endRecord(to: &bytes)
    try flush(above: Self.pieceSize)
  }

  /// Writes what has gathered, once it is a large piece.
  mutating func flush() throws(DirectoryError) { try flush(above: Self.pieceSize) }

  /// Writes the rest and puts the file in its place.
  consuming func finish() throws(DirectoryError) {
    try flush(above: 0)
    guard let file = file.take() else { return }
    do {
      try file.commit()
    } catch {
      throw Self.failure(path, error)
    }
  }

  /// Writes the rest and gives the file without a name to read.
  consuming func finishSpooled() throws(DirectoryError) -> InputFile? {
    try flush(above: 0)
    guard let spool = spool.take() else { return nil }
    return try spool.finish()
  }

  private mutating func flush(above size: Int) throws(DirectoryError) {
    guard bytes.count > size else { return }
    try spool?.append(bytes)
    do {
      try file?.descriptor.writeAll(bytes)
    } catch {
      throw Self.failure(path, error as? Errno ?? .ioError)
    }
    bytes.removeAll(keepingCapacity: true)
  }

  private static func failure(_ path: FilePath, _ reason: Errno) -> DirectoryError {
    let name = VisibleText.visible(path.string)
    guard reason == .fileExists else {
      return DirectoryError(
        .cannotWrite,
        "cannot write \(name): \(reason)",
        advice: reason.adviceForWriting(or: "name another folder")
      )
    }
    return DirectoryError(
      .cannotWrite,
      "cannot write \(name): the file exists",
      advice: "name another folder, or replace the files with \(.replaceFiles)"
    )
  }
}

/// The three files of a sample.
struct SampleFiles: ~Copyable {
  var departments: SampleFile
  var users: SampleFile
  var memberships: SampleFile

  /// Makes the folder, where it is missing, and the files with their headers.
  ///
  /// - Parameters:
  ///   - folder: Made where it is missing.
  ///   - replacing: Whether files of these names may be replaced.
  ///   - hasFields: Whether they have columns for `SampleFields`.
  /// - Throws: `.cannotWrite`.
  init(
    in folder: FilePath,
    replacing: Bool,
    withFields hasFields: Bool
  ) throws(DirectoryError) {
    try Self.makeFolder(folder)
    // Locals first: a noncopyable value cannot be left half made when the next line throws.
    var departments = try SampleFile(
      DirectoryFileSet.departmentsName,
      in: folder,
      replacing: replacing
    )
    var users = try SampleFile(DirectoryFileSet.usersName, in: folder, replacing: replacing)
    var memberships = try SampleFile(
      DirectoryFileSet.membershipsName,
      in: folder,
      replacing: replacing
    )
    try Self.appendHeaders(&departments, &users, &memberships, withFields: hasFields)
    self.departments = departments
    self.users = users
    self.memberships = memberships
  }

  /// Makes files without names, with their headers.
  ///
  /// - Parameters:
  ///   - name: What messages call them.
  ///   - hasFields: As of the other initialiser.
  /// - Throws: `.cannotWrite` where there is no room for them.
  init(spooledAs name: String, withFields hasFields: Bool) throws(DirectoryError) {
    var departments = try SampleFile(spooledAs: "\(name): departments")
    var users = try SampleFile(spooledAs: "\(name): people")
    var memberships = try SampleFile(spooledAs: "\(name): memberships")
    try Self.appendHeaders(&departments, &users, &memberships, withFields: hasFields)
    self.departments = departments
    self.users = users
    self.memberships = memberships
  }

  private static func appendHeaders(
    _ departments: inout SampleFile,
    _ users: inout SampleFile,
    _ memberships: inout SampleFile,
    withFields hasFields: Bool
  ) throws(DirectoryError) {
    try departments.append(
      ["id", "parent_id", "name", "description", "sort_order"]
        + (hasFields ? SampleFields.departmentNames : [])
    )
    try users.append(
      ["id", "department_id", "name", "title"] + Field.contacts.map(\.name) + ["sort_order"]
        + (hasFields ? ["leads"] + SampleFields.userNames : [])
    )
    try memberships.append(["user_id", "department_id", "title", "sort_order"])
  }

  /// Puts all three in their places, `users.csv` last: without it nothing can be imported.
  consuming func finish() throws(DirectoryError) {
    try memberships.finish()
    try departments.finish()
    try users.finish()
  }

  /// Gives the files without names to read.
  consuming func finishSpooled() throws(DirectoryError) -> InputSet {
    let files: [(InputFile?, InputFormat)] = [
      (try departments.finishSpooled(), .departments), (try users.finishSpooled(), .users),
      (try memberships.finishSpooled(), .memberships),
    ]
    return InputSet(
      members: files.compactMap { file, format in
        file.map { InputSet.Member(file: $0, format: format) }
      }
    )
  }

  private static func makeFolder(_ folder: FilePath) throws(DirectoryError) {
    guard folder.withPlatformString({ mkdir($0, 0o777) }) != 0, errno != EEXIST else { return }
    let reason = Errno(rawValue: errno)
    throw DirectoryError(
      .cannotWrite,
      "cannot create the folder \(VisibleText.visible(folder.string)): \(reason)"
    )
  }
}
