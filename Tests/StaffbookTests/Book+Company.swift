import DirectoryModel
import DirectoryReading
import Platform
import SystemPackage
import TestSupport

@testable import VisibilityModel

extension Book {
  /// Imports the states of a company, one after the other, and rules.
  func fill(_ states: [MarkedCompany], _ rules: VisibilityRules) async throws {
    for field in states[0].fields {
      var words = ["field", "add", field.name, "--kind", "\(field.kind.rawValue)"]
      words += ["--label", field.label]
      if field.owner == .department { words += ["--of", "departments"] }
      if field.isMultiple { words.append("--several") }
      if !field.isVisible { words += ["--visible", "nobody"] }
      if !field.isForOneself { words.append("--not-for-oneself") }
      _ = try await lines(words + ["--no-sync"])
    }
    for (index, state) in states.enumerated() { try await put(state, "reason \(index)") }
    try await withTemporaryDirectory { folder in
      let file = folder.appending("rules")
      try write(rules.text { _ in "" }, to: file)
      try await lines("visibility", "edit", "--yes", "--from", file.string)
    }
  }

  /// Makes a company of what is in the book.
  private func put(_ company: MarkedCompany, _ reason: String) async throws {
    var files: [[UInt8]] = [[], [], []]
    _ = try Directory(company.withoutMissingPeople().snapshot(), for: .everything)
      .writeFiles(TreeRequest(opening: .all)) { departments, users, memberships in
        files[0] += departments
        files[1] += users
        files[2] += memberships
        (departments, users, memberships) = ([], [], [])
      }
    try await withTemporaryDirectory { folder in
      for (name, bytes) in zip(["departments", "users", "memberships"], files) where !bytes.isEmpty
      {
        var text = String(decoding: bytes, as: UTF8.self)
        // Files of a company without leads do not say so, and would keep former leads.
        let lines = text.split(whereSeparator: \.isNewline)
        if name != "departments", !lines[0].split(separator: ",").contains("leads") {
          text = lines.enumerated().map { $1 + ($0 == 0 ? ",leads\n" : ",\n") }.joined()
        }
        try write(text, to: folder.appending("\(name).csv"))
      }
      let changing =
        ["name", "department", "title", "email", "phone"] + company.fields.of(.user).map(\.name)
      let options =
        ["--replace", "--accept-deletions", "-m", reason]
        + changing.flatMap { ["--accept-changes", $0] }
      _ = try await lines(["import", folder.string] + options)
    }
  }
}
