import Administration
import ArgumentParser
import ChangeHistory
import DirectoryModel
import Platform

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Create, list and remove tokens, with which programs sign in to a server.",
    discussion: """
      A token is a long password for one program, which sees what the holder of the token, a person \
      or a device, sees under the visibility rules. Only its hash is stored. A token ends when it \
      expires, when it is removed, and for good when its holder is removed. Tokens are for members \
      of the database role staffbook_admin.
      """,
    subcommands: [Add.self, List.self, Remove.self]
  )

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Create a token for a person or a device.",
      discussion: """
        Prints the token, which is not shown again.

        EXAMPLES
          staffbook token add "Ada Walsh" --for "build server" --expires 1y
          staffbook token add device:lobby --for "screen in the lobby" --expires never
          staffbook token add ada.walsh --for laptop --expires 90d --may copy
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("What the token is for.", valueName: "text")
    )
    var purpose: String

    @Option(
      help: ArgumentHelp(
        "How long it is valid, such as 90d or 1y, or never if it does not expire.",
        valueName: "period"
      )
    )
    var expires: String

    @Option(help: "What it permits: read, copy (also take copies) or edit (also edit).")
    var may = TokenScope.read

    @Argument(help: ArgumentHelp("The holder: a person or device:NAME.", valueName: "holder"))
    var who: String

    func run() async throws {
      let (text, token) = try await TokenAdministration(source.administrator())
        .addToken(for: who, purpose: purpose, scope: may, expires: expires)
      Messages.data(text)
      let end = token.expires.map { "expires at \(Self.time($0))" } ?? "does not expire"
      Messages.notice(
        "this is token \(token.id) of \(token.name ?? token.holderText), which \(end); it is not shown again"
      )
    }

    private static func time(_ moment: Int64) -> String {
      LocalTime.text(moment, in: .ofProcess)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the tokens.",
      discussion: """
        Tab-separated: the token's number, its holder, the holder's name, what the token \
        permits, what it is for, when it expires, and the hour in which it was last used.

        EXAMPLES
          staffbook token list
          staffbook token list --json
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Print JSON Lines: one object per token.")
    var json = false

    func run() async throws {
      let tokens = try await TokenAdministration(source.administrator()).tokens()
      if json { return try LineFormat.json.write(tokens.lazy.map(\.json)) }
      for token in tokens {
        func time(_ moment: Int64?) -> String {
          moment.map { LocalTime.text($0, in: .ofProcess) } ?? "never"
        }
        Messages.data(
          "\(token.id)\t\(token.holderText)\t\(token.name ?? "")\t\(token.scope)\t\(token.purpose)"
            + "\t\(time(token.expires))\t\(time(token.lastUsed))"
        )
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove tokens, which are then refused.",
      discussion: """
        Servers refuse a removed token within five seconds.

        EXAMPLES
          staffbook token remove 3
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: ArgumentHelp("The numbers of the tokens.", valueName: "id"))
    var ids: [Int64]

    func run() async throws {
      try await TokenAdministration(source.administrator()).removeTokens(ids)
      let list = ids.map(String.init).joined(separator: ", ")
      Messages.notice("removed \(ids.count == 1 ? "token" : "tokens") \(list)")
    }
  }
}

extension TokenScope: ExpressibleByArgument {}

extension Token {
  /// As it is typed.
  fileprivate var holderText: String {
    switch holder {
    case .everything: ""
    case .person(let id): id.rawValue
    case .device(let name): "device:\(name)"
    }
  }

  fileprivate var json: String {
    struct Line: Encodable {
      var id: Int64
      var holder: String
      var name: String?
      var may: String
      var `for`: String
      var created: String
      var by: String
      var expires: String?
      var used: String?
    }
    return JSONLine.encode(
      Line(
        id: id,
        holder: holderText,
        name: name,
        may: scope.rawValue,
        for: purpose,
        created: UTCTime.text(created * 1_000_000),
        by: createdBy,
        expires: expires.map { UTCTime.text($0 * 1_000_000) },
        used: lastUsed.map { UTCTime.text($0 * 1_000_000) }
      )
    )
  }
}
