import DirectoryModel

/// Values of a list that are taken as they stand, but are likely mistakes.
struct PersonnelWarnings {
  enum Kind: RowFindingKind {
    case address, number, date, formula, ownManager, leadLeft, leavesToday, sameName, namePart

    func text(_ value: String) -> String {
      switch self {
      case .address: "\(value) is not an email address" + Self.unchanged
      case .number: "\(value) is not a phone number" + Self.unchanged
      case .date: "\(value) is before 1950 or in another century" + Self.unchanged
      case .formula: "\(value) begins like a formula" + Self.unchanged
      case .ownManager: "\(value) is the person's own manager" + Self.unchanged
      case .leadLeft: "\(value) leads a department and has left"
      case .leavesToday: "\(value) leaves today, and is still imported"
      case .sameName: "\(value) is the name of two people in one department" + Self.unchanged
      case .namePart:
        "\(value) in a name is left out; to keep it, declare the fields name_prefix and name_suffix"
      }
    }

    func text(_ count: Int, first value: String) -> String {
      switch self {
      case .address: "\(count) invalid email addresses, the first \(value)" + Self.allUnchanged
      case .number: "\(count) invalid phone numbers, the first \(value)" + Self.allUnchanged
      case .date:
        "\(count) dates are before 1950 or in another century, the first \(value)"
          + Self.allUnchanged
      case .formula: "\(count) values begin like a formula, the first \(value)" + Self.allUnchanged
      case .ownManager: "\(count) people are their own managers, the first \(value)"
      case .leadLeft: "\(count) people lead a department and have left, the first \(value)"
      case .leavesToday:
        "\(count) people leave today, and are still imported, the first \(value)"
      case .sameName: "\(count) names occur twice in a department, the first \(value)"
      case .namePart:
        "\(count) titles and degrees in names are left out, the first \(value); to keep them, "
          + "declare the fields name_prefix and name_suffix"
      }
    }

    private static let unchanged = "; it is imported unchanged"
    private static let allUnchanged = "; they are imported unchanged"
  }

  private var findings: RowFindings<Kind>
  /// Hashes of names with departments.
  private var names: Set<UInt64> = []

  init(keepsAll: Bool = false) { findings = RowFindings(keepsAll: keepsAll) }

  mutating func note(_ kind: Kind, _ text: @autoclosure () -> String, _ id: [UInt8], _ line: Int) {
    findings.note(kind, text(), id, line)
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
    // A number that a spreadsheet shortened has been told as such (`SpreadsheetDamage`).
    if Self.isLikely(value, fieldKind) || value.withUnsafeBytes(SpreadsheetDamage.isShortened) {
      return
    }
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
  mutating func warn(_ rows: ListRowBuilder) { findings.warn(rows) }
}
