import DirectoryModel
import DirectorySnapshot
import TextRules

/// Contact fields, ids and searched fields of documents, in their order.
///
/// Of each document come first its addresses, then its id, its telephone numbers as far as they are words, such
/// as `1-800-FLOWERS`, and then what else is looked for letter for letter; all numbers are looked for by their
/// digits.
struct ContactsBuilder: Sendable {
  /// Not a byte of UTF-8; ends each text.
  static let separator: UInt8 = 0xFF

  /// Contact fields that are looked for letter for letter, in the order of their texts.
  static let addresses = Field.contacts.filter { $0.kind != .phone }
  /// Those that are looked for by their digits.
  static let numbers = Field.contacts.filter { $0.kind == .phone }

  /// The place of a field's text among those of a document; `nil` for one that has none.
  static func place(of field: SearchField) -> Int? {
    switch field {
    case .field(let field):
      addresses.firstIndex(of: field)
        ?? numbers.firstIndex(of: field).map { addresses.count + 1 + $0 }
    case .id: addresses.count
    case .name, .title, .department: nil
    }
  }

  private let rules: DialingPlan
  private var text: [UInt8] = []
  private var ends: [UInt32] = []
  private var filter: GramFilterBuilder
  private var scratch: [UInt8] = []
  private var phones = PhoneKeyLists()
  private var fieldPhones = PhoneKeyLists()

  /// - Parameters:
  ///   - documents: The documents that will be added; the first one begins a block.
  ///   - count: How many there are in all.
  ///   - rules: How telephone numbers are dialled.
  init(_ documents: Range<Int>, of count: Int, _ rules: DialingPlan) {
    self.rules = rules
    let firstBlock = documents.lowerBound / SearchIndexFormat.blockSize
    filter = GramFilterBuilder(documents: count, firstBlock: firstBlock)
    ends.reserveCapacity(documents.count)
    text.reserveCapacity(documents.count * 40)
  }

  /// Adds the id of a department, which has no addresses.
  mutating func add(departmentID id: UnsafeRawBufferPointer) {
    for _ in Self.addresses { add(part: UnsafeRawBufferPointer(start: nil, count: 0)) }
    add(part: id)
    for _ in Self.numbers { add(part: UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  mutating func add(part: UnsafeRawBufferPointer) {
    let start = text.count
    Folding.appendFolded(part, to: &text)
    text.withUnsafeBufferPointer { filter.add(BorrowedText(rebasing: $0[start...])) }
    text.append(Self.separator)
  }

  mutating func add(phone: UnsafeRawBufferPointer, document: UInt32) {
    let digits = digits(phone)
    if let digits { phones.add(digits, document) }
    let isWord = digits?.isSpelled == true
    add(part: isWord ? phone : UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Adds a value of a searched field, not empty.
  mutating func add(
    value: UnsafeRawBufferPointer,
    isPhone: Bool,
    document: UInt32
  ) {
    guard isPhone else { return add(part: value) }
    guard let digits = digits(value) else { return }
    fieldPhones.add(digits, document)
    if digits.isSpelled { add(part: value) }
  }

  private mutating func digits(_ phone: UnsafeRawBufferPointer) -> PhoneDigits? {
    guard phone.count > 0 else { return nil }
    scratch.removeAll(keepingCapacity: true)
    Folding.appendFolded(phone, to: &scratch)
    let digits = PhoneDigits(scratch, rules: rules)
    return digits.written.isEmpty ? nil : digits
  }

  mutating func endDocument() {
    // The container's offsets and ours end at 4 GiB: 4,000 bytes for each of a million people.
    ends.append(UInt32(truncatingIfNeeded: text.count))
    if ends.count % SearchIndexFormat.blockSize == 0 { filter.endBlock() }
  }

  /// Ends the last block and sorts.
  mutating func finish() {
    if ends.count % SearchIndexFormat.blockSize != 0 { filter.endBlock() }
    phones.sort()
    fieldPhones.sort()
  }

  /// Adds what was made of the documents that follow, which goes.
  mutating func append(_ following: inout ContactsBuilder) {
    let start = UInt32(text.count)
    text += following.text
    ends += following.ends.lazy.map { start &+ $0 }
    filter.formUnion(following.filter)
    phones.append(following.phones)
    fieldPhones.append(following.fieldPhones)
    following.text = []
  }

  func write(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    try phones.write(from: .phoneSuffixKeys, to: &writer)
    try fieldPhones.write(from: .fieldPhoneSuffixKeys, to: &writer)
    try writer.add(.contactsText, text)
    try writer.add(.contactsEnds, ends)
    try writer.add(.contactsFilter, filter.bits)
  }
}

/// The keys of telephone numbers, each with its document.
private struct PhoneKeyLists: Sendable {
  /// Key << 32 | document.
  private var suffixes: [UInt64] = []
  private var prefixes: [UInt64] = []

  mutating func add(_ digits: PhoneDigits, _ document: UInt32) {
    func entry(_ key: UInt32) -> UInt64 { UInt64(key) << 32 | UInt64(document) }
    suffixes.append(entry(PhoneKeys.suffix(digits.full)))
    prefixes.append(entry(PhoneKeys.prefix(digits.full)))
    if digits.full != digits.written { prefixes.append(entry(PhoneKeys.prefix(digits.written))) }
    if digits.hasOwnEnd { suffixes.append(entry(PhoneKeys.suffix(digits.written))) }
    for other in digits.others { add(other, document) }
  }

  /// By key and then by document, which is the order of adding.
  mutating func sort() {
    suffixes.radixSort { $0 >> 32 }
    prefixes.radixSort { $0 >> 32 }
  }

  /// Adds those of later documents.
  mutating func append(_ following: PhoneKeyLists) {
    suffixes = Self.merged(suffixes, following.suffixes)
    prefixes = Self.merged(prefixes, following.prefixes)
  }

  private static func merged(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var merged: [UInt64] = []
    merged.reserveCapacity(left.count + right.count)
    var from = 0
    for entry in left {
      while from < right.count, right[from] < entry {
        merged.append(right[from])
        from += 1
      }
      merged.append(entry)
    }
    merged += right[from...]
    return merged
  }

  /// Writes four sections.
  func write(
    from first: IndexSection,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    try writer.add(first.rawValue, suffixes.map { UInt32($0 >> 32) })
    try writer.add(first.rawValue + 1, suffixes.map { UInt32(truncatingIfNeeded: $0) })
    try writer.add(first.rawValue + 2, prefixes.map { UInt32($0 >> 32) })
    try writer.add(first.rawValue + 3, prefixes.map { UInt32(truncatingIfNeeded: $0) })
  }
}
