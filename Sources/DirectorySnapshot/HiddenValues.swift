import DirectoryModel

/// What is hidden of each record of a kind, as an excerpt is made: a few sets, and the number of each
/// record's.
struct RecordSets: Sendable {
  private(set) var sets: [HiddenFields] = []
  private(set) var numbers: [UInt32] = []
  private var known: [HiddenFields: UInt32] = [:]

  mutating func append(_ hidden: HiddenFields) {
    // Most have the set of the one before.
    if let last = numbers.last, sets[Int(last)] == hidden { return numbers.append(last) }
    let number = known[hidden] ?? UInt32(truncatingIfNeeded: sets.count)
    if known.updateValue(number, forKey: hidden) == nil { sets.append(hidden) }
    numbers.append(number)
  }

  /// Leaves the records that are given, in this order.
  mutating func take(_ records: [Int]) { numbers = records.map { numbers[$0] } }
}

/// Which fields of which records of a kind an excerpt does not show; of other snapshots none.
package struct HiddenValues: Sendable {
  /// Each set is of at least one record; empty where nothing is hidden.
  package let sets: [HiddenFields]
  private let numbers: SnapshotColumn<UInt32>?

  init(_ file: SnapshotFile, _ kind: RecordKind, count: Int) throws(SnapshotError) {
    let sections = SnapshotSection.hidden(of: kind)
    guard file.hasSection(sections.sets) else {
      (sets, numbers) = ([], nil)
      return
    }
    let text = try file.text(sections.sets, ends: sections.ends)
    var sets: [HiddenFields] = []
    for row in 0..<text.count { sets.append(HiddenFields(stored: try text[row])) }
    self.sets = sets
    let numbers = try file.column(sections.numbers, as: UInt32.self)
    guard !sets.isEmpty, numbers.count == (sets.count > 1 ? count : 0) else {
      throw numbers.damaged
    }
    self.numbers = sets.count > 1 ? numbers : nil
  }

  /// What is hidden of a record.
  ///
  /// - Complexity: O(1).
  package func of(_ row: Int) throws(SnapshotError) -> HiddenFields {
    guard let numbers else { return sets.first ?? .none }
    let number = Int(try numbers[row])
    guard number < sets.count else { throw numbers.damaged }
    return sets[number]
  }

  /// The fields that no record shows.
  package var everywhere: Set<String> {
    sets.dropFirst().reduce(sets.first?.names ?? []) { $0.intersection($1.names) }
  }
}

extension HiddenFields {
  private static let stubMark = "*"

  /// Names between blanks, which none has; a mark before those of a stub.
  fileprivate init(stored text: String) {
    let names = text.split(separator: " ").map(String.init)
    self.init(
      names: Set(names).subtracting([Self.stubMark]),
      isStub: names.first == Self.stubMark
    )
  }

  fileprivate var stored: String {
    ((isStub ? [Self.stubMark] : []) + names.sorted()).joined(separator: " ")
  }
}

extension SnapshotSection {
  fileprivate static func hidden(
    of kind: RecordKind
  ) -> (sets: SnapshotSection, ends: SnapshotSection, numbers: SnapshotSection) {
    kind == .department
      ? (.departmentHiddenText, .departmentHiddenEnds, .departmentHidden)
      : (.userHiddenText, .userHiddenEnds, .userHidden)
  }
}

extension SnapshotFileWriter {
  /// Nothing where nothing is hidden.
  mutating func add(_ hidden: RecordSets, of kind: RecordKind) throws(SnapshotError) {
    guard hidden.sets.contains(where: { $0 != .none }) else { return }
    let sections = SnapshotSection.hidden(of: kind)
    try add(hidden.sets.map(\.stored), sections.sets, sections.ends)
    try add(sections.numbers, hidden.sets.count > 1 ? hidden.numbers : [])
  }
}

extension DirectorySnapshot {
  /// What is hidden of departments or users.
  package func hidden(of kind: RecordKind) throws(SnapshotError) -> HiddenValues {
    try HiddenValues(file, kind, count: kind == .department ? departments().count : users().count)
  }
}
