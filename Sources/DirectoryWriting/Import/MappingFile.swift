import DirectoryExchange
import DirectoryModel
import Platform
import SiteSettings
import SystemPackage
import YAML

/// A file that says what the columns of a personnel list are: YAML, a key a line.
enum MappingFile {
  /// The entries of a file.
  ///
  /// - Throws: `.noInput`, `.cannotRead`, and `.usage` with the line where it is not such a file.
  static func entries(_ path: String) throws(DirectoryError) -> [PersonnelMapping.Entry] {
    let file: MappedFile
    do throws(Errno) {
      file = try MappedFile(path: FilePath(path))
    } catch {
      throw DirectoryError(
        error == .noSuchFileOrDirectory ? .noInput : .cannotRead,
        "cannot read the mapping \(path): \(error)"
      )
    }
    let root = try file.withBytes { bytes throws(DirectoryError) in
      try YAMLReader.read(bytes, file: path)
    }
    var entries: [PersonnelMapping.Entry] = []
    for (key, value) in try root.entries(of: "the mapping", file: path) {
      guard let name = key.text else {
        throw YAMLValue.error(path, key.line, "a key is not text")
      }
      guard let text = value.text else {
        throw YAMLValue.error(
          path,
          value.line,
          "\(name) is not text",
          "put a value that begins with a brace in quotes, as in \(name): \"{Heading}\""
        )
      }
      entries.append(
        PersonnelMapping.Entry(
          key: name,
          value: text,
          place: "\(path), line \(key.line)"
        )
      )
    }
    return entries
  }

  /// An entry as an option has it: `name={First Name} {Last Name}`.
  static func entry(_ text: String) throws(DirectoryError) -> PersonnelMapping.Entry {
    guard let equals = text.firstIndex(of: "=") else {
      throw DirectoryError(
        .usage,
        "the mapping \(text) has no equals sign",
        advice: "write a key, an equals sign and a template, such as name={First Name} {Last Name}"
      )
    }
    return PersonnelMapping.Entry(
      key: String(text[..<equals]),
      value: String(text[text.index(after: equals)...]),
      place: "the mapping of the command line"
    )
  }
}
