import CPage
import DirectoryModel

/// A file that the browser loads, as it is sent.
package struct PageFile: Sendable {
  package let type: String
  package let bytes: [UInt8]
  /// The same as gzip (RFC 1952).
  package let compressed: [UInt8]

  /// The files by their names, without the texts, which come with each page.
  package static let all: [String: PageFile] = embedded.reduce(into: [:]) { files, file in
    let parts = file.name.split(separator: ".")
    guard let type = types[parts.last ?? ""] else { return }
    files[file.name] = PageFile(type, type == types["svg"] ? file.text : shortened(file.text, type))
  }

  /// Changes with any of the files, so that a browser may keep what it has loaded for good.
  package static let version: String = {
    let content = embedded.flatMap { "\($0.name)\n\($0.text)".utf8 }
    let hash = content.withUnsafeBytes { XXHash64.digest($0) }
    return String(hash, radix: 36)
  }()

  /// The modules that `page.js` imports before it runs, so that a browser asks for all of them at once.
  static let modules: [String] = {
    var found = ["page.js"]
    var seen = 0
    while seen < found.count {
      for line in text(of: found[seen]).split(separator: "\n") where line.contains(" from \"./") {
        let name = line.split(separator: "\"./").last?.prefix { $0 != "\"" } ?? ""
        if !found.contains(String(name)) { found.append(String(name)) }
      }
      seen += 1
    }
    return Array(found.dropFirst())
  }()

  /// The text of a file that was embedded.
  static func text(of name: String) -> String {
    guard let file = embedded.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) is not embedded")
    }
    return file.text
  }

  private static let types: [Substring: String] = [
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  private static let embedded: [(name: String, text: String)] = {
    var files: [(name: String, text: String)] = []
    var file = staffbook_page_files()
    while let name = file.pointee.name {
      files.append((String(cString: name), String(cString: file.pointee.text)))
      file += 1
    }
    return files
  }()

  private init(_ type: String, _ text: String) {
    (self.type, bytes) = (type, Array(text.utf8))
    compressed = Gzip.compressed(bytes, level: .smallest)
  }

  /// The text without indents and whole lines of comments, which are a fifth of it and not for browsers,
  /// and a style sheet without the spaces that mean nothing; lines keep their numbers, by which a browser
  /// names an error.
  private static func shortened(_ text: String, _ type: String) -> String {
    var isComment = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.drop { $0 == " " }
      if line.hasPrefix("/*") { isComment = true }
      defer { if line.hasSuffix("*/") { isComment = false } }
      return isComment || line.hasPrefix("//") ? "" : line
    }.joined(separator: "\n")
    guard type == types["css"] else { return lines }
    return [("; ", ";"), (": ", ":"), (" {", "{"), ("{ ", "{"), (" }", "}")]
      .reduce(lines) { $0.replacing($1.0, with: $1.1) }
  }
}
