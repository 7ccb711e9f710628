import DirectoryModel
import Platform
import TextRules

/// A row of a list that is not a person: a total, a title, or a note.
enum NoteRow {
  /// What a row is; `nil` where it has an id and a name, or could be a person without one of both.
  static func kind(of record: CSVRecord, _ columns: PersonnelColumns) -> OmittedRows.Kind? {
    func text(_ target: PersonnelMapping.Target) -> [UInt8] {
      PersonnelReader.text(columns.values[target], record)
    }
    let id = text(.id)
    guard id.isEmpty || !text(.name).contains(where: { $0 >= 0x41 }) else { return nil }
    let cells = (0..<record.count).filter { record[$0].contains { $0 > 0x20 } }
    guard let first = cells.first else { return nil }
    let written = String(decoding: record[first], as: UTF8.self)
    if isTotal(written) { return .total }
    guard cells.count == 1, written.contains(where: \.isLetter) else { return nil }
    // The file may end in the middle of a row.
    if record.count < columns.count, !record.isEnded { return nil }
    // An id alone, or a name alone, is a person of whom the rest is missing.
    if record.count == columns.count, columns.positions(of: .name).contains(first) { return nil }
    let isID = columns.positions(of: .id).contains(first)
    return isID && !written.contains(" ") && written.contains(where: \.isNumber) ? nil : .note
  }

  private static func isTotal(_ text: String) -> Bool {
    let words = Folding.fold(text).split { !$0.isLetter }
    guard let first = words.first else { return false }
    return totals.contains(String(first)) || first == "grand" && words.dropFirst().first == "total"
  }

  private static let totals: Set<String> = Set(
    [
      "total", "totals", "subtotal", "sum", "summe", "gesamt", "gesamtsumme", "zwischensumme",
      "totaux", "somme", "suma", "totale", "totali", "somma", "subtotale", "totaal", "subtotaal",
      "razem", "итого", "всего", "合计", "总计", "小计", "合計", "総計", "小計", "합계", "총계", "소계",
    ].map(Folding.fold)
  )
}

/// Rows that are left out on purpose: of each kind the first is told, and how many there are; if they
/// are kept, each of them with the person's number and name.
struct OmittedRows {
  enum Kind: Int, CaseIterable {
    case condition, left, notBegun, total, note

    /// What is said of one row; `value` is the person's name, or what the row begins with.
    func text(_ value: String) -> String {
      switch self {
      case .condition: "skipped \(value), which does not meet the mapping's where"
      case .left: "left out \(value), who has left"
      case .notBegun: "held back \(value), who starts later"
      case .total: "left out \(value), a row of totals"
      case .note: "left out \(value), a row of a title or a note"
      }
    }

    /// What is said of several.
    func text(_ number: Int, first value: String) -> String {
      let begin =
        switch self {
        case .condition: "skipped \(number) rows that do not meet the mapping's where"
        case .left: "left out \(number) people who have left"
        case .notBegun: "held back \(number) people who start later"
        case .total: "left out \(number) rows of totals"
        case .note: "left out \(number) rows of titles or notes"
        }
      return begin + ", the first \(value)"
    }
  }

  private typealias Finding = (line: Int, id: [UInt8], shown: String)

  /// Whether each of them is kept.
  let keepsAll: Bool
  private var findings: [Kind: (first: Finding, count: Int)] = [:]
  private var all: [Kind: [Finding]] = [:]

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// - Parameters:
  ///   - kind: Why it is left out.
  ///   - record: The row.
  ///   - id: The person's id, if the row is about one.
  ///   - name: The person's name; of others, the first cell that is not empty is shown.
  mutating func note(_ kind: Kind, _ record: CSVRecord, id: [UInt8] = [], name: [UInt8] = []) {
    if findings[kind] != nil { findings[kind]?.count += 1 }
    guard findings[kind] == nil || keepsAll else { return }
    let cell = (0..<record.count).first { !record[$0].isEmpty }
    let shown =
      !name.isEmpty
      ? QuotedValue.text(name) : cell.map { QuotedValue.text(record[$0]) } ?? "an empty row"
    let finding = (record.line, id, shown)
    if findings[kind] == nil { findings[kind] = (finding, 1) }
    if keepsAll { all[kind, default: []].append(finding) }
  }

  /// Tells what was left out of a file, and goes to the next.
  mutating func warn(_ rows: ListRowBuilder) {
    for kind in Kind.allCases {
      guard let (first, count) = findings[kind] else { continue }
      let text = count > 1 ? kind.text(count, first: first.shown) : kind.text(first.shown)
      rows.warn(
        RowWarning(line: first.line, id: first.id, reason: text),
        of: all[kind, default: []].map {
          RowWarning(line: $0.line, id: $0.id, reason: kind.text($0.shown))
        }
      )
    }
    (findings, all) = ([:], [:])
  }
}
