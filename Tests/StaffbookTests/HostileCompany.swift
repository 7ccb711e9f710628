import SystemPackage
import TestSupport

/// What every format does with names, ids and texts that are up to something.
let hostileTexts = [
  "=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\r=1", "＝1",
  "</script><script>document.title='owned'</script>", "<img src=x onerror=alert(1)>",
  "\" onmouseover=\"alert(1)", "a\nb\r\nc", "\u{1B}[31mred\u{1B}]0;t\u{7}", "\u{202E}evil\u{2066}x",
  "\u{2028}line", "c\u{1}\u{2}\u{1F}\u{7F}", "_x000B_ _x005F_", "x\u{FFFE}\u{FFFF}", "😀 👨‍👩‍👧",
  "\"quoted\" 'single' `tick`", "back\\slash\\n\\N\\l", "a;b,c:d", "#hash", "  lead and trail  ",
  "*bold* _em_ [l](javascript:alert(1)) ![i](x)", "&amp; &lt; &#60;", "1. list", "- item",
  "> quote", "www.evil.example", "\u{3000}wide\u{A0}", "Art direction TB",
  "n1 -> n2; }", "%% mermaid\nend", "{{x}} ${y}", "é e\u{301}", "https://evil.example/x", "000123",
  "1E5", "+15550100", "\u{85}nel\u{9B}csi", "=HYPERLINK(\"http://x\")", "end", "subgraph",
  "\u{FEFF}bom", "|pipe| a", "ΑΩ עברית العربية", "ﬁ ｆｕｌｌ", "]]>", "--><!--",
]

private func field(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    if scalar == "\"" { quoted += "\"" }
    quoted.unicodeScalars.append(scalar)
  }
  return quoted + "\""
}

/// A company all of whose texts are hostile, its ids too, with siblings of one name.
func writeHostileCompany(to folder: FilePath) throws {
  var departments = "top,,Top,,0\n"
  var users = ""
  var memberships = ""
  for (index, text) in hostileTexts.enumerated() {
    let text = field(text)
    let parent = index % 5 == 0 ? "top" : "d\(index - 1)"
    departments += "d\(index),\(parent),\(text),\(text),\(index)\n"
    departments += "\(text),top,\(index % 2 == 0 ? "Same name" : "SAME  NAME"),,\(index)\n"
    users += "\(text),d\(index),\(text),\(text),\(text),\(text),\(-index)\n"
    memberships += "\(text),top,\(index % 2 == 0 ? text : ""),\(index)\n"
  }
  for (index, id) in ["case", "CASE", " ", "  ", "\u{200B}", "\u{3000}"].enumerated() {
    users += "\(field(id)),top,Person \(index),,,,\n"
  }
  users += "\(String(repeating: "é", count: 127)),top,Long,,,,\n"
  departments += "long,top,\(String(repeating: "ﷺ", count: 1_000)),,\n"
  try writeCompany(departments: departments, users: users, memberships: memberships, to: folder)
}

func withHostileBook(_ body: (Book, FilePath) async throws -> Void) async throws {
  try await withBook { book in
    try await withTemporaryDirectory { folder in
      try writeHostileCompany(to: folder)
      try await book.lines("import", folder.string)
      try await body(book, folder)
    }
  }
}
