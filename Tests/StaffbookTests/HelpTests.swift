import Testing

@Suite("Help")
struct HelpTests {
  @Test func `every line is a sentence`() async throws {
    let commands = try await CommandHelp.program().all
    #expect(commands.count == 70)
    for command in commands {
      let options = command.shownArguments
      let sentences = [command.abstract] + options.map(\.abstract) + options.map(\.discussion)
      for sentence in sentences.compactMap({ $0 }) where !sentence.isEmpty {
        let name = "\(command.commandName): \(sentence)"
        #expect(sentence.first?.isUppercase == true, "\(name)")
        #expect(sentence.last == "." || sentence.hasSuffix(")"), "\(name)")
        #expect(sentence.unicodeScalars.count <= 120, "\(name)")
      }
      #expect(command.abstract?.isEmpty == false)
    }
  }

  @Test func `nothing is in words that readers stumbled on`() async throws {
    let stumblingBlocks = [
      "the way there", "the way to them", "an object a", "so many of", "is told", "are told",
      "tells",
      "by name, and", "parts the", "hang on", "is known of", "anew", "up to the database",
      "up to this program", "hits", "look for", "exclude each other", "goes with", "what is below",
      "behind it", "there already",
    ]
    for command in try await CommandHelp.program().all {
      let options = command.arguments ?? []
      let text =
        ([command.abstract, command.discussion] + options.map(\.abstract)
        + options.map(\.discussion)).compactMap { $0 }.joined(separator: "\n")
      for words in stumblingBlocks where text.contains(words) {
        Issue.record("\(command.commandName) says \"\(words)\"")
      }
    }
  }
}
