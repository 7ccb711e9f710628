import ArgumentParser
import DirectoryModel
import DirectoryReading
import DirectoryWriting
import LiveDirectory

struct VisibilityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "visibility",
    abstract: "List and change the rules of who may see whom.",
    discussion: """
      Rules are one ordered list; the first that fits a viewer and a target decides. A rule is a \
      sentence: show or hide, fields if it is about fields, targets, to or from viewers. With \
      unlist, PEOPLE for VIEWERS, people are found only by their whole address or number.

        targets  everything, department ID, person ID, own departments, led departments, \
      colleagues, people with FIELD=VALUE
        viewers  everybody, department ID, person ID, group NAME, leads, \
      people with FIELD=VALUE, device NAME

      The last rule is the base: it shows everything, own departments or nothing to everybody. \
      Rules are changed by members of the database role staffbook_admin.
      """,
    subcommands: [
      List.self, Add.self, Move.self, Remove.self, Confirm.self, Edit.self, Explain.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the rules in order.",
      discussion: """
        Each rule with its place in the list and the names of the records that it refers to by id. \
        If such an id has been given to another record since, the comment says so; see staffbook \
        visibility confirm --help.

        EXAMPLES
          staffbook visibility
          staffbook visibility list --json
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Print JSON Lines: one object per group and rule.")
    var json = false

    func run() async throws {
      let administrator = try source.administrator()
      let rules = try await VisibilityAdministration(administrator).rules()
      let directory = DirectoryOpener(administrator.session).directoryAtHand()
      if json { return try LineFormat.json.write(rules.jsonLines) }
      let groups = rules.groups.map { name, people in
        let note = directory?.namesakes(inGroup: name, of: rules) ?? ""
        return VisibilityRules.line(of: name, people) + (note.isEmpty ? "" : "  # \(note)")
      }.sorted()
      try LineFormat.text.write(
        groups
          + rules.rules.enumerated().map { index, rule in
            let names = directory?.names(in: rule) ?? ""
            return "\(index + 1)  \(rule)" + (names.isEmpty ? "" : "  # \(names)")
          }
      )
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a rule.",
      discussion: """
        The rule comes first, unless --at gives another place in the list.

        EXAMPLES
          staffbook visibility add 'hide mobile of department board from everybody'
          staffbook visibility add --at 3 'show department sales to group "works council"'
          staffbook visibility add --dry-run 'hide department board from department lab'
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Change") var options: VisibilityOptions

    @Option(
      help: ArgumentHelp("The place of the rule in the list. (default: 1)", valueName: "place")
    )
    var at = 1

    @Argument(help: "The rule.")
    var rule: [String]

    func run() async throws {
      let sentence = rule.joined(separator: " ")
      let added: VisibilityRule
      do throws(VisibilityRuleError) {
        added = try VisibilityRule(sentence: sentence)
      } catch {
        throw ValidationError("\"\(sentence)\" is not a valid rule: \(error.explanation)")
      }
      try await VisibilityRun(source, options).run { rules in
        try VisibilityRun.requirePlace(at, upTo: rules.rules.count + 1)
        rules.rules.insert(added, at: at - 1)
      }
    }
  }

  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move",
      abstract: "Move a rule to another place in the list.",
      discussion: """
        EXAMPLES
          staffbook visibility move 4 1
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Change") var options: VisibilityOptions

    @Argument(help: "The place of the rule.")
    var from: Int

    @Argument(help: "Its new place.")
    var to: Int

    func run() async throws {
      try await VisibilityRun(source, options).move(from: from, to: to)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove rules.",
      discussion: """
        EXAMPLES
          staffbook visibility remove 2
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Change") var options: VisibilityOptions

    @Argument(help: "The places of the rules in the list.")
    var places: [Int]

    func run() async throws {
      try await VisibilityRun(source, options).run { rules in
        for place in places { try VisibilityRun.requirePlace(place, upTo: rules.rules.count) }
        for place in Set(places).sorted().reversed() { rules.rules.remove(at: place - 1) }
      }
    }
  }

  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "confirm",
      abstract: "Apply rules and groups to the records that have the ids now.",
      discussion: """
        A rule means the person or department that had the id when the rule was made. If another \
        one has been given that id, a rule that shows does not apply to it, a rule that hides \
        does, and a person is not in the groups of the one before. confirm makes the rules, or \
        the groups, mean those who have the ids now.

        EXAMPLES
          staffbook visibility confirm 2 --dry-run
          staffbook visibility confirm --group "works council"
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Change") var options: VisibilityOptions

    @Option(help: ArgumentHelp("Confirm the people of a group.", valueName: "name"))
    var group: [String] = []

    @Argument(help: "The places of the rules in the list.")
    var places: [Int] = []

    func validate() throws {
      guard places.isEmpty, group.isEmpty else { return }
      throw ValidationError("give the places of rules, or a group with --group")
    }

    func run() async throws {
      try await VisibilityRun(source, options).confirm(places, groups: group)
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit",
      abstract: "Edit the list in your editor.",
      discussion: """
        Each line is a rule; before the rules, there is a line for each group: group NAME = ID, \
        ID. The editor is $VISUAL or $EDITOR. Mistakes are marked in the text, which is opened \
        again.

        EXAMPLES
          staffbook visibility edit
          staffbook visibility edit --from rules.txt --dry-run
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Change") var options: VisibilityOptions

    @Option(
      help: ArgumentHelp(
        "Read the list from a file, or from standard input (-), and open no editor.",
        valueName: "file"
      )
    )
    var from: String?

    func run() async throws {
      let run = try VisibilityRun(source, options)
      if let from {
        try await run.replace(with: from)
      } else {
        try await run.edit()
      }
    }
  }

  struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Explain which rules decide what a viewer sees of a record.",
      discussion: """
        Names the rule that decides about each place and each field, and the membership by which \
        it fits. VIEWER is a person, or device:NAME.

        EXAMPLES
          staffbook visibility explain "Ada Walsh" "Marit Fernlicht"
          staffbook visibility explain device:lobby Towers
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: ArgumentHelp("The viewer: a person or device:NAME.", valueName: "viewer"))
    var viewer: String

    @Argument(help: ArgumentHelp("The person or department.", valueName: "who"))
    var target: String

    func run() async throws {
      let rules = try VisibilityAdministration(source.administrator())
      try LineFormat.text.write(try await rules.explain(viewer, target))
    }
  }
}

extension VisibilityRules {
  fileprivate var jsonLines: [String] {
    var objects: [JSONObject] = groups.sorted { $0.key < $1.key }.map {
      ["group": $0.key, "people": $0.value.sorted().map(\.rawValue)]
    }
    objects += rules.enumerated().map { ["place": $0 + 1, "rule": $1.description] }
    return objects.map(\.line)
  }
}
