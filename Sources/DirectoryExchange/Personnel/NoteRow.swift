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

/// Rows that are left out on purpose: of each kind the first is told, and how many there are.
struct OmittedRows {
  enum Kind: Int, CaseIterable {
    case condition, left, notBegun, total, note

    /// In words, for so many rows.
    func text(_ number: Int) -> String {
      let rows = counted(number, "row")
      let people = counted(number, "person", "people")
      return switch self {
      case .condition: "left out \(rows), as the mapping's where says"
      case .left: "left out \(people) who \(number == 1 ? "has" : "have") left"
      case .notBegun: "held back \(people) who \(number == 1 ? "starts" : "start") later"
      case .total: "left out \(rows) of totals"
      case .note: "left out \(rows) of titles or notes"
      }
    }
  }

  private var findings: [Kind: (line: Int, shown: String, count: Int)] = [:]

  mutating func note(_ kind: Kind, _ record: CSVRecord, shown isShown: Bool = false) {
    guard findings[kind] == nil else {
      findings[kind]?.count += 1
      return
    }
    let cell = (0..<record.count).first { !record[$0].isEmpty }
    let text = cell.map { ", the first \(QuotedValue.text(record[$0]))" } ?? ""
    findings[kind] = (record.line, isShown ? text : "", 1)
  }

  /// Tells what was left out of a file, and goes to the next.
  mutating func warn(_ rows: ListRowBuilder) {
    for kind in Kind.allCases {
      guard let found = findings[kind] else { continue }
      rows.warn(kind.text(found.count) + found.shown, line: found.line)
    }
    findings = [:]
  }
}
