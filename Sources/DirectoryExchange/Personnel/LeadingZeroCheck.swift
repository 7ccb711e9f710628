import DirectoryModel

/// Looks for numbers that may have lost the zeros in front of them, as spreadsheets leave them: it takes
/// a whole column to tell.
struct LeadingZeroCheck {
  private struct Finding {
    var line: Int
    var id: [UInt8]
    var value: [UInt8]
    var count = 1
    /// The others, if they are kept.
    var others: [(line: Int, id: [UInt8], value: [UInt8])] = []
  }

  /// Whether each of them is kept.
  private let keepsAll: Bool
  /// The length of ids that begin with a zero, while all have one.
  private var length: Int?
  private var isUneven = false
  private var shortIDs: [Int: Finding] = [:]
  private var hasWholePhones: Set<String> = []
  private var barePhones: [String: Finding] = [:]

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  mutating func look(id: [UInt8], line: Int) {
    guard id.count <= 20, id.allSatisfy(Self.isDigit) else { return }
    if id.first == UInt8(ascii: "0") {
      if let length, length != id.count { isUneven = true }
      length = id.count
    } else if shortIDs[id.count]?.count == nil {
      shortIDs[id.count] = Finding(line: line, id: id, value: id)
    } else {
      shortIDs[id.count]?.count += 1
      if keepsAll { shortIDs[id.count]?.others.append((line, id, id)) }
    }
  }

  mutating func look(phone: [UInt8], of column: String, id: [UInt8], line: Int) {
    guard let first = phone.first else { return }
    if first == UInt8(ascii: "+") || first == UInt8(ascii: "0") || first == UInt8(ascii: "(") {
      hasWholePhones.insert(column)
      return
    }
    // Eleven digits from a 1 on are a mobile phone of China, or an American number with its country.
    guard (7...12).contains(phone.count), phone.allSatisfy(Self.isDigit),
      phone.count != 11 || first != UInt8(ascii: "1")
    else { return }
    if barePhones[column] == nil {
      barePhones[column] = Finding(line: line, id: id, value: phone)
    } else {
      barePhones[column]?.count += 1
      if keepsAll { barePhones[column]?.others.append((line, id, phone)) }
    }
  }

  /// What should be checked.
  func warn(_ rows: ListRowBuilder) {
    if let length, !isUneven {
      let short = shortIDs.filter { $0.key < length }
      if let first = short.values.min(by: { $0.line < $1.line }) {
        warn(first, Array(short.values), "id", "other ids have \(length) digits", rows)
      }
    }
    for (column, finding) in barePhones.sorted(by: { $0.key < $1.key })
    where hasWholePhones.contains(column) {
      warn(finding, [finding], column, "other numbers begin with + or 0", rows)
    }
  }

  private func warn(
    _ first: Finding,
    _ all: [Finding],
    _ column: String,
    _ evidence: String,
    _ rows: ListRowBuilder
  ) {
    func reason(_ value: [UInt8]) -> String {
      "\(column) \(QuotedValue.text(value)) may have lost its leading zeros: \(evidence); it is "
        + "imported unchanged"
    }
    let count = all.reduce(0) { $0 + $1.count }
    rows.warn(
      RowWarning(
        line: first.line,
        id: first.id,
        reason: reason(first.value) + (count > 1 ? " (\(count) such values)" : "")
      ),
      of: all.flatMap { [($0.line, $0.id, $0.value)] + $0.others }.sorted { $0.0 < $1.0 }.map {
        RowWarning(line: $0.0, id: $0.1, reason: reason($0.2))
      }
    )
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
