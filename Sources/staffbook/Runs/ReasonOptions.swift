import ArgumentParser

/// What a command that writes leaves in the history beside what it did.
struct ReasonOptions: ParsableArguments {
  @Option(
    name: [.customShort("m"), .long],
    help: ArgumentHelp("Why, for the history.", valueName: "reason")
  )
  var reason: String?
}
