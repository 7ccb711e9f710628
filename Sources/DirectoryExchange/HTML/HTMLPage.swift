import DirectoryModel
import Platform

/// What stands around the rows of the page.
enum HTMLPage {
  /// Without scripts nothing opens, so everything is shown.
  private static let withoutScript =
    ".r[hidden]{display:flex}.k[hidden]{display:block}header>:not(h1){display:none}"

  /// Only the page's own style and script may run (Content Security Policy Level 3 §6.7.3.3), and
  /// nothing is loaded from anywhere: a name that gets out of its text by our mistake stays dead.
  private static var policy: String {
    "default-src 'none'; style-src \(source(style)) \(source(Array(withoutScript.utf8))); "
      + "script-src \(source(script)); base-uri 'none'; form-action 'none'"
  }

  private static let style = EmbeddedFile.bytes(named: "page.css")
  private static let script = EmbeddedFile.bytes(named: "page.js")

  private static func source(_ text: [UInt8]) -> String {
    var hash: [UInt8] = []
    Base64.append(SHA256.digest(of: text), to: &hash)
    return "'sha256-\(String(decoding: hash, as: UTF8.self))'"
  }

  static func appendHead(title: String, to bytes: inout [UInt8]) {
    bytes.append(
      text: """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="
        """
    )
    bytes.append(contentsOf: policy.utf8)
    bytes.append(
      text: """
        ">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>
        """
    )
    XMLText.append(title, to: &bytes)
    bytes.append(text: "</title>\n<style>")
    bytes.append(contentsOf: style)
    bytes.append(text: "</style>\n<noscript><style>")
    bytes.append(contentsOf: withoutScript.utf8)
    bytes.append(text: "</style></noscript>\n</head>\n<body>\n<header>\n<h1><bdi>")
    XMLText.append(title, to: &bytes)
    bytes.append(
      text: """
        </bdi></h1>
        <input id="query" type="search" placeholder="Search (/)" aria-label="Search" \
        autocomplete="off" spellcheck="false">
        <output id="status" for="query"></output>
        <button id="all" type="button">Expand all</button>
        <button id="none" type="button">Collapse all</button>
        </header>
        <main>
        <div id="tree" role="tree" aria-label="Departments and people">

        """
    )
  }

  static func appendEnd(to bytes: inout [UInt8]) {
    bytes.append(text: "</div>\n</main>\n<script>")
    bytes.append(contentsOf: script)
    bytes.append(text: "</script>\n</body>\n</html>\n")
  }
}
