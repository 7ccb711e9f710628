import DirectoryModel

/// Values of a list that are taken as they stand, but are likely mistakes: of each kind the first is
/// told, and how many there are.
struct PersonnelWarnings {
  enum Kind: Int, CaseIterable {
    case address, number, date, formula, ownManager, leadLeft, sameName, namePart

    var reason: String {
      switch self {
      case .address: "is not an email address"
      case .number: "is not a phone number"
      case .date: "is before 1950 or in another century"
      case .formula: "begins like a formula"
      case .ownManager: "is the person's own manager"
      case .leadLeft: "leads a department and has left"
      case .sameName: "is the name of two people in one department"
      case .namePart: "is left out; to keep it, declare the fields name_prefix and name_suffix"
      }
    }
  }

  private var findings: [Kind: (line: Int, id: [UInt8], text: String, count: Int)] = [:]
  /// Hashes of names with departments.
  private var names: Set<UInt64> = []

  mutating func note(_ kind: Kind, _ text: @autoclosure () -> String, _ id: [UInt8], _ line: Int) {
    if findings[kind] != nil {
      findings[kind]?.count += 1
    } else {
      findings[kind] = (line, id, text(), 1)
    }
  }

  /// Looks at a value of a kind of field.
  mutating func look(
    at value: [UInt8],
    of name: String,
    _ fieldKind: FieldKind,
    _ id: [UInt8],
    _ line: Int
  ) {
    let kind: Kind
    switch fieldKind {
    case .email: kind = .address
    case .phone: kind = .number
    case .date: kind = .date
    case .text: kind = .formula
    case .url, .person: return
    }
    if Self.isLikely(value, fieldKind) { return }
    note(kind, "\(name) \(QuotedValue.text(value))", id, line)
  }

  /// Looks whether a department has another user of that name.
  mutating func look(name: [UInt8], in department: [UInt8], _ id: [UInt8], _ line: Int) {
    guard !name.isEmpty, !department.isEmpty else { return }
    let key = (department + [0] + name).withUnsafeBytes { XXHash64.digest($0) }
    if !names.insert(key).inserted { note(.sameName, QuotedValue.text(name), id, line) }
  }

  /// What is not a date at all is refused.
  private static func isLikely(_ value: [UInt8], _ kind: FieldKind) -> Bool {
    switch kind {
    case .text: !value.withUnsafeBytes { SpreadsheetText.isFormula($0) }
    case .date: !kind.accepts(value) || kind.isLikely(value)
    default: value.isEmpty || kind.isLikely(value)
    }
  }

  /// Tells what was found in a file, and goes to the next.
  mutating func warn(_ rows: ListRowBuilder) {
    for kind in Kind.allCases {
      guard let found = findings[kind] else { continue }
      rows.warn(
        found.text + " " + kind.reason
          + ([.leadLeft, .namePart].contains(kind) ? "" : "; it is imported unchanged")
          + (found.count > 1 ? " (\(found.count) such values)" : ""),
        line: found.line,
        id: found.id
      )
    }
    findings = [:]
  }
}
