import DirectoryModel
import DirectoryStore
import Platform
import SystemPackage
import YAML

/// What `config.yaml` says, the administrator's and then the user's own; every key is optional.
package struct ConfigurationFile: Sendable, Equatable {
  /// A libpq connection string.
  package var database: String?
  /// A BCP 47 tag, or `C`.
  package var locale: String?
  /// An ISO 3166 code, for phone numbers.
  package var country: String?
  /// Who asks: an id, a name that one person has, or an email address.
  package var me: String?
  /// How old a snapshot may be before a terminal is warned.
  package var maxAge: String?
  /// How often a sync that watches looks by itself.
  package var poll: String?
  /// Whether the terminal is coloured: `auto` or `never`.
  package var color: String?
  /// Queries over a company's own tables.
  package var source: DirectoryQueries?
  /// Who may see whom, for `source`.
  private var visibility: VisibilityRules?
  /// What keys do in the browser, in the order of the file.
  package var keys: [KeySetting] = []
  /// Lists that are imported again and again.
  package var jobs: [ImportJob] = []
  /// How `staffbookd` serves.
  package var server = ServerSettings()
  /// What is wrong with it and does not stand in the way of reading.
  package private(set) var problems: [InputProblem] = []
  /// The files and the lines, from 1, of `visibility` and of the keys whose values are one text.
  private(set) var places: [String: Place] = [:]

  struct Place: Equatable {
    var file: String
    var line: Int
  }

  package init() {}

  private static let textKeys = ["locale", "country", "me", "max_age", "poll", "color"]

  /// Reads a file, which wins over what was read before; one that is missing is empty.
  ///
  /// A key that does not exist, and a value of `textKeys` that is not text, is left out and becomes one of
  /// `problems`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - variable: What names another folder for it.
  /// - Throws: With file, line and reason where it is not YAML, or where it cannot be told which
  ///   directory is meant.
  package mutating func read(
    _ path: FilePath,
    placedBy variable: String = "XDG_CONFIG_HOME"
  ) throws(DirectoryError) {
    let file: MappedFile
    do throws(Errno) {
      file = try MappedFile(path: path)
    } catch .noSuchFileOrDirectory {
      return
    } catch {
      throw DirectoryError(
        .cannotRead,
        "cannot read the configuration \(path): \(error)",
        advice: error.adviceForReading(or: "set \(variable) to another folder")
      )
    }
    let root = try file.withBytes { bytes throws(DirectoryError) in
      try YAMLReader.read(bytes, file: path.string)
    }
    for (key, value) in try root.entries(of: "the configuration", file: path.string) {
      try set(key, value, file: path.string)
    }
    guard let visibility else { return }
    guard source != nil else {
      throw YAMLValue.error(
        places["visibility"]?.file ?? path.string,
        places["visibility"]?.line ?? 1,
        "visibility is only for queries on your own tables; a Staffbook database stores its own rules",
        "remove the key visibility"
      )
    }
    source?.visibility = visibility
  }

  private mutating func set(
    _ key: YAMLValue,
    _ value: YAMLValue,
    file: String
  ) throws(DirectoryError) {
    switch key.text {
    case "database": database = try value.text(of: "database", file: file)
    case "source": source = try DirectoryQueries(value, file: file)
    case "visibility":
      places["visibility"] = Place(file: file, line: key.line)
      visibility = try VisibilityRules(value, file: file)
    case "jobs":
      for (key, value) in try value.entries(of: "jobs", file: file) {
        let job = try ImportJob(key.text ?? "", value, file: file)
        jobs.removeAll { $0.name == job.name }
        jobs.append(job)
      }
    case "server": server = try ServerSettings(value, file: file)
    case "keys":
      for (key, value) in try value.entries(of: "keys", file: file) {
        guard let action = key.text, let names = value.texts else {
          refuse("keys", at: key.line, of: file, "keys are text, or a list of texts")
          continue
        }
        keys.append(KeySetting(action: action, keys: names, file: file, line: key.line))
      }
    case let name? where Self.textKeys.contains(name):
      places[name] = Place(file: file, line: value.line)
      if value.text == nil { refuse(name, at: value.line, of: file, "the value is not text") }
      switch name {
      case "locale": locale = value.text
      case "country": country = value.text
      case "me": me = value.text
      case "poll": poll = value.text
      case "color": color = value.text
      default: maxAge = value.text
      }
    default:
      refuse(
        key.text ?? "a key",
        at: key.line,
        of: file,
        "there is no such key; the keys are database, "
          + "\(Self.textKeys.joined(separator: ", ")), source, visibility, jobs, server and keys"
      )
    }
  }

  private mutating func refuse(_ key: String, at line: Int, of file: String, _ reason: String) {
    problems.append(InputProblem(file: file, line: line, id: key, reason: reason))
  }
}

extension VisibilityRules {
  /// Reads the rules and groups of the key `visibility`; rules are numbered from 1.
  fileprivate init(_ value: YAMLValue, file: String) throws(DirectoryError) {
    self.init([])
    for (key, value) in try value.entries(of: "visibility", file: file) {
      switch key.text {
      case "rules":
        guard case .sequence(let sentences) = value.content else {
          throw YAMLValue.error(file, value.line, "visibility.rules is not a list of rules")
        }
        for sentence in sentences {
          let text = try sentence.text(of: "a rule", file: file)
          do throws(VisibilityRuleError) {
            rules.append(try VisibilityRule(sentence: text, id: Int64(rules.count + 1)))
          } catch {
            throw YAMLValue.error(file, sentence.line, "not a rule: \(error.explanation)")
          }
        }
      case "groups":
        for (name, people) in try value.entries(of: "visibility.groups", file: file) {
          guard let text = name.text, case .sequence = people.content, let ids = people.texts else {
            throw YAMLValue.error(file, name.line, "a group is a name with a list of ids")
          }
          groups[text] = Set(ids.map { UserID($0) })
        }
      default:
        throw YAMLValue.error(
          file,
          key.line,
          "visibility has no key \(key.text ?? "of that kind")",
          "the keys are rules and groups"
        )
      }
    }
    if let fault { throw YAMLValue.error(file, value.line, "visibility: \(fault)") }
  }
}

/// The keys of one action of the browser.
package struct KeySetting: Sendable, Equatable {
  /// The name of an action, which the browser knows.
  package let action: String
  /// Keys as people write them, such as `j` or `Ctrl-n`.
  package let keys: [String]
  package let file: String
  /// From 1.
  package let line: Int
}

extension DirectoryQueries {
  /// Reads the queries of the key `source`, and which of their columns are fields.
  init(_ value: YAMLValue, file: String) throws(DirectoryError) {
    var queries: [String: String] = [:]
    var fields: [String] = []
    for (key, query) in try value.entries(of: "source", file: file) {
      if key.text == "fields" {
        fields = try Self.fields(try query.text(of: "source.fields", file: file), query, file)
        continue
      }
      guard let name = key.text, ["departments", "users", "memberships"].contains(name) else {
        throw YAMLValue.error(
          file,
          key.line,
          "source has no key \(key.text ?? "of that kind")",
          "the keys are departments, users, memberships and fields"
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
        "source is incomplete",
        "it needs three queries: departments, users and memberships"
      )
    }
    self.init(departments: departments, users: users, memberships: memberships, fields: fields)
  }

  /// Names of columns, parted by commas.
  private static func fields(
    _ list: String,
    _ value: YAMLValue,
    _ file: String
  ) throws(DirectoryError) -> [String] {
    let names = list.split { $0 == "," || $0.isWhitespace }.map(String.init)
    for (index, name) in names.enumerated() {
      let isBuiltIn = RecordKind.allCases.contains { kind in
        // A column that is named here is a field, and not what records are known by.
        kind.columns.contains { $0.name == name && $0 != .identity }
      }
      guard Field.isWellFormed(name), !isBuiltIn, !names[..<index].contains(name) else {
        throw YAMLValue.error(
          file,
          value.line,
          "source.fields cannot contain \(name)",
          "name columns that are not built in, each once, in lower-case letters, digits and "
            + "underscores"
        )
      }
    }
    return names
  }
}
