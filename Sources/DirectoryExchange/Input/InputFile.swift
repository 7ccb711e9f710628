import DirectoryModel
import Platform
import SystemPackage

/// A regular file that is open for reading, until the last reference to it goes.
package final class InputFile: Sendable {
  /// The path as the person gave it.
  package let name: String
  package let descriptor: FileDescriptor
  /// Bytes when it was opened.
  package let size: Int64
  /// What became of it on the way from the file that the user named.
  package let traits: InputTraits
  /// How it was when it was opened; `nil` for a copy of ours, which no other process can write.
  private let version: FileVersion?

  /// Opens a file; a folder, a pipe or a device is refused without waiting for it.
  ///
  /// - Throws: `.noInput` when there is no such regular file, `.cannotRead` when it cannot be
  ///   opened.
  package convenience init(_ path: FilePath) throws(DirectoryError) {
    let opened: (FileDescriptor, Stat)
    do {
      opened = try Self.open(path)
    } catch {
      throw Self.failure(path, error)
    }
    try self.init(path, descriptor: opened.0, status: opened.1)
  }

  private init(
    _ path: FilePath,
    descriptor: FileDescriptor,
    status: Stat
  ) throws(DirectoryError) {
    name = path.string
    traits = InputTraits()
    self.descriptor = descriptor
    size = status.size
    version = FileVersion(status)
    guard status.type == .regular else { throw Self.notAFile(path, status.type) }
  }

  /// Takes over an open file that can be read from any place.
  init(
    name: String,
    takingOver descriptor: FileDescriptor,
    size: Int64,
    traits: InputTraits = InputTraits(),
    version: FileVersion? = nil
  ) {
    self.name = name
    self.traits = traits
    self.descriptor = descriptor
    self.size = size
    self.version = version
  }

  /// The same open file as a table whose fields are parted by something else.
  func separated(by separator: FieldSeparator) throws(DirectoryError) -> InputFile {
    var traits = traits.noting("separated by \(separator.name)")
    traits.separator = separator.byte
    do throws(Errno) {
      let copy = try system { try descriptor.duplicate() }
      _ = fcntl(copy.rawValue, F_SETFD, FD_CLOEXEC)
      return InputFile(name: name, takingOver: copy, size: size, traits: traits, version: version)
    } catch {
      throw DirectoryError(.cannotRead, "cannot read \(QuotedValue.path(name)): \(error)")
    }
  }

  deinit { try? descriptor.close() }

  /// Goes back to the first byte.
  package func rewind() throws(DirectoryError) {
    do {
      try descriptor.seek(offset: 0, from: .start)
    } catch {
      throw DirectoryError(.cannotRead, "cannot read \(QuotedValue.path(name)): \(error)")
    }
  }

  /// Throws if it was written since it was opened: what was read may be of two states, or cut off.
  ///
  /// A file that was replaced by another is still the one that was opened.
  package func requireUnchanged() throws(DirectoryError) {
    guard let version, let now = try? descriptor.stat(), FileVersion(now) != version else { return }
    throw Self.changed(name)
  }

  static func changed(_ name: String) -> DirectoryError {
    DirectoryError(
      .cannotRead,
      "cannot read \(QuotedValue.path(name)): it was changed while it was being read",
      advice: "nothing was imported; try again when nothing writes to it"
    )
  }

  private static func open(_ path: FilePath) throws(Errno) -> (FileDescriptor, Stat) {
    try system {
      // Without it, opening a pipe without a writer would wait for ever.
      let descriptor = try FileDescriptor.open(
        path,
        .readOnly,
        options: [.nonBlocking, .closeOnExec]
      )
      do {
        return (descriptor, try descriptor.stat())
      } catch {
        try? descriptor.close()
        throw error
      }
    }
  }

  private static func failure(_ path: FilePath, _ reason: Errno) -> DirectoryError {
    let name = QuotedValue.path(path.string)
    switch reason {
    case .noSuchFileOrDirectory:
      return DirectoryError(.noInput, "cannot read \(name): no such file")
    case .noSuchAddressOrDevice:
      return DirectoryError(.noInput, "cannot read \(name): not a regular file")
    default: return DirectoryError(.cannotRead, "cannot read \(name): \(reason)")
    }
  }

  private static func notAFile(_ path: FilePath, _ type: FileType) -> DirectoryError {
    let kind = type == .directory ? "a folder" : type == .fifo ? "a pipe" : "a device"
    return DirectoryError(
      .noInput,
      "cannot read \(QuotedValue.path(path.string)): it is \(kind), not a regular file",
      advice: type == .fifo ? "use a pipe as standard input: import - < pipe" : nil
    )
  }
}

/// How a file that can be read as text came to be one.
package struct InputTraits: Sendable, Equatable {
  /// What it was taken for: its sheet, its encoding, its separator.
  package var notes: [String] = []
  /// Whether it has rows of a sheet, as `SheetRow` has them, and no text.
  package var isSheet = false
  /// What parts its fields.
  var separator = CSVByte.comma
  /// What it was in, where the user was asked.
  package var chosenEncoding: String?

  /// With a further note.
  func noting(_ note: String) -> InputTraits {
    var traits = self
    traits.notes.append(note)
    return traits
  }
}

/// Runs system calls, whose errors are all `Errno` though their signatures do not say so.
func system<Result>(_ calls: () throws -> Result) throws(Errno) -> Result {
  do {
    return try calls()
  } catch {
    throw error as? Errno ?? .ioError
  }
}

extension CSVReader {
  /// Makes ready to read a table from its first byte.
  init(_ file: InputFile, bufferSize: Int = defaultBufferSize) throws(DirectoryError) {
    try file.rewind()
    self.init(
      reading: file.descriptor,
      bufferSize: bufferSize,
      isSheet: file.traits.isSheet,
      separator: file.traits.separator
    )
  }
}

/// How files are written, as far as that is given; the rest is detected and reported.
package struct InputOptions: Sendable {
  /// What they are written in.
  package var encoding: String?
  /// What parts the fields of those that are CSV.
  package var separator: FieldSeparator?
  /// The sheet of workbooks.
  package var sheet: String?
  /// Whether tables are personnel lists, whatever their columns are.
  package var isPersonnel = false
  /// Whether it is UTF-8 with commas unless told otherwise, and no workbook: the three files of
  /// a folder, of which one that is not so is a mistake.
  var isExact = false
  /// Asked where a file may be in one of several encodings; without it, such a file is refused.
  package var chooseEncoding: (@Sendable (EncodingQuestion) throws(DirectoryError) -> String)?

  package init(encoding: String? = nil, separator: FieldSeparator? = nil) {
    self.encoding = encoding
    self.separator = separator
  }

  var exact: InputOptions {
    var form = self
    form.isExact = true
    return form
  }

  /// Whether nothing is left to be detected.
  var isKnown: Bool { encoding != nil || separator != nil || isPersonnel }
}
