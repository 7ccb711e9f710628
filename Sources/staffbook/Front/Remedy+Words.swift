import DirectoryModel

extension Remedy {
  /// The command or the option, as somebody types it.
  var words: String {
    switch self {
    case .migrate: "staffbook db migrate"
    case .sync: "staffbook sync"
    case .fullSync: "staffbook sync --full"
    case .syncAcceptingDeletions: "staffbook sync --accept-deletions"
    case .acceptDeletions: "--accept-deletions"
    case .examine: "staffbook doctor"
    case .listUnplaced: "staffbook tree Unplaced"
    case .listDepartments: "staffbook tree --departments"
    case .listFields: "staffbook field list"
    case .label: "--label"
    case .replaceFiles: "--force"
    case .encoding: "--encoding"
    case .separator: "--separator"
    case .home: "--into"
    case .depth: "--depth"
    case .database: "--database"
    case .stopServer: "staffbook db stop"
    case .showLog: "staffbook log"
    case .catchUpHistory: "staffbook history catch-up"
    }
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
