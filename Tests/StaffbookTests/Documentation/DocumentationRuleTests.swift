import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Pages of the documentation")
struct DocumentationRuleTests {
  @Test(arguments: try DocumentationPage.all())
  func `name commands and options that exist`(page: DocumentationPage) async throws {
    let known = try await KnownOptions()
    for fault in page.unknownCommands(known) { Issue.record("\(fault)") }
  }

  @Test(arguments: try DocumentationPage.all())
  func `have commands only where they are run`(page: DocumentationPage) {
    for block in page.blocks where !block.isKnown {
      Issue.record("\(page.path):\(block.start - 1): unknown block \(block.info)")
    }
    for (number, text) in page.unfencedCommands {
      Issue.record("\(page.path):\(number): no test runs this command: \(text)")
    }
  }

  @Test(arguments: try DocumentationPage.all())
  func `have no dead link`(page: DocumentationPage) throws {
    for fault in try page.deadLinks() { Issue.record("\(fault)") }
  }

  @Test(arguments: try DocumentationPage.all())
  func `begin with their title and what they are for`(page: DocumentationPage) {
    #expect(page.lines.first?.hasPrefix("# ") == true, "\(page.path)")
    #expect(page.lines.dropFirst().first == "", "\(page.path):2")
    #expect(page.lines.count > 2 && page.lines[at: 2]?.first?.isLetter == true, "\(page.path):3")
    #expect(page.lines.last == "", "\(page.path) does not end with a line break")
  }

  @Test func `are found by following links from the README`() throws {
    let pages = try DocumentationPage.all()
    var found: Set<String> = ["README.md"]
    var toFollow = ["README.md"]
    while let path = toFollow.popLast() {
      guard let page = pages.first(where: { $0.path == path }) else { continue }
      for (_, target) in page.links {
        guard let file = page.file(of: target), found.insert(file).inserted else { continue }
        toFollow.append(file)
      }
    }
    for page in pages where !found.contains(page.path) {
      Issue.record("\(page.path): no page links to it")
    }
  }

  @Test func `include a table of all commands and options`() async throws {
    let text = try DocumentationPage(path: "docs/commands.md").lines.joined(separator: "\n")
    for command in try await CommandHelp.program().all where command.subcommands == nil {
      let isNamed =
        text.contains("`\(command.commandName)") || text.contains(" \(command.commandName)")
      #expect(isNamed, "\(command.commandName)")
      let options = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
      for option in options where option.kind == "long" {
        let isListed = text.contains(option.typed)
        #expect(isListed, "\(command.commandName) \(option.typed)")
      }
    }
  }

  @Test func `are refused for each of these faults`() async throws {
    let page = DocumentationPage(
      path: "docs/wrong.md",
      text: """
        # Wrong

        Run `staffbook tree --dpeth 2`, `staffbook shew WHO`, `--frehs`, or [this](no.md), [that](#no).

            staffbook tree

        ```bash
        ls
        ```
        ```sh root
        sudo staffbook sync --wtach && scripts/nothing
        ```
        ```text
        $ staffbook tree
        ```
        """
    )
    let unknown = page.unknownCommands(try await KnownOptions())
    #expect(
      unknown == [
        "docs/wrong.md:3: tree has no option --dpeth",
        "docs/wrong.md:3: staffbook has no command shew",
        "docs/wrong.md:3: no command has the option --frehs",
        "docs/wrong.md:11: sync has no option --wtach",
        "docs/wrong.md:11: there is no script scripts/nothing",
      ]
    )
    #expect(page.blocks.filter { !$0.isKnown }.map(\.kind) == ["bash"])
    #expect(page.unfencedCommands.map(\.number) == [5, 14])
    #expect(try page.deadLinks().count == 2)
  }
}

extension DocumentationBlock {
  /// What pages may show; only the first of each row is run.
  fileprivate var isKnown: Bool {
    switch (kind, info.dropFirst().first { !$0.hasPrefix("file=") }) {
    case ("sh", nil), ("sh", "root"), ("sh", "servers"), ("console", nil), ("sql", nil),
      ("sql", "servers"):
      info.count < 3
    case ("yaml", nil), ("csv", nil), ("json", nil), ("text", nil), ("ini", nil), ("diff", nil),
      ("ldif", nil), ("vcard", nil), ("html", nil):
      true
    default: false
    }
  }

  /// Lines of a shell in it.
  fileprivate var shellLines: [(number: Int, text: String)] {
    let numbered = lines.enumerated().map { (start + $0.offset, $0.element) }
    switch kind {
    case "sh": return numbered
    case "console": return numbered.filter { $0.1.hasPrefix("$ ") }
    case "ini":
      return numbered.compactMap { number, text in
        text.firstMatch(of: /^Exec[A-Za-z]*=-?(.*)/).map { (number, String($0.output.1)) }
      }
    default: return []
    }
  }
}

extension DocumentationPage {
  /// Options of other programs that are named without their program.
  private static let foreignOptions: Set<String> = []

  fileprivate func unknownCommands(_ known: KnownOptions) -> [String] {
    let inSpans = spans.compactMap { number, text -> String? in
      if text.hasPrefix("staffbook ") || text.hasPrefix("scripts/") {
        return ShellWords.commands(in: text).first.flatMap(known.fault).map { "\(number): \($0)" }
      }
      guard let option = text.prefixMatch(of: /--[a-z][a-z-]*/)?.output,
        !Self.foreignOptions.contains(String(option)), !known.isKnown(option: String(option))
      else { return nil }
      return "\(number): no command has the option \(option)"
    }
    let inBlocks = blocks.flatMap(\.shellLines).flatMap { number, text in
      ShellWords.commands(in: text).compactMap(known.fault).map { "\(number): \($0)" }
    }
    return (inSpans + inBlocks).map { "\(path):\($0)" }
  }

  /// Commands in indented text, and in blocks that nothing runs.
  fileprivate var unfencedCommands: [(number: Int, text: String)] {
    let command = /\s*(\$ |staffbook [a-z-]|scripts\/)/
    let indented = prose.filter {
      $0.text.hasPrefix("    ") && $0.text.prefixMatch(of: command) != nil
    }
    let inText = blocks.filter { $0.kind == "text" }.flatMap { block in
      block.lines.enumerated().map { (number: block.start + $0.offset, text: $0.element) }
    }.filter { $0.text.prefixMatch(of: command) != nil }
    return indented + inText
  }

  /// Where in the checkout a relative link leads.
  fileprivate func file(of target: String) -> String? {
    guard !target.contains("://"), !target.hasPrefix("mailto:") else { return nil }
    let name = target.prefix { $0 != "#" }
    if name.isEmpty { return path }
    let folder = FilePath(path).removingLastComponent()
    return folder.appending(String(name)).lexicallyNormalized().string
  }

  fileprivate func deadLinks() throws -> [String] {
    try links.compactMap { number, target in
      guard let file = file(of: target) else { return nil }
      let place = Self.checkout.appending(file)
      guard FileManager.default.fileExists(atPath: place.string) || file == path else {
        return "\(path):\(number): \(target): there is no such file"
      }
      guard let mark = target.firstIndex(of: "#"), file.hasSuffix(".md") else { return nil }
      let anchor = String(target[target.index(after: mark)...])
      let page = file == path ? self : try DocumentationPage(path: file)
      return page.anchors.contains(anchor)
        ? nil : "\(path):\(number): \(target): there is no such heading"
    }
  }
}
