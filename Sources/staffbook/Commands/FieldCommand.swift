import ArgumentParser
import DirectoryModel
import DirectoryWriting

struct FieldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "field",
    abstract: "Declare fields of people and departments beyond the built-in ones.",
    discussion: """
      A field has a name, a kind, a label, and one value or several. The database checks its \
      values for every writer. The kinds are \(FieldKind.names(joinedBy: "and")). A date is \
      YYYY-MM-DD, or --MM-DD without a year; a person is the id of a user.
      """,
    subcommands: [Add.self, List.self, Remove.self]
  )

  /// Whose field it is.
  struct OwnerOptions: ParsableArguments {
    enum Owner: String, ExpressibleByArgument, CaseIterable {
      case people, departments
    }

    @Option(help: ArgumentHelp("Whose field it is: people or departments.", valueName: "what"))
    var of = Owner.people

    var kind: RecordKind { of == .people ? .user : .department }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Declare one or more fields.",
      discussion: """
        For common names, such as mobile, office, manager or birthday, kind and label are known.

        EXAMPLES
          staffbook field add mobile office manager
          staffbook field add badge --label "Badge number"
          staffbook field add languages --several
          staffbook field add site --of departments
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup var owner: OwnerOptions

    @Option(
      help: ArgumentHelp(
        "What its values are: \(FieldKind.names(joinedBy: "or")).",
        valueName: "kind"
      )
    )
    var kind: FieldKind?

    @Option(help: ArgumentHelp("The label shown on cards.", valueName: "text"))
    var label: String?

    @Flag(help: "Allow several values.")
    var several = false

    @Flag(help: "Exclude its values from searches.")
    var notSearched = false

    enum Visibility: String, ExpressibleByArgument, CaseIterable {
      case everybody, nobody
    }

    @Option(
      help: ArgumentHelp(
        "Who sees its values if no visibility rule names it: everybody or nobody.",
        valueName: "who"
      )
    )
    var visible = Visibility.everybody

    @Flag(help: "If rules hide the field from a person, hide the person's own values as well.")
    var notForOneself = false

    @OptionGroup var history: ReasonOptions

    @Flag(help: "Leave the local snapshot as it is.")
    var noSync = false

    @Argument(
      help: ArgumentHelp("Lower-case ASCII letters, digits and underscores.", valueName: "name")
    )
    var names: [String]

    func validate() throws {
      if names.count > 1, label != nil {
        throw ValidationError("--label is for one field; declare the others separately")
      }
    }

    func run() async throws {
      let administrator = try source.administrator()
      for name in names {
        let field = try await FieldDeclarations(administrator).addField(
          name,
          of: owner.kind,
          kind: kind,
          label: label,
          isMultiple: several,
          isSearched: !notSearched,
          isVisible: visible == .everybody,
          isForOneself: !notForOneself,
          reason: history.reason
        )
        Messages.notice(
          "declared the field \(field.name) of \(owner.of) (\(field.kind), \(field.label)), visible to "
            + "\(visible)"
        )
      }
      if !noSync { try await ProgressLine.sync(administrator) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the declared fields.",
      discussion: """
        Tab-separated: people or departments, the field's name, kind, label, one value or several, how \
        many records have values of it, whether everybody or nobody sees it if no visibility \
        rule names it, and whether people always see their own values.

        EXAMPLES
          staffbook field list
          staffbook field list --json
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Print JSON Lines: one object per field.")
    var json = false

    func run() async throws {
      let fields = try await FieldDeclarations(source.administrator()).declaredFields()
      if json { return try LineFormat.json.write(fields.lazy.map { $0.json(records: $1) }) }
      for (field, count) in fields {
        let owner = field.owner == .user ? "people" : "departments"
        let values = field.isMultiple ? "several" : "one"
        Messages.data(
          "\(owner)\t\(field.name)\t\(field.kind)\t\(field.label)\t\(values)\t\(count)"
            + "\t\(field.isVisible ? "everybody" : "nobody")"
            + "\t\(field.isForOneself ? "oneself" : "-")"
        )
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a field and all its values.",
      discussion: """
        Says how many people or departments lose values, and asks. Without a terminal it removes \
        values only with --yes.

        EXAMPLES
          staffbook field remove badge
          staffbook field remove site --of departments --yes
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup var owner: OwnerOptions

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var history: ReasonOptions

    @Flag(help: "Leave the local snapshot as it is.")
    var noSync = false

    @Argument(help: "The field's name.")
    var name: String

    func run() async throws {
      let administrator = try source.administrator()
      let isRemoved = try await FieldDeclarations(administrator).removeField(
        name,
        of: owner.kind,
        reason: history.reason,
        confirm: confirm
      )
      guard isRemoved else {
        Messages.notice("nothing was removed")
        return
      }
      Messages.notice("removed the field \(name) of \(owner.of)")
      if !noSync { try await ProgressLine.sync(administrator) }
    }

    private func confirm(_ count: Int) throws -> Bool {
      let one = owner.of == .people ? "1 person has" : "1 department has"
      let losing =
        (count == 1 ? one : "\(count) \(owner.of) have")
        + " values of \(name), which are removed too"
      if count == 0 || yes {
        if count > 0 { Messages.notice(losing) }
        return true
      }
      return try Confirmation.ask(
        "\(losing); remove the field?",
        else: "cannot remove the field \(name): \(losing)",
        advice: "to remove it all the same, repeat the command with --yes"
      )
    }
  }
}

extension FieldKind: ExpressibleByArgument {}

extension Field {
  fileprivate func json(records: Int) -> String {
    let object: JSONObject = [
      "of": owner == .user ? "people" : "departments", "name": name, "kind": kind.rawValue,
      "label": label, "several": isMultiple, "searched": isSearched, "records": records,
      "visible": isVisible, "oneself": isForOneself,
    ]
    return object.line
  }
}
