import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// A page of the documentation: `README.md` or a file of `docs`, as GitHub's Markdown.
struct DocumentationPage: Sendable, CustomTestStringConvertible {
  /// Its place in the checkout, such as `docs/import.md`.
  let path: String
  let lines: [String]
  let blocks: [DocumentationBlock]
  /// The lines outside fences, each with its number.
  let prose: [(number: Int, text: String)]

  var testDescription: String { path }

  /// The folder that holds README.md.
  static let checkout = FilePath(#filePath).removingLastComponent().removingLastComponent()
    .removingLastComponent().removingLastComponent()

  init(path: String) throws {
    let bytes = try Data(contentsOf: URL(filePath: Self.checkout.appending(path).string))
    self.init(path: path, text: String(decoding: bytes, as: UTF8.self))
  }

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var blocks: [DocumentationBlock] = []
    var prose: [(Int, String)] = []
    var open: DocumentationBlock?
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        if let block = open {
          blocks.append(block)
          open = nil
        } else {
          let info = line.drop { $0 == "`" }.split(separator: " ").map(String.init)
          open = DocumentationBlock(info: info, start: index + 2)
        }
      } else if open == nil {
        prose.append((index + 1, line))
      } else {
        open?.lines.append(line)
      }
    }
    if let open { blocks.append(open) }
    self.blocks = blocks
    self.prose = prose
  }

  /// README.md and every page of `docs` that is on the disk.
  static func all() throws -> [DocumentationPage] {
    let names = try folderEntries(checkout.appending("docs")).filter { $0.hasSuffix(".md") }
    return try (["README.md"] + names.sorted().map { "docs/" + $0 }).map {
      try DocumentationPage(path: $0)
    }
  }
}

/// What stands between two fences.
struct DocumentationBlock: Sendable {
  /// The words behind the opening fence: what it is, and what to do with it.
  let info: [String]
  /// The number of its first line in the page.
  let start: Int
  var lines: [String] = []

  var kind: String { info.first ?? "" }

  /// The file that the tests write it to, as a shell spells it.
  var file: String? {
    info.first { $0.hasPrefix("file=") }.map { String($0.dropFirst("file=".count)) }
  }
}

extension DocumentationPage {
  /// Code within a line, such as `staffbook tree`, and where it is.
  var spans: [(number: Int, text: String)] {
    prose.flatMap { number, text in
      text.matches(of: /(`+)(.+?)\1(?!`)/).map { (number, String($0.output.2)) }
    }
  }

  /// Where links within the line point to.
  var links: [(number: Int, target: String)] {
    prose.flatMap { number, text in
      text.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map {
        (number, String($0.output.1))
      }
    }
  }

  /// What links to its headings name them by, as GitHub makes it: small letters, digits, hyphens and
  /// underscores of the heading, and a hyphen for each space; then `-1` for the second of a name.
  var anchors: Set<String> {
    var anchors: Set<String> = []
    for (_, text) in prose {
      guard let heading = text.wholeMatch(of: /#{1,6} +(.*?)(?: +#+)? */) else { continue }
      let words = heading.output.1.replacing(/\]\([^)]*\)/, with: "").lowercased()
      let slug = String(
        words.unicodeScalars.compactMap { scalar -> Character? in
          if scalar == " " { return "-" }
          let isKept =
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || scalar == "-" || scalar == "_"
          return isKept ? Character(scalar) : nil
        }
      )
      let further = (1...).lazy.map { "\(slug)-\($0)" }
      let name = anchors.contains(slug) ? further.first { !anchors.contains($0) } : slug
      anchors.insert(name ?? slug)
    }
    return anchors
  }
}
