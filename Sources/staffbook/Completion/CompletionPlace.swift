import ArgumentParser

/// What may stand at the end of a command line.
enum CompletionPlace {
  /// A command below another.
  case command(any ParsableCommand.Type)
  /// An option that is not given yet.
  case option([CommandArguments.Argument])
  /// A value: behind `prefix`, which is part of the same word.
  case value(CommandArguments.Argument, prefix: String)
  case nothing

  /// - Parameters:
  ///   - words: The finished words behind the program's name.
  ///   - current: What is typed of the word at the end.
  ///   - program: What the words are arguments of.
  init(after words: [String], current: String, of program: any ParsableCommand.Type) {
    let path = CommandPath(of: words, below: program)
    if !path.command.configuration.subcommands.isEmpty {
      self = path.rest.isEmpty && !current.hasPrefix("-") ? .command(path.command) : .nothing
      return
    }
    guard !path.isHelp, let arguments = CommandArguments.of(path.command) else {
      self = .nothing
      return
    }
    var walk = Walk(arguments)
    for word in path.rest { walk.pass(word) }
    self = walk.place(of: current)
  }

  /// Goes through the words of a command.
  private struct Walk {
    let arguments: CommandArguments
    /// The option whose value comes next.
    private var waiting: CommandArguments.Argument?
    private var given: Set<String> = []
    private var positionalCount = 0
    /// After `--` nothing is an option.
    private var isOver = false

    init(_ arguments: CommandArguments) { self.arguments = arguments }

    mutating func pass(_ word: String) {
      if waiting != nil {
        waiting = nil
      } else if isOver || !word.hasPrefix("-") || word == "-" {
        positionalCount += 1
      } else if word == "--" {
        isOver = true
      } else {
        let name = String(word.prefix { $0 != "=" })
        guard let option = arguments.option(name) else { return }
        given.formUnion(option.options)
        if option.kind == .option, name == word { waiting = option }
      }
    }

    func place(of current: String) -> CompletionPlace {
      if let waiting { return .value(waiting, prefix: "") }
      if !isOver, current.hasPrefix("-") {
        guard let sign = current.firstIndex(of: "="),
          let option = arguments.option(String(current[..<sign])), option.kind == .option
        else { return .option(offered) }
        return .value(option, prefix: String(current[...sign]))
      }
      let positional = arguments.positional
      guard let last = positional.last else { return .nothing }
      if positionalCount < positional.count {
        return .value(positional[positionalCount], prefix: "")
      }
      return last.isRepeating
        ? .value(last, prefix: "") : .nothing
    }

    private var offered: [CommandArguments.Argument] {
      arguments.all.filter {
        $0.kind != .positional && ($0.isRepeating || given.isDisjoint(with: $0.options))
      }
    }
  }
}
