import DirectoryExchange
import DirectoryModel
import LiveDirectory
import TextRules

/// What differs between two times, for people and programs.
package struct DifferenceReport: Sendable {
  package enum Format: Sendable {
    case text, json, csv, html
  }

  private let differences: [Difference]
  private let rules: [VisibilityChange]
  /// What is compared, such as `2026-10-01 to now`.
  private let title: String

  package init(_ differences: Differences, title: String) {
    (self.differences, rules) = (differences.records, differences.rules)
    self.title = title
  }

  /// A heading for each category, with its changes below.
  package var lines: [String] {
    var lines: [String] = []
    for (heading, changes) in groups {
      if !lines.isEmpty { lines.append("") }
      lines.append("\(heading) (\(changes.count))")
      lines += changes.map { "  \($0)" }
    }
    return lines
  }

  /// Headings, and the changes below each as text.
  private var groups: [(heading: String, changes: [String])] {
    let groups = Difference.Category.allCases.map { category in
      (category.heading, differences.filter { $0.category == category }.map(\.change.text))
    }
    return (groups + [("Visibility rules", rules.map(\.text))]).filter { !$0.1.isEmpty }
  }

  /// What programs call the group of the rules.
  private static let rulesCategory = "visibility"

  package var jsonLines: [String] {
    differences.map { $0.change.json(category: $0.category.rawValue) }
      + rules.map { $0.json(category: Self.rulesCategory) }
  }

  /// A row for each value that differs, or for the change where none does.
  package var csv: [UInt8] {
    var bytes: [UInt8] = []
    var writer = CSVWriter()
    func append(_ cells: [String]) {
      for cell in cells { writer.append(cell, to: &bytes) }
      writer.endRecord(to: &bytes)
    }
    append(["category", "kind", "id", "name", "from", "to", "field", "department", "old", "new"])
    for difference in differences {
      let change = difference.change
      let hasSamePlace = change.from?.id == change.to?.id
      let beginning = [
        difference.category.rawValue, change.kind.rawValue, change.id, change.name,
        hasSamePlace ? "" : change.from?.name ?? "", hasSamePlace ? "" : change.to?.name ?? "",
      ]
      let values = change.differences.values
      if values.isEmpty { append(beginning + ["", "", "", ""]) }
      for value in values {
        append(beginning + [value.field, value.department?.name ?? "", value.old, value.new])
      }
    }
    for rule in rules {
      let value = rule.values.first.map { [$0.field, "", $0.old, $0.new] }
      append(
        [Self.rulesCategory, rule.kind, rule.id, rule.name, "", ""]
          + (value ?? ["", "", "", ""])
      )
    }
    return bytes
  }

  /// One page with nothing beside it.
  package var html: [UInt8] {
    var page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(Self.escaped(title))</title>
      <style>body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
      @media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}</style></head><body>
      <h1>\(Self.escaped(title))</h1>

      """
    for (heading, changes) in groups {
      page += "<h2>\(heading) (\(changes.count))</h2>\n<ul>\n"
      for change in changes {
        page += "<li><bdi>\(Self.escaped(change))</bdi></li>\n"
      }
      page += "</ul>\n"
    }
    return Array((page + "</body></html>\n").utf8)
  }

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    XMLText.append(VisibleText.visible(text), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
