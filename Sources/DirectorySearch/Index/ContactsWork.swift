import DirectorySnapshot
import TextRules

/// Email addresses, ids and telephone numbers of all documents, in their order.
struct ContactsWork {
  /// Not a byte of UTF-8; ends an address and an id.
  static let separator: UInt8 = 0xFF

  private let phones: PhoneRules
  private var text: [UInt8] = []
  private var ends: [UInt32] = []
  private var filter: GramFilterBuilder
  private var scratch: [UInt8] = []
  private var suffixes: [UInt64] = []
  private var prefixes: [UInt64] = []

  init(documents: Int, _ phones: PhoneRules) {
    self.phones = phones
    filter = GramFilterBuilder(documents: documents)
    ends.reserveCapacity(documents)
    text.reserveCapacity(documents * 40)
  }

  /// Adds the parts of a department.
  mutating func add(email: UnsafeRawBufferPointer?, id: UnsafeRawBufferPointer) {
    add(part: email ?? UnsafeRawBufferPointer(start: nil, count: 0))
    add(part: id)
  }

  mutating func add(part: UnsafeRawBufferPointer) {
    let start = text.count
    Folding.appendFolded(part, to: &text)
    text.withUnsafeBufferPointer { filter.add(BorrowedText(rebasing: $0[start...])) }
    text.append(Self.separator)
  }

  mutating func add(phone: UnsafeRawBufferPointer, document: UInt32) {
    guard phone.count > 0 else { return }
    scratch.removeAll(keepingCapacity: true)
    Folding.appendFolded(phone, to: &scratch)
    let digits = PhoneDigits(scratch, rules: phones)
    guard !digits.written.isEmpty else { return }
    func entry(_ key: UInt32) -> UInt64 { UInt64(key) << 32 | UInt64(document) }
    suffixes.append(entry(PhoneKeys.suffix(digits.full)))
    prefixes.append(entry(PhoneKeys.prefix(digits.full)))
    if digits.full != digits.written { prefixes.append(entry(PhoneKeys.prefix(digits.written))) }
  }

  mutating func endDocument() {
    // The container's offsets and ours end at 4 GiB: 4,000 bytes for each of a million people.
    ends.append(UInt32(truncatingIfNeeded: text.count))
    if ends.count % SearchIndexFormat.blockSize == 0 { filter.endBlock() }
  }

  mutating func write(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    if ends.count % SearchIndexFormat.blockSize != 0 { filter.endBlock() }
    suffixes.sort()
    prefixes.sort()
    try writer.add(.phoneSuffixKeys, suffixes.map { UInt32($0 >> 32) })
    try writer.add(.phoneSuffixDocuments, suffixes.map { UInt32(truncatingIfNeeded: $0) })
    try writer.add(.phonePrefixKeys, prefixes.map { UInt32($0 >> 32) })
    try writer.add(.phonePrefixDocuments, prefixes.map { UInt32(truncatingIfNeeded: $0) })
    try writer.add(.contactsText, text)
    try writer.add(.contactsEnds, ends)
    try writer.add(.contactsFilter, filter.bits)
  }
}
