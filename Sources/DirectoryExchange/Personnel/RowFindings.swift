/// What is found in rows, in words.
protocol RowFindingKind: Hashable, CaseIterable {
  /// What is said of one value.
  func text(_ value: String) -> String
  /// What is said of several.
  func text(_ count: Int, first value: String) -> String
}

/// Findings in the rows of a file: of each kind the first is told, and how many there are; if they are kept,
/// each of them.
struct RowFindings<Kind: RowFindingKind> {
  private typealias Finding = (line: Int, id: [UInt8], value: String)

  private let keepsAll: Bool
  private var findings: [Kind: (first: Finding, count: Int)] = [:]
  private var all: [Kind: [Finding]] = [:]

  init(keepsAll: Bool) { self.keepsAll = keepsAll }

  mutating func note(_ kind: Kind, _ value: @autoclosure () -> String, _ id: [UInt8], _ line: Int) {
    if findings[kind] != nil { findings[kind]?.count += 1 }
    guard findings[kind] == nil || keepsAll else { return }
    let finding = (line, id, value())
    if findings[kind] == nil { findings[kind] = (finding, 1) }
    if keepsAll { all[kind, default: []].append(finding) }
  }

  /// Tells what was found in a file, and goes to the next.
  mutating func warn(_ rows: ListRowBuilder) {
    for kind in Kind.allCases {
      guard let (first, count) = findings[kind] else { continue }
      let text = count > 1 ? kind.text(count, first: first.value) : kind.text(first.value)
      rows.warn(
        RowWarning(line: first.line, id: first.id, reason: text),
        of: all[kind, default: []].map {
          RowWarning(line: $0.line, id: $0.id, reason: kind.text($0.value))
        }
      )
    }
    (findings, all) = ([:], [:])
  }
}
