import CPage
import CZlib
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
    files[file.name] = PageFile(type, type == types["svg"] ? file.text : withoutComments(file.text))
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
    compressed = Self.gzip(bytes)
  }

  /// The text without indents and whole lines of comments, which are a fifth of it and not for browsers;
  /// lines keep their numbers, by which a browser names an error.
  private static func withoutComments(_ text: String) -> String {
    var isComment = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.drop { $0 == " " }
      if line.hasPrefix("/*") { isComment = true }
      defer { if line.hasSuffix("*/") { isComment = false } }
      return isComment || line.hasPrefix("//") ? "" : line
    }.joined(separator: "\n")
  }

  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    // 16 more than the largest window makes gzip (zlib: deflateInit2).
    let size = CInt(MemoryLayout<z_stream>.size)
    var outcome = deflateInit2_(
      &stream,
      Z_BEST_COMPRESSION,
      Z_DEFLATED,
      16 + MAX_WBITS,
      9,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      size
    )
    precondition(outcome == Z_OK, "zlib of another version, or out of memory")
    defer { deflateEnd(&stream) }
    var input = bytes
    return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, UInt(bytes.count)))) {
      output,
      count in
      input.withUnsafeMutableBufferPointer { input in
        (stream.next_in, stream.avail_in) = (input.baseAddress, CUnsignedInt(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, CUnsignedInt(output.count))
        outcome = deflate(&stream, Z_FINISH)
      }
      precondition(outcome == Z_STREAM_END, "deflateBound(3) leaves enough room")
      count = Int(stream.total_out)
    }
  }
}
