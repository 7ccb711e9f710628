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

/// Rows that are left out on purpose, told with the person's number and name, or with what they begin with.
struct OmittedRows {
  enum Kind: RowFindingKind {
    case condition, left, notBegun, total, note

    func text(_ value: String) -> String {
      switch self {
      case .condition: "skipped \(value), which does not meet the mapping's where"
      case .left: "left out \(value), who has left"
      case .notBegun: "held back \(value), who starts later"
      case .total: "left out \(value), a row of totals"
      case .note: "left out \(value), a row of a title or a note"
      }
    }

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

  private var findings: RowFindings<Kind>

  init(keepsAll: Bool = false) { findings = RowFindings(keepsAll: keepsAll) }

  /// - Parameters:
  ///   - kind: Why it is left out.
  ///   - record: The row.
  ///   - id: The person's id, if the row is about one.
  ///   - name: The person's name; of others, the first cell that is not empty is shown.
  mutating func note(_ kind: Kind, _ record: CSVRecord, id: [UInt8] = [], name: [UInt8] = []) {
    func shown() -> String {
      if !name.isEmpty { return QuotedValue.text(name) }
      let cell = (0..<record.count).first { !record[$0].isEmpty }
      return cell.map { QuotedValue.text(record[$0]) } ?? "an empty row"
    }
    findings.note(kind, shown(), id, record.line)
  }

  /// Tells what was left out of a file, and goes to the next.
  mutating func warn(_ rows: ListRowBuilder) { findings.warn(rows) }
}
