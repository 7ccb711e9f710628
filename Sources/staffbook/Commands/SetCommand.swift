import ArgumentParser
import DirectoryModel
import DirectoryWriting

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change fields of a person or a department.",
    discussion: """
      FIELD=VALUE sets a field, FIELD= removes its value; FIELD+=VALUE and FIELD-=VALUE add a \
      value to a field that has several and take one from it. People have name, \(Field.contacts.map(\.name).joined(separator: ", ")), id \
      and, in each of their departments, title, lead (yes or no) and order: title@DEPARTMENT is \
      the title in one of them, title the one in the primary department. Departments have name, \
      description, parent (empty for the top level), order and id. Declared fields are named as \
      staffbook field list names them.

      EXAMPLES
        staffbook set "Ada Walsh" phone="+44 20 7946 0000" title="Head of dispatch"
        staffbook set ada.walsh lead@"Night Watch"=yes languages+=fr nickname=
        staffbook set Towers parent="Keepers’ Service"
        staffbook set "Fog Signals" description="Horns and bells" -m "no whistle any more"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The person or department: an id, a name, a path or an email address.")
  var who: String

  @Argument(help: ArgumentHelp("What to change.", valueName: "field=value"))
  var values: [String]

  func run() async throws {
    try await EditRun(source, options).run(.set(who: who, values: values))
  }
}

struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a person or a department.",
    discussion: """
      The id stays as it is.

      EXAMPLES
        staffbook rename ada.walsh "Ada Winter"
        staffbook rename "Fog Signals" "Fog & Ice Signals"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The person or department: an id, a name, a path or an email address.")
  var who: String

  @Argument(help: ArgumentHelp("The new name.", valueName: "new-name"))
  var name: String

  func run() async throws {
    try await EditRun(source, options).run(.rename(who: who, name: name))
  }
}
