import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport

/// What a list came to, copied out of the reader.
struct ListSeen: Equatable {
  /// `d id <parent name description order`, `u id <department name title email phone order primary`
  /// or `m user <department title order`, the values parted by bars; then `leads`, and declared fields.
  var rows: [String] = []
  var problems: [String] = []
  var warnings: [String] = []
  /// Each of them.
  var allWarnings: [String] = []
  var isComplete = true
  var absent = MissingListColumns(departments: [], people: [])
}

/// Reads bytes as a list of a format.
func readList(
  _ bytes: [UInt8],
  as format: InputFormat,
  home: String? = nil,
  fields: [Field] = [],
  mapping: PersonnelMapping? = nil
) async throws -> ListSeen {
  try await withTemporaryDirectory { folder in
    let path = folder.appending("list")
    try write(bytes, to: path)
    return try readList(InputFile(path), as: format, home: home, fields: fields, mapping: mapping)
  }
}

func readList(
  _ text: String,
  as format: InputFormat,
  home: String? = nil,
  fields: [Field] = [],
  mapping: PersonnelMapping? = nil
) async throws -> ListSeen {
  try await readList(Array(text.utf8), as: format, home: home, fields: fields, mapping: mapping)
}

func readList(
  _ file: InputFile,
  as format: InputFormat,
  home: String? = nil,
  fields: [Field] = [],
  mapping: PersonnelMapping? = nil
) throws -> ListSeen {
  try readLists([file], as: format, home: home, fields: fields, mapping: mapping)
}

/// Reads files as lists of a format, on the first of March 2026.
func readLists(
  _ files: [InputFile],
  as format: InputFormat,
  home: String? = nil,
  fields: [Field] = [],
  mapping: PersonnelMapping? = nil
) throws -> ListSeen {
  var seen = ListSeen()
  var problems = ProblemList(limit: 100, keepsWarnings: true)
  let options = ListOptions(
    home: home.map { DepartmentID($0) },
    fields: fields,
    mapping: mapping,
    today: "2026-03-01"
  )
  let members = files.map { InputSet.Member(file: $0, format: format) }
  let reading = try ListFiles.read(members, options, &problems) { _, row in
    seen.rows.append(text(of: row))
  }[0]
  func line(of problem: InputProblem) -> String {
    (problem.line.map { "\($0): " } ?? "") + (problem.id.map { "\($0): " } ?? "") + problem.reason
      + (problem.advice.map { "; \($0)" } ?? "")
  }
  seen.problems = problems.problems.map(line)
  seen.warnings = problems.warnings.map(line)
  seen.allWarnings = problems.allWarnings.map(line)
  seen.isComplete = reading.isComplete
  seen.absent = reading.absent
  return seen
}

private func text(of row: TableRow) -> String {
  func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
  func fields(_ bytes: [UInt8]) -> [String] {
    bytes.isEmpty ? [] : [String(decoding: bytes, as: UTF8.self)]
  }
  let parts: [String] =
    switch row {
    case .department(let row):
      [
        "d", text(row.id), "<\(text(row.parent))", text(row.name), text(row.description),
        "\(row.sortOrder)",
      ] + fields(row.fields)
    case .person(let row):
      [
        "u", text(row.id), "<\(text(row.department))", text(row.name), text(row.title),
      ] + row.contacts.all.map(text) + ["\(row.sortOrder)"]
        + (row.isPrimary.map { ["\($0)"] } ?? []) + (row.leads ? ["leads"] : [])
        + (row.hasLeft ? ["left"] : [])
        + fields(row.fields)
    case .membership(let row):
      ["m", text(row.user), "<\(text(row.department))", text(row.title), "\(row.sortOrder)"]
        + (row.leads ? ["leads"] : [])
    }
  return parts.joined(separator: "|")
}
