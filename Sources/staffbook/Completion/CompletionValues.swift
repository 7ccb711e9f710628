import DirectoryModel
import DirectoryReading

/// What the values of options and arguments may be, by the names that the help gives them.
struct CompletionValues {
  /// The most to offer: more than fit on a screen help no one.
  private static let limit = 100
  /// How long the user waits for nothing: a search without an index looks at everybody.
  private static let patience = Duration.seconds(1)

  /// `nil` where there is no snapshot.
  private let directory: Directory?
  /// The finished words behind the program's name.
  private let words: [String]

  init(_ directory: Directory?, after words: [String]) {
    self.directory = directory
    self.words = words
  }

  /// - Parameters:
  ///   - argument: Whose value is wanted.
  ///   - typed: What is there of it.
  /// - Returns: What the value may be.
  func answer(for argument: CommandArguments.Argument, _ typed: String) -> CompletionAnswer {
    if let values = argument.allValues, !values.isEmpty { return Self.words(values, typed) }
    switch argument.valueName {
    case "department", "departments", "in": return names(typed, .departments)
    case "who", "double": return names(typed, .everything)
    case "viewer", "holder": return names(typed, .people)
    case "query": return query(typed)
    case "field=value": return assignment(typed)
    case "names": return columns(typed)
    case "file", "paths": return .files
    case "folder": return .folders
    case "name" where words.starts(with: ["pick"]): return Self.words(fieldNames(of: .user), typed)
    case "name" where words.starts(with: ["field", "remove"]):
      return Self.words(declared.map(\.name), typed)
    case "name" where words.starts(with: ["field", "add"]):
      return Self.words(KnownField.usual.map(\.name), typed)
    default: return .nothing
    }
  }

  private static func words(_ texts: [String], _ typed: String) -> CompletionAnswer {
    .words(texts.filter { $0.hasPrefix(typed) }.map { CompletionAnswer.Word(text: $0) })
  }

  // MARK: - Names

  private func names(
    _ typed: String,
    _ records: Directory.CompletionTarget
  ) -> CompletionAnswer {
    .words(completions(typed, records).map { .init(text: $0.text, note: $0.note) })
  }

  private func completions(
    _ typed: String,
    _ records: Directory.CompletionTarget
  ) -> [NameCompletion] {
    directory?.completions(
      of: typed,
      records,
      limit: Self.limit,
      deadline: .now + Self.patience
    ) ?? []
  }

  /// Departments behind `in:`, and the fields that a word may be sought in.
  private func query(_ typed: String) -> CompletionAnswer {
    if typed.hasPrefix("in:") {
      return .words(
        completions(String(typed.dropFirst(3)), .departments).map {
          // A query has its own quotes.
          let isWord = $0.text.allSatisfy { $0.isLetter || $0.isNumber || "-_./".contains($0) }
          return .init(text: "in:" + (isWord ? $0.text : "\"\($0.text)\""), note: $0.note)
        }
      )
    }
    guard !typed.isEmpty, directory != nil else { return .nothing }
    let fields = ["in", "dept", "id"] + fieldNames(of: .user)
    return .words(
      fields.filter { $0.hasPrefix(typed) }.map { .init(text: $0 + ":", isBeginning: true) }
    )
  }

  // MARK: - Fields

  private var declared: [Field] { directory?.declaredFields ?? [] }

  private func fieldNames(of owner: RecordKind) -> [String] {
    let own =
      owner == .user ? ["name", "title"] + Field.contacts.map(\.name) : ["name", "description"]
    return own + declared.filter { $0.owner == owner }.map(\.name)
  }

  /// `FIELD=`, and behind it a person where the field names one.
  private func assignment(_ typed: String) -> CompletionAnswer {
    guard let sign = typed.firstIndex(of: "=") else {
      if let sign = typed.firstIndex(of: "@") {
        let field = typed[...sign]
        return .words(
          completions(String(typed[typed.index(after: sign)...]), .departments).map {
            .init(text: "\(field)\($0.text)=", note: $0.note, isBeginning: true)
          }
        )
      }
      let fields =
        ["id", "order", "lead", "parent"] + fieldNames(of: .user) + fieldNames(of: .department)
      var seen: Set<String> = []
      return .words(
        fields.filter { $0.hasPrefix(typed) && seen.insert($0).inserted }
          .map { .init(text: $0 + "=", isBeginning: true) }
      )
    }
    let field = String(typed[..<sign].filter { !"+-".contains($0) })
    let value = String(typed[typed.index(after: sign)...])
    switch field {
    case let name where declared.contains { $0.name == name && $0.kind == .person }:
      // Fields hold the ids of people.
      return .words(
        completions("id:" + value, .people).map {
          .init(text: "\(typed[...sign])\($0.text.dropFirst(3))", note: $0.note)
        }
      )
    case let name where name == "lead" || name.hasPrefix("lead@"):
      return Self.words(["yes", "no"].map { "\(typed[...sign])\($0)" }, typed)
    default: return .nothing
    }
  }

  /// The last of several columns.
  private func columns(_ typed: String) -> CompletionAnswer {
    let before = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
    let chosen = before.split(separator: ",").map(String.init)
    let columns = Directory.plainColumns + declared.map(\.name)
    let last = typed.dropFirst(before.count)
    return .words(
      columns.filter { $0.hasPrefix(last) && !chosen.contains($0) }
        .map { .init(text: before + $0, isBeginning: true) }
    )
  }
}
