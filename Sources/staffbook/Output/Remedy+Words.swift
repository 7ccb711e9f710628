import DirectoryModel

extension Remedy {
  /// The command or the option, as the user types it.
  var words: String {
    switch self {
    case .migrate: "staffbook db migrate"
    case .repair: "staffbook db migrate --repair"
    case .run(let arguments): (["staffbook"] + arguments.map(Self.quoted)).joined(separator: " ")
    case .sync: "staffbook sync"
    case .fullSync: "staffbook sync --full"
    case .syncAcceptingDeletions: "staffbook sync --accept-deletions"
    case .acceptDeletions: "--accept-deletions"
    case .acceptChanges(let names):
      names.map { "--accept-changes \(Self.quoted($0))" }.joined(separator: " ")
    case .decide: "--decide FILE"
    case .restoreTokens: "--with-tokens"
    case .discardTokens: "--without-tokens"
    case .examine: "staffbook doctor"
    case .listUnplaced: "staffbook tree Unplaced"
    case .searchLiterally(let text): "put it in double quotes within single quotes: '\"\(text)\"'"
    case .listDepartments: "staffbook tree --departments"
    case .listFields: "staffbook field list"
    case .nameLists: "staffbook source --help"
    case .label: "--label"
    case .replaceFiles: "--force"
    case .encoding: "--encoding"
    case .separator: "--separator"
    case .suggest(let file):
      "staffbook import --suggest \(Self.quoted(file)) > mapping.yaml"
    case .sheet: "--sheet"
    case .home: "--into"
    case .confirmRules(let places):
      "staffbook visibility confirm " + places.map(String.init).joined(separator: " ")
    case .confirmGroups(let names):
      "staffbook visibility confirm"
        + names.map { " --group \(Self.quoted($0))" }.joined()
    case .mergedRules: "--rules follow or --rules drop"
    case .depth: "--depth"
    case .findLeavers: "staffbook search --left NAME"
    case .includeBelow: "--recursive"
    case .movePeople: "--people-to DEPARTMENT"
    case .database: "--database"
    case .stopServer: "staffbook db stop"
    case .showLog: "staffbook log"
    case .catchUpHistory: "staffbook history catch-up"
    }
  }
}

extension Remedy {
  /// An argument as a shell takes it.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.utf8.allSatisfy {
      (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0)
        || "@%+=:,./_-".utf8.contains($0)
    }
    guard !isPlain || argument.isEmpty else { return argument }
    return "'" + argument.replacing("'", with: "'\\''") + "'"
  }
}

extension Advice {
  /// The sentence with our commands and options.
  var words: String { text(\.words) }
}

extension InputProblem {
  /// The line with our commands and options.
  var words: String { text(\.words) }
}
