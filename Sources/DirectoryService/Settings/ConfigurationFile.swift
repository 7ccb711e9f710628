import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import SystemPackage

/// What `config.yaml` says: four keys at most, all of them optional.
package struct ConfigurationFile: Sendable, Equatable {
  /// A libpq connection string.
  package var database: String?
  /// A BCP 47 tag, or `C`.
  package var locale: String?
  /// An ISO 3166 code, for phone numbers.
  package var country: String?
  /// Queries over somebody's own tables.
  package var source: DirectoryQueries?

  package init() {}

  /// Reads a file; one that is missing is empty.
  ///
  /// - Throws: With file, line and reason where it is not YAML or has a key that does not exist.
  package init(path: FilePath) throws(DirectoryError) {
    self.init()
    let file: MappedFile
    do throws(Errno) {
      file = try MappedFile(path: path)
    } catch .noSuchFileOrDirectory {
      return
    } catch {
      throw DirectoryError(.cannotRead, "cannot read the configuration \(path): \(error)")
    }
    let root = try file.withBytes { bytes throws(DirectoryError) in
      try YAMLDocument.parse(bytes, file: path.string)
    }
    for (key, value) in try root.entries(of: "the configuration", file: path.string) {
      try set(key, value, file: path.string)
    }
  }

  private mutating func set(
    _ key: YAMLValue,
    _ value: YAMLValue,
    file: String
  ) throws(DirectoryError) {
    switch key.text {
    case "database": database = try value.text(of: "database", file: file)
    case "locale": locale = try value.text(of: "locale", file: file)
    case "country": country = try value.text(of: "country", file: file)
    case "source": source = try DirectoryQueries(value, file: file)
    default:
      throw YAMLValue.error(
        file,
        key.line,
        "there is no key \(key.text ?? "of that kind")",
        "the keys are database, locale, country and source"
      )
    }
  }
}

extension DirectoryQueries {
  /// Reads the three queries of the key `source`.
  init(_ value: YAMLValue, file: String) throws(DirectoryError) {
    var queries: [String: String] = [:]
    for (key, query) in try value.entries(of: "source", file: file) {
      guard let name = key.text, ["departments", "users", "memberships"].contains(name) else {
        throw YAMLValue.error(
          file,
          key.line,
          "source has no key \(key.text ?? "of that kind")",
          "the keys are departments, users and memberships"
        )
      }
      queries[name] = try query.text(of: "source.\(name)", file: file)
    }
    guard let departments = queries["departments"], let users = queries["users"],
      let memberships = queries["memberships"]
    else {
      throw YAMLValue.error(
        file,
        value.line,
        "source is not complete",
        "it needs three queries: departments, users and memberships"
      )
    }
    self.init(departments: departments, users: users, memberships: memberships)
  }
}
