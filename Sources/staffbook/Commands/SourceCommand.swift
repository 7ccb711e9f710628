import ArgumentParser
import DirectoryModel
import DirectoryWriting

struct SourceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source",
    abstract: "List, rename and end the lists that are imported again and again.",
    discussion: """
      A mapping names its list with the key source. Under this name the database remembers whom the \
      list brought, under which ids, and what the list said last.
      """,
    subcommands: [List.self, Rename.self, Remove.self]
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the lists that were imported.",
      discussion: """
        Tab-separated: the name, how many people belong to the list, how many it only completes, when \
        it was imported last, and the values that its mapping names.

        EXAMPLES
          staffbook source list
          staffbook source list --json
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Print JSON Lines: one object per list.")
    var json = false

    func run() async throws {
      let sources = try await ListSources(source.administrator()).sources()
      if json {
        return try LineFormat.json.write(sources.lazy.map(Self.json))
      }
      for source in sources {
        Messages.data(
          "\(source.name)\t\(source.owned)\t\(source.shared)\t\(source.importedAt)\t"
            + source.values.joined(separator: " ")
        )
      }
    }

    private static func json(_ source: StoredListSource) -> String {
      let object: JSONObject = [
        "name": source.name, "people": source.owned, "completed": source.shared,
        "imported": source.importedAt, "values": source.values,
      ]
      return object.line
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Continue a list under another name.",
      discussion: """
        Change the key source in its mapping, or the name of its job, as well.

        EXAMPLES
          staffbook source rename personnel hr
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: "The list's name.")
    var name: String

    @Argument(help: "The new name.")
    var newName: String

    func run() async throws {
      try await ListSources(source.administrator()).renameSource(name, to: newName)
      Messages.notice("renamed the list \(name) to \(newName)")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "End a list, and keep the people and departments that it brought.",
      discussion: """
        They belong to no list then, and the next import that contains them adopts them. What was \
        decided about people who were doubtful is forgotten.

        EXAMPLES
          staffbook source remove personnel
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: "The list's name.")
    var name: String

    func run() async throws {
      try await ListSources(source.administrator()).removeSource(name)
      Messages.notice("removed the list \(name); the records that it brought remain")
    }
  }
}
