import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("The documentation of Outlines")
struct OutlinesDocumentationTests {
  private static let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
    .removingLastComponent().removingLastComponent().appending("Sources/Outlines/Outlines.docc")

  /// The blocks of Swift of a page, in its order.
  private func blocks(of page: String) throws -> [String] {
    var blocks: [String] = []
    var isInside = false
    let text = String(decoding: try bytes(of: Self.folder.appending(page)), as: UTF8.self)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
        if isInside { blocks.append("") }
      } else if isInside {
        blocks[blocks.count - 1] += line + "\n"
      }
    }
    return blocks
  }

  @Test(arguments: ["ScrollingList.md", "Outlines.md"])
  func `compiles as it is pasted`(page: String) async throws {
    // The manifest that shows how to add the library is not part of the program.
    let code = try blocks(of: page).filter { !$0.contains("import PackageDescription") }
    try #require(!code.isEmpty)
    try await withTemporaryDirectory { folder in
      let file = folder.appending("main.swift")
      let imports = code[0].contains("import Outlines") ? "" : "import Outlines\n"
      try write(imports + code.joined(separator: "\n"), to: file)
      // They are beside this program, which was built with them.
      let modules = FilePath(CommandLine.arguments[0]).removingLastComponent().appending("Modules")
      let outcome = try await runProgram(
        "/usr/bin/env",
        ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules.string, file.string],
        environment: ["PATH": environmentValue("PATH") ?? "", "HOME": folder.string]
      )
      #expect(outcome.status == 0, "\(outcome.stderr)")
    }
  }
}
